/** Where evidence has a record: the files, as of emails and logins. */
import type { JSX } from 'react';
import type { Fact } from '#renderer/ui/facts.tsx';
import { dictionary } from '#shared/dictionary.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import './entity.css';

/** Number of list entries a fact names; the rest are counted. */
export const NAMED = 10;

export function Rest({ total, shown }: { total: number; shown: number }): JSX.Element | null {
  return total > shown ? <span className="en-line pp-t2">and {exact(total - shown)} more</span> : null;
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

/** `total`: of all places, of which `places` may be the first; `wordsOf` is the position in the file. */
export function foundIn<P extends Place>(
  places: readonly P[],
  total: number,
  wordsOf: (place: P) => string,
): Fact {
  const shown = places.slice(0, NAMED);
  return {
    label: 'Found in',
    value: (
      <>
        {shown.map((place) => (
          <span key={`${place.file} ${wordsOf(place)}`} className="en-line pp-wrap-anywhere">
            {visibleText(place.file)} <span className="pp-t3">{wordsOf(place)}</span>
            {place.absent === null ? null : (
              <span className="pp-unknown"> {ABSENT_LABELS[place.absent] ?? visibleText(place.absent)}</span>
            )}
          </span>
        ))}
        <Rest total={total} shown={shown.length} />
      </>
    ),
  };
}
