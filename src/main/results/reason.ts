/** Why a set is in its state, in words derived from its stop reason and counts. Never parsed. */
import type { ResultSet } from '#shared/bridge/operations.ts';
import { exact, plural } from '#shared/model/format.ts';
import type { SetRecord } from './record.ts';

export const rowsWord = (count: number): string => plural(count, 'row');

type Counts = Pick<SetRecord, 'state' | 'loaded' | 'total' | 'firstTotal'>;

/** The service announces fewer rows than it returned, or none: its total is a lower bound. */
export const isAtLeast = ({ state, loaded, total }: Counts): boolean =>
  state !== 'complete' && loaded > total;

/** The best known number of rows; a lower bound if `isAtLeast`. */
export const knownTotal = ({ loaded, total }: Counts): number => Math.max(loaded, total);

/** "525 of 2,500 rows are here.", or only the loaded rows where the total is unknown. */
const ofRows = (record: Counts): string =>
  isAtLeast(record)
    ? `${rowsWord(record.loaded)} are here; the service does not say how many there are.`
    : `${exact(record.loaded)} of ${rowsWord(record.total)} are here.`;

const times = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${exact(count)} times`;

function moved({ firstTotal, total, scans, loaded }: SetRecord): string {
  const announced =
    firstTotal === null || firstTotal === total
      ? `it announced ${rowsWord(total)}`
      : `it announced ${rowsWord(firstTotal)} at first and ${exact(total)} at the end`;
  return `The results changed while they were read, ${times(scans + 1)}: ${announced}. ${rowsWord(loaded)} are here; some may be missing, and some may no longer exist. “Fetch all again” reads them once more.`;
}

function complete({ withoutId, firstTotal, total, loaded }: SetRecord): string | null {
  const sentences = [
    ...(total < loaded
      ? [
          firstTotal === null || total === 0
            ? 'The service does not count these rows: they were read twice, with the same result.'
            : `The service counts only to ${exact(total)}: the rows were read twice, with the same result.`,
        ]
      : []),
    ...(withoutId > 0
      ? [`${rowsWord(withoutId)} came without an id: they can be read and exported, not opened.`]
      : []),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** Null if there is nothing to say. */
export function reasonOf(record: SetRecord): ResultSet['reason'] {
  const { stop, detail } = record;
  switch (stop) {
    case null:
      return record.state === 'complete' ? complete(record) : null;
    case 'enough':
    case 'replaced':
      return null;
    case 'paused':
      return 'Paused.';
    case 'stopped':
      return `You stopped the fetch: ${ofRows(record)}`;
    case 'closed':
      return `Parapet closed while these results were being fetched. ${ofRows(record)}`;
    case 'offline':
      return `${ofRows(record)} ${record.target === null ? 'You went offline: the fetch continues when you are online again.' : 'You went offline.'}`;
    case 'unreachable':
    case 'failed':
    case 'storage':
      return `${ofRows(record)} ${detail ?? ''}`.trim();
    case 'forgot':
      return `The service forgot its place ${times(record.resumed)} before all rows were read: ${ofRows(record)}`;
    case 'stuck':
      return `The service repeats the same page: ${ofRows(record)}`;
    case 'short':
      return `The service announced ${rowsWord(record.total)} and gave ${exact(record.loaded)} different ones up to its end.`;
    case 'moved':
      return moved(record);
    case 'uncounted':
      return `The service does not count these rows, so nobody can say whether the ${exact(record.loaded)} that it gave up to its end are all.`;
    case 'evidence':
      return detail;
    case 'sources':
      return `PARTIAL: ${detail} when they were compared. Rows may be called new or gone that were only not fetched.`;
  }
}
