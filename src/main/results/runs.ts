/** Which earlier runs of a query are kept, and how they are listed. */
import type { OutputOf } from '#shared/bridge/operations.ts';
import { knownTotal, reasonOf } from './reason.ts';
import type { SetRecord } from './record.ts';

/** Replaced runs and comparisons kept per question, in addition to pinned ones. */
const KEPT_RUNS = 5;
const KEPT_COMPARISONS = 3;

const isRun = (record: SetRecord): boolean => record.origin === null;

/**
 * Replaced runs and comparisons beyond the limits, replaced longer than `ms` ago: incomplete and older runs first, and
 * older comparisons.
 */
export function evictableRuns(records: readonly SetRecord[], now: number, ms: number): Set<string> {
  const runs = new Map<string, number>();
  const evictable = records
    .filter((record) => (record.supersededAt !== null || !isRun(record)) && !record.pinned)
    .sort(
      (a, b) =>
        Number(isRun(b) && b.state === 'complete') - Number(isRun(a) && a.state === 'complete') ||
        b.born - a.born,
    )
    .filter((record) => {
      const group = `${isRun(record)}:${record.queryKey}`;
      const turn = (runs.get(group) ?? 0) + 1;
      runs.set(group, turn);
      const most = isRun(record) ? KEPT_RUNS : KEPT_COMPARISONS;
      // A time ahead of the clock, which was set back since, would keep it until then.
      return turn > most && Math.abs(now - (record.supersededAt ?? record.usedAt)) >= ms;
    });
  return new Set(evictable.map(({ id }) => id));
}

/** Runs of one question, newest first. */
export const historyOf = (
  records: readonly SetRecord[],
  connectionId: string,
  queryKey: string,
): OutputOf<'results.history'>['runs'] =>
  records
    .filter((record) => record.connectionId === connectionId && record.queryKey === queryKey && isRun(record))
    .sort((a, b) => b.born - a.born)
    .map((record) => ({
      resultId: record.id,
      startedAt: record.startedAt,
      fetchedAt: record.fetchedAt,
      loaded: record.loaded,
      total: knownTotal(record),
      state: record.state,
      reason: reasonOf(record),
      pinned: record.pinned,
      current: record.supersededAt === null,
    }));
