/** A result set in use: its record, its fetcher, and who waits for it. */
import { cancelled } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import { createRate, type Rate } from '../jobs/rate.ts';
import { createThrottle, type Throttle } from '../jobs/throttle.ts';
import type { Context } from '../kernel/context.ts';
import type { Fetcher } from './fetcher.ts';
import { isAtLeast, reasonOf } from './reason.ts';
import type { SetRecord } from './record.ts';

/** Limits events of one set to 10 per second. */

export interface ResultSession {
  record: SetRecord;
  fetcher: Fetcher | null;
  job: Job | null;
  /** References by exports, selections, comparisons and actions that read it. */
  references: number;
  /** One for each export or action that needs every row; what the analyst wants is the record's target. */
  demands: Set<object>;
  /** Called when rows arrive or the fetch stops. */
  watchers: Set<() => void>;
  /** Jobs that delay the fetch while they are paused. */
  gates: Set<() => Promise<void>>;
  /** Publishes the state of the set, at most every EVENT_MS. */
  changed: Throttle;
  rate: { meter: Rate; now: number | null };
}

export const createSession = (record: SetRecord, now: () => number, publish: () => void): ResultSession => ({
  record,
  fetcher: null,
  job: null,
  references: 0,
  demands: new Set(),
  watchers: new Set(),
  gates: new Set(),
  rate: { meter: createRate(), now: null },
  changed: createThrottle(now, publish),
});

/** For jobs: no total where the service does not count. */
const progressOf = (record: SetRecord): { done: number; total: number | null } => ({
  done: record.loaded,
  total: isAtLeast(record) ? null : record.total,
});

/** Resolves at the next change; rejects when the caller is cancelled. */
export const nextChange = (session: ResultSession, signal: AbortSignal): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(cancelled());
    const finish = () => {
      session.watchers.delete(finish);
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      session.watchers.delete(finish);
      reject(cancelled());
    };
    session.watchers.add(finish);
    signal.addEventListener('abort', abort, { once: true });
  });

/** Rows that are wanted, or null for all. */
export const targetOf = ({ record, demands }: ResultSession): number | null =>
  demands.size > 0 ? null : record.target;

/** Whether wanted rows are still missing. */
export const isWanted = (session: ResultSession): boolean => {
  const target = targetOf(session);
  return target === null || session.record.loaded < target;
};

/** Waits until the fetch has stopped; `progress` is called at each change. */
export async function untilFetched(
  session: ResultSession,
  signal: AbortSignal,
  progress: (record: SetRecord) => void,
): Promise<SetRecord> {
  while (session.fetcher !== null) {
    progress(session.record);
    await nextChange(session, signal);
  }
  return session.record;
}

/** Resolves when the fetch may continue: none of its jobs is paused, or an export or action needs the rows. */
export async function untilAllowed(session: ResultSession): Promise<void> {
  if (session.gates.size === 0) return;
  const over = new AbortController();
  const open = Promise.all([...session.gates].map((gate) => gate().catch(() => undefined))).then(() => true);
  try {
    while (session.demands.size === 0)
      if (await Promise.race([open, nextChange(session, over.signal).then(() => false)])) return;
  } finally {
    over.abort();
  }
}

/** Fetches every row of a set as a job that can be paused, cancelled and retried. */
export function startFetchJob(
  ctx: Context,
  session: ResultSession,
  fetchAll: (signal: AbortSignal, progress: (record: SetRecord) => void) => Promise<unknown>,
  retry: () => Promise<Job>,
): Job {
  const { record } = session;
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
  session.gates.add(gate);
  const run = async () => {
    try {
      await fetchAll(handle.signal, (now) => handle.update(progressOf(now)));
      handle.update(progressOf(record));
      if (record.state === 'complete') handle.done({ rows: record.loaded }, reasonOf(record));
      else handle.partial(reasonOf(record) ?? 'Stopped before the end.', { rows: record.loaded });
    } catch (error) {
      handle.fail(error);
    } finally {
      session.gates.delete(gate);
      if (session.job?.id === handle.id) session.job = null;
    }
  };
  session.job = handle.current();
  void run();
  return session.job;
}
