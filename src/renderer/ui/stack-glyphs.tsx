import type { JSX } from 'react';
import { VerdictGlyph, verdictWord } from './verdict-chip.tsx';

/** One tool's entry in the Stack column, already in stack order. */
export interface StackEntry {
  tool: string;
  /** The name shown; the tool id when absent. */
  label?: string;
  verdict: string;
  error?: boolean;
}

/** The whole stack in words, for tooltips and screen readers: one tool per line. */
export function stackText(stack: readonly StackEntry[]): string {
  return stack
    .map(
      (entry) => `${entry.label ?? entry.tool}: ${verdictWord(entry.verdict)}${entry.error ? ', error' : ''}`,
    )
    .join('\n');
}

/** One glyph per tool, in stack order; the words are in the tooltip. */
export function StackGlyphs({
  stack,
  title = true,
}: {
  stack: readonly StackEntry[];
  title?: boolean;
}): JSX.Element {
  const text = stackText(stack);
  return (
    <span
      className="pp-stack"
      role="img"
      aria-label={text.replaceAll('\n', '; ')}
      title={title ? text : undefined}
    >
      {stack.map((entry) => (
        <VerdictGlyph key={entry.tool} verdict={entry.verdict} />
      ))}
    </span>
  );
}
