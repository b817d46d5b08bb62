/** What is told of a fetch in words: how far, how fast, how long, and what was odd. Pure. */
import type { ResultSet } from '#shared/bridge/operations.ts';
import { exact } from '#shared/model/format.ts';

const rows = (count: number): string => `${exact(count)} ${count === 1 ? 'row' : 'rows'}`;

export const progressWords = ({ loaded, total }: Pick<ResultSet, 'loaded' | 'total'>): string =>
  `${exact(loaded)} of ${rows(total)}`;

type Odd = Pick<ResultSet, 'resumed' | 'appeared' | 'vanished' | 'duplicates'>;

/** What happened on the way to these rows, one sentence each; none: []. */
export function fetchNotes({ resumed, appeared, vanished, duplicates }: Odd): string[] {
  return [
    ...(resumed > 0
      ? [
          `The service forgot its place ${resumed === 1 ? 'once' : `${exact(resumed)} times`}: the fetch began anew there and matched rows by their id`,
        ]
      : []),
    ...(duplicates > 0
      ? [`${rows(duplicates)} came more than once and ${duplicates === 1 ? 'was' : 'were'} kept once`]
      : []),
    ...(appeared > 0 ? [`${rows(appeared)} appeared on the service meanwhile`] : []),
    ...(vanished > 0 ? [`${rows(vanished)} vanished from the service meanwhile`] : []),
  ];
}
