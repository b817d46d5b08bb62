import { type JSX, useMemo, useState } from 'react';
import { exact } from '#shared/model/format.ts';
import { readableText, TEXT_STEP } from './body-text.ts';

/** Plain text, wrapped; a long one is drawn in steps. */
export function TextView({ text, label }: { text: string; label: string }): JSX.Element {
  const [most, setMost] = useState(TEXT_STEP);
  const shown = useMemo(() => readableText(text.slice(0, most)), [text, most]);
  const left = text.length - most;
  return (
    <section className="em-text" aria-label={label}>
      <pre className="em-text-body">{shown}</pre>
      {left > 0 ? (
        <button type="button" className="pp-link en-more" onClick={() => setMost(most + TEXT_STEP)}>
          Show more ({exact(left)} characters are left)
        </button>
      ) : null}
    </section>
  );
}
