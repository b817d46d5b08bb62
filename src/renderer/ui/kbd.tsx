import type { JSX } from 'react';
import { dictionary } from '#shared/dictionary.ts';

const SYMBOLS: Record<string, string> = dictionary({ Enter: '↵' });

/** One key or chord as a cap, e.g. `Ctrl K`, `Enter`. */
export function Kbd({ keys }: { keys: string }): JSX.Element {
  const text = keys
    .split(' ')
    .map((key) => SYMBOLS[key] ?? key)
    .join(' ');
  return (
    <kbd className="pp-kbd" aria-label={keys}>
      {text}
    </kbd>
  );
}

export interface Hint {
  keys: string;
  text: string;
}

export function Hints({ hints }: { hints: readonly Hint[] }): JSX.Element {
  return (
    <span className="pp-hints">
      {hints.map((hint) => (
        <span className="pp-hint" key={hint.keys}>
          <Kbd keys={hint.keys} />
          {hint.text}
        </span>
      ))}
    </span>
  );
}
