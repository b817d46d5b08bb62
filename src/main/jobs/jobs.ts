/** Long work that the analyst can see, pause, cancel and retry. Ended jobs are kept in the workspace. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import { job } from '#shared/bridge/operations/jobs.ts';
import type { Job } from '#shared/bridge/operations.ts';
import type { Context, JobHandle, JobSpec, Jobs } from '../kernel/context.ts';
import { storedJson } from '../store/kv.ts';
import { createRate } from './rate.ts';
import { createThrottle } from './throttle.ts';

/** Limits the progress events of one job to 10 per second. */
/** Ended jobs kept in the list. */
const KEPT = 100;
/** How long cancelled work may take to stop: it may wait for a disk, a share or a service that never answers. */
const STOP_MS = 5_000;

type Memo = Readonly<Record<string, string>>;
const storedJob = z.object({ job, memo: z.record(z.string(), z.string()).nullable() });

/** How jobs of a kind that a crash interrupted are handled. */
interface Revival {
  /** Cleans up, for example a partial file. */
  lost?: (memo: Memo) => Promise<void>;
  /** Starts the same work again as a new job. */
  retry?: (memo: Memo) => Promise<Job>;
}

interface Entry {
  job: Job;
  memo: Memo | null;
  /** Null once it has been retried: the new job has a retry of its own. */
  retry: (() => Promise<Job>) | null;
  /** Its place among the ended jobs, or null if it runs. */
  rank: number | null;
  control: AbortController;
  /** Ends the job although its work, which was cancelled, has not stopped. */
  giveUp: () => void;
  waiting: (() => void)[];
  closed: Promise<void>;
  close: () => void;
}

const RUNNING: ReadonlySet<Job['state']> = new Set(['queued', 'running', 'paused']);
const isRunning = (job: Job) => RUNNING.has(job.state);

export class JobsService implements Jobs {
  readonly #ctx: Pick<Context, 'ports' | 'workspace' | 'publish'>;
  readonly #entries = new Map<string, Entry>();
  readonly #revivals = new Map<Job['kind'], Revival>();
  #stopped = false;
  readonly #now: () => number;

  constructor(ctx: Pick<Context, 'ports' | 'workspace' | 'publish'>) {
    this.#ctx = ctx;
    const { now } = this.#ctx.ports;
    this.#now = now;
  }

  create(spec: JobSpec): JobHandle {
    const entry = this.#add(
      {
        id: randomUUID(),
        kind: spec.kind,
        title: spec.title,
        connectionId: spec.connectionId,
        state: 'running',
        done: 0,
        total: spec.total ?? null,
        unit: spec.unit,
        rate: null,
        note: null,
        error: null,
        startedAt: this.#now(),
        endedAt: null,
        outcome: null,
        canPause: spec.canPause ?? false,
        canRetry: false,
      },
      spec.memo ?? null,
      spec.retry ?? null,
    );
    const { job } = entry;
    // A job created during shutdown is cancelled at once and says so.
    if (this.#stopped) entry.control.abort();
    const rate = createRate();
    const progress = createThrottle(this.#now, () => this.#publish(entry));
    let isGivenUp = false;
    const end = (change: Partial<Job>) => {
      if (!isRunning(job) && !isGivenUp) return;
      isGivenUp = false;
      progress.cancel();
      Object.assign(job, change, { endedAt: this.#now(), canPause: false });
      entry.rank = this.#nextRank();
      job.canRetry = entry.retry !== null && job.state !== 'done';
      for (const go of entry.waiting.splice(0)) go();
      this.#keep(entry);
      this.#forgetOldest();
      this.#publish(entry);
      entry.close();
    };

    entry.giveUp = () => {
      if (!isRunning(job)) return;
      const error = new ParapetError(
        'timeout',
        'Cancelled, but the work has not stopped: a disk, a share or a service does not answer. It ends when that answers, or with Parapet.',
      );
      end({ state: 'cancelled', error: toBridgeError(error), note: error.message });
      isGivenUp = true;
    };

    this.#keep(entry);
    progress.ask();
    return {
      id: job.id,
      signal: entry.control.signal,
      current: () => ({ ...job }),
      update: (change) => {
        if (!isRunning(job)) return;
        Object.assign(job, change);
        if (change.done !== undefined) job.rate = rate.add(this.#now(), change.done);
        progress.ask();
      },
      async ready() {
        while (job.state === 'paused' && !entry.control.signal.aborted)
          await new Promise<void>((resolve) => entry.waiting.push(resolve));
        if (entry.control.signal.aborted) throw cancelled();
      },
      done: (outcome = null, note = null) => end({ state: 'done', outcome, note, error: null }),
      partial: (note, outcome = null) => end({ state: 'partial', outcome, note, error: null }),
      fail(error, outcome = null) {
        const bridgeError = toBridgeError(error);
        if (bridgeError.code === 'cancelled') end({ state: 'cancelled', note: 'Cancelled.', error: null });
        else end({ state: 'failed', error: bridgeError, note: bridgeError.message, outcome });
      },
    };
  }

  revive(kind: Job['kind'], how: Revival): void {
    this.#revivals.set(kind, how);
  }

  list(): Job[] {
    return [...this.#entries.values()]
      .map(({ job }) => ({ ...job }))
      .sort((a, b) => Number(isRunning(b)) - Number(isRunning(a)) || (b.startedAt ?? 0) - (a.startedAt ?? 0));
  }

  /**
   * Loads ended and interrupted jobs from the workspace. Called once all kinds are registered, and again after a
   * rebuild.
   */
  async restore(): Promise<void> {
    const rows = await this.#ctx.workspace.all<{ data: string; rank: number | null }>(
      'SELECT data, ended_at AS rank FROM jobs',
    );
    for (const { data, rank } of rows) {
      const read = storedJob.safeParse(storedJson(data));
      if (!read.success) {
        this.#ctx.ports.log.warn('a stored job could not be read');
        continue;
      }
      const { job, memo } = read.data;
      if (this.#entries.has(job.id)) continue;
      const how = this.#revivals.get(job.kind);
      const retry = how?.retry;
      const entry = this.#add(job, memo, memo !== null && retry !== undefined ? () => retry(memo) : null);
      entry.close();
      entry.rank = rank;
      if (isRunning(job)) {
        if (memo !== null) await how?.lost?.(memo).catch(() => undefined);
        const error = new ParapetError('cancelled', 'Parapet closed while it ran.', { retryable: true });
        Object.assign(job, {
          state: 'failed',
          note: error.message,
          error: toBridgeError(error),
          endedAt: this.#now(),
          rate: null,
          canPause: false,
        } satisfies Partial<Job>);
        entry.rank = this.#nextRank();
        this.#keep(entry);
      }
      job.canRetry = entry.retry !== null && job.state !== 'done';
      this.#publish(entry);
    }
  }

  async control(id: string, action: 'cancel' | 'pause' | 'resume' | 'retry' | 'dismiss'): Promise<Job> {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new ParapetError('not-found', 'This job is no longer in the list.');
    const { job } = entry;
    if (action === 'retry') {
      const { retry } = entry;
      if (retry === null || isRunning(job))
        throw new ParapetError('not-allowed', 'This job cannot be started again.');
      // A second press starts nothing. The store offers it until the new job is there, in case Parapet dies before.
      entry.retry = null;
      const next = await retry().catch((error: unknown) => {
        entry.retry = retry;
        throw error;
      });
      entry.memo = null;
      job.canRetry = false;
      // It may have been dismissed meanwhile.
      if (this.#entries.get(id) === entry) {
        this.#keep(entry);
        this.#publish(entry);
      }
      return next;
    }
    if (action === 'dismiss') {
      if (isRunning(job))
        throw new ParapetError('not-allowed', 'This job is still running. Cancel it first.');
      this.#entries.delete(id);
      await this.#ctx.workspace.write([{ sql: 'DELETE FROM jobs WHERE id = ?', params: [id] }]);
      return { ...job };
    }
    if (isRunning(job)) {
      if (action === 'cancel') {
        entry.control.abort();
        this.#wake(entry);
        const late = setTimeout(entry.giveUp, STOP_MS);
        await entry.closed;
        clearTimeout(late);
      } else if (action === 'pause' && job.canPause && job.state === 'running') {
        Object.assign(job, { state: 'paused', rate: null } satisfies Partial<Job>);
        this.#publish(entry);
      } else if (action === 'resume' && job.state === 'paused') {
        job.state = 'running';
        this.#wake(entry);
        this.#publish(entry);
      }
    }
    return { ...job };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const running = [...this.#entries.values()].filter(({ job }) => isRunning(job));
    for (const entry of running) {
      entry.control.abort();
      this.#wake(entry);
    }
    await Promise.all(running.map(({ closed }) => closed));
  }

  /** Above all others even after the clock was set back: the job that just ended is never the oldest. */
  #nextRank(): number {
    const ranks = [...this.#entries.values()].map(({ rank }) => rank ?? 0);
    return Math.max(this.#now(), 1 + Math.max(...ranks));
  }

  #keep(entry: Entry) {
    const { job, memo } = entry;
    void this.#ctx.workspace
      .write([
        {
          sql: 'INSERT INTO jobs (id, data, ended_at) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET data = excluded.data, ended_at = excluded.ended_at',
          params: [job.id, JSON.stringify({ job, memo }), entry.rank],
        },
        {
          sql: `DELETE FROM jobs WHERE ended_at IS NOT NULL AND id NOT IN
            (SELECT id FROM jobs WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ${KEPT})`,
        },
      ])
      .catch((error: unknown) =>
        this.#ctx.ports.log.warn('a job could not be stored', { reason: String(error) }),
      );
  }

  #forgetOldest() {
    const ended = [...this.#entries.values()].filter(({ job }) => !isRunning(job));
    ended.sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0));
    for (const { job } of ended.slice(KEPT)) this.#entries.delete(job.id);
  }

  #add(job: Job, memo: Memo | null, retry: Entry['retry']): Entry {
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const control = new AbortController();
    const entry: Entry = {
      job,
      memo,
      retry,
      rank: null,
      control,
      giveUp: () => {},
      waiting: [],
      closed,
      close,
    };
    this.#entries.set(job.id, entry);
    return entry;
  }

  #publish(entry: Entry) {
    return this.#ctx.publish({ type: 'job', job: { ...entry.job } });
  }

  #wake(entry: Entry) {
    for (const go of entry.waiting.splice(0)) go();
  }
}
