/** What is told of a fetch in words: how far, how fast, how long, and what was odd. Pure. */
import type { ResultSet } from '#shared/bridge/operations.ts';
import { exact, plural } from '#shared/model/format.ts';

const rows = (count: number): string => plural(count, 'row');

type Counts = Pick<ResultSet, 'loaded' | 'total' | 'atLeast'>;

/** Rows of the query as far as is known: the service may count only to a limit, or not at all. */
export const totalWords = ({ total, atLeast }: Omit<Counts, 'loaded'>): string =>
  `${atLeast ? 'at least ' : ''}${exact(total)}`;

export const progressWords = ({ loaded, total, atLeast }: Counts): string =>
  `${exact(loaded)} of ${atLeast ? 'at least ' : ''}${rows(total)}`;

/** May there be rows that are not on this machine? */
export const isMissingRows = ({ loaded, total, atLeast }: Counts): boolean => atLeast || loaded < total;

type Odd = Pick<ResultSet, 'resumed' | 'appeared' | 'vanished' | 'duplicates' | 'scans' | 'reason'>;

/** What happened on the way to these rows, one sentence each; none: []. */
export function fetchNotes({ resumed, appeared, vanished, duplicates, scans, reason }: Odd): string[] {
  return [
    ...(resumed > 0
      ? [
          `The service lost its cursor ${resumed === 1 ? 'once' : `${exact(resumed)} times`}: the fetch restarted there and matched rows by ID`,
        ]
      : []),
    // Where the reason tells more, it tells of this too.
    ...(scans > 0 && reason === null
      ? [`Results changed during the fetch, so they were read ${exact(scans + 1)} times`]
      : []),
    ...(duplicates > 0 ? [`${rows(duplicates)} received more than once, kept once`] : []),
    ...(appeared > 0 ? [`${rows(appeared)} added on the service meanwhile`] : []),
    ...(vanished > 0 ? [`${rows(vanished)} removed from the service meanwhile`] : []),
  ];
}
