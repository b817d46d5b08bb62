/** A result set of this process: its record, who fills it, who waits for it. */
import { cancelled } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import { createRate, type Rate } from '../jobs/rate.ts';
import { createThrottle, type Throttle } from '../jobs/throttle.ts';
import type { Context } from '../kernel/context.ts';
import type { Filler } from './fetcher.ts';
import { isAtLeast, reasonOf } from './reason.ts';
import type { SetRecord } from './record.ts';

/** Events of one set leave at most 10 times a second. */
const EVENT_MS = 100;

export interface Live {
  record: SetRecord;
  filler: Filler | null;
  job: Job | null;
  users: number;
  /** Who wants every row besides the analyst, whose own wish is the record's target: exports, actions. */
  wants: Set<object>;
  /** Asked when rows arrive or the fill stops. */
  watchers: Set<() => void>;
  /** Jobs that may hold the fill while they are paused. */
  gates: Set<() => Promise<void>>;
  news: Throttle;
  rate: { meter: Rate; now: number | null };
}

/** `tell` publishes the state of the set. */
export const createLive = (record: SetRecord, now: () => number, tell: () => void): Live => ({
  record,
  filler: null,
  job: null,
  users: 0,
  wants: new Set(),
  watchers: new Set(),
  gates: new Set(),
  rate: { meter: createRate(), now: null },
  news: createThrottle(now, EVENT_MS, tell),
});

/** For jobs: no total where nobody knows it. */
export const progressOf = (record: SetRecord): { done: number; total: number | null } => ({
  done: record.loaded,
  total: isAtLeast(record) ? null : record.total,
});

/** Resolves when something changed; rejects when the caller no longer waits. */
export const nextChange = (entry: Live, signal: AbortSignal): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(cancelled());
    const done = () => {
      entry.watchers.delete(done);
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      entry.watchers.delete(done);
      reject(cancelled());
    };
    entry.watchers.add(done);
    signal.addEventListener('abort', abort, { once: true });
  });

/** Rows that somebody wants; null: all. */
export const targetOf = ({ record, wants }: Live): number | null => (wants.size > 0 ? null : record.target);

/** Does somebody want rows that are not here? */
export const isWanted = (entry: Live): boolean => {
  const target = targetOf(entry);
  return target === null || entry.record.loaded < target;
};

/** Waits until the fill has stopped, telling of each change. */
export async function tillFilled(
  entry: Live,
  signal: AbortSignal,
  progress: (record: SetRecord) => void,
): Promise<SetRecord> {
  while (entry.filler !== null) {
    progress(entry.record);
    await nextChange(entry, signal);
  }
  return entry.record;
}

/** Resolves when the fill may go on: no job of it is paused, or somebody else wants the rows. */
export async function mayGoOn(entry: Live): Promise<void> {
  if (entry.gates.size === 0) return;
  const over = new AbortController();
  const open = Promise.all([...entry.gates].map((gate) => gate().catch(() => undefined))).then(() => true);
  try {
    while (entry.wants.size === 0)
      if (await Promise.race([open, nextChange(entry, over.signal).then(() => false)])) return;
  } finally {
    over.abort();
  }
}

/** Fetches every row of a set as a job that can be paused, cancelled and begun again. */
export function startFetchJob(
  ctx: Context,
  entry: Live,
  fetchAll: (signal: AbortSignal, progress: (record: SetRecord) => void) => Promise<unknown>,
  retry: () => Promise<Job>,
): Job {
  const { record } = entry;
  const handle = ctx.jobs.create({
    kind: 'fetch',
    title: record.label === null ? 'Fetch all rows' : `Fetch all rows: ${record.label}`,
    connectionId: record.connectionId,
    unit: 'rows',
    total: progressOf(record).total,
    canPause: true,
    retry,
    memo: { resultId: record.id },
  });
  const gate = () => handle.ready();
  entry.gates.add(gate);
  const run = async () => {
    try {
      await fetchAll(handle.signal, (now) => handle.update(progressOf(now)));
      handle.update(progressOf(record));
      if (record.state === 'complete') handle.done({ rows: record.loaded }, reasonOf(record));
      else handle.partial(reasonOf(record) ?? 'Stopped before the end.', { rows: record.loaded });
    } catch (error) {
      handle.fail(error);
    } finally {
      entry.gates.delete(gate);
      if (entry.job?.id === handle.id) entry.job = null;
    }
  };
  entry.job = handle.current();
  void run();
  return entry.job;
}
