import type { JSX } from 'react';
import { visibleText } from '#shared/model/format.ts';
import type { Segment } from '#shared/query/describe.ts';

/** A query in plain words. */
export function Words({ segments }: { segments: readonly Segment[] }): JSX.Element {
  let at = 0;
  return (
    <>
      {segments.map((segment) => {
        const key = `${at}`;
        at += segment.text.length + 1;
        const text = visibleText(segment.text);
        if (segment.kind === 'strong') return <b key={key}>{text}</b>;
        if (segment.kind === 'value')
          return (
            <code key={key} className="pp-words-value">
              {text}
            </code>
          );
        if (segment.kind === 'or')
          return (
            <span key={key} className="pp-words-or">
              {text}
            </span>
          );
        return <span key={key}>{text}</span>;
      })}
    </>
  );
}
