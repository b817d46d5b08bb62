/** Where evidence has a record: the files, as of emails and logins. */
import type { JSX, ReactNode } from 'react';
import type { Fact } from '#renderer/ui/facts.tsx';
import { dictionary } from '#shared/dictionary.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import './entity.css';

/** Number of list entries a fact names; the rest are counted. */
const NAMED = 10;

/** The first entries of a list, one to a line. `total` counts all of them, of which `list` may be the first. */
export function Lines<T>(props: {
  list: readonly T[];
  total?: number;
  line: (entry: T) => ReactNode;
}): JSX.Element {
  const { list, total = list.length, line } = props;
  const shown = list.slice(0, NAMED);
  return (
    <>
      {shown.map((entry, index) => (
        <span key={index.toString()} className="en-line">
          {line(entry)}
        </span>
      ))}
      {total > shown.length ? (
        <span className="en-line pp-t2">and {exact(total - shown.length)} more</span>
      ) : null}
    </>
  );
}

/** Why a file of evidence was not found again. */
const ABSENT_LABELS: Readonly<Record<string, string>> = dictionary({
  gone: 'No longer there',
  unreachable: 'Could not be reached',
});

interface Place {
  file: string;
  /** Null if the file is there. */
  absent: string | null;
}

/** `total` counts all places, of which `places` may be the first; `wordsOf` is the position in the file. */
export const foundIn = <P extends Place>(
  places: readonly P[],
  total: number,
  wordsOf: (place: P) => string,
): Fact => ({
  label: 'Found in',
  value: (
    <Lines
      list={places}
      total={total}
      line={(place) => (
        <span className="pp-wrap-anywhere">
          {visibleText(place.file)} <span className="pp-t3">{wordsOf(place)}</span>
          {place.absent === null ? null : (
            <span className="pp-unknown"> {ABSENT_LABELS[place.absent] ?? visibleText(place.absent)}</span>
          )}
        </span>
      )}
    />
  ),
});
