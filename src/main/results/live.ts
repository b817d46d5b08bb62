/** A result set of this process: its record, who fills it, who waits for it. */
import { cancelled } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import type { Context } from '../core/context.ts';
import { createRate, type Rate } from '../jobs/rate.ts';
import { createThrottle, type Throttle } from '../jobs/throttle.ts';
import type { Filler } from './fill.ts';
import type { SetRecord } from './record.ts';
import { rowsWord } from './settle.ts';

/** Events of one set leave at most 10 times a second. */
const EVENT_MS = 100;

export interface Live {
  record: SetRecord;
  filler: Filler | null;
  job: Promise<Job> | null;
  users: number;
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
  watchers: new Set(),
  gates: new Set(),
  rate: { meter: createRate(), now: null },
  news: createThrottle(now, EVENT_MS, tell),
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

/** Waits until the fill has stopped, telling of each change; pauses it when the caller no longer waits. */
export async function tillFilled(
  entry: Live,
  signal: AbortSignal,
  progress: (record: SetRecord) => void,
): Promise<SetRecord> {
  const stop = () => void entry.filler?.stop('paused', null);
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (entry.filler !== null) {
      progress(entry.record);
      await nextChange(entry, signal);
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return entry.record;
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
    total: record.total,
    canPause: true,
    retry,
    memo: { resultId: record.id },
  });
  const gate = () => handle.ready();
  entry.gates.add(gate);
  const run = async () => {
    try {
      await fetchAll(handle.signal, ({ loaded, total }) => handle.update({ done: loaded, total }));
      handle.update({ done: record.loaded, total: record.total });
      if (record.state === 'complete') handle.done({ rows: record.loaded });
      else handle.partial(record.reason ?? 'Stopped before the end.', { rows: record.loaded });
    } catch (error) {
      handle.fail(error);
    } finally {
      entry.gates.delete(gate);
    }
  };
  void run();
  return handle.current();
}

export const CLOSED = 'Parapet closed while these results were being fetched.';
export const PAUSED = 'Paused.';
const STOPPED = 'You stopped the fetch';
const soFar = (record: SetRecord) => `${record.loaded} of ${rowsWord(record.total)} are here.`;
export const stoppedReason = (record: SetRecord): string => `${STOPPED}: ${soFar(record)}`;
export const closedReason = (record: SetRecord): string => `${CLOSED} ${soFar(record)}`;

/** The analyst said that no more is wanted for now. */
export const isHalted = ({ state, reason }: SetRecord): boolean =>
  (state === 'paused' && reason !== null) || (reason?.startsWith(STOPPED) ?? false);

/** Every row was wanted, and only the end of the process came between. */
export const wasInterrupted = ({ state, reason, target, origin }: SetRecord): boolean =>
  origin === null && target === null && state === 'partial' && (reason?.startsWith(CLOSED) ?? false);
