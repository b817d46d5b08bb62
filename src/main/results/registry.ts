/** The result sets of this process: loaded once per database, found, added, evicted. */
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Context } from '../kernel/context.ts';
import { createLeases, type Leases } from './leases.ts';
import { endScanStatements, type Generations } from './reconcile.ts';
import { describeSet, dropStatements, orphanStatements, readRecords, type SetRecord } from './record.ts';
import { evictableRuns } from './runs.ts';
import { createSession, type ResultSession } from './session.ts';
import { SortedRows } from './sorted-rows.ts';
import { change, standingOf } from './state.ts';

export const gone = () =>
  new ParapetError('not-cached', 'These results are no longer on this machine. Run the query again.', {
    retryable: true,
  });

const replaced = () =>
  new ParapetError('cancelled', 'The database was replaced while it was being read.', {
    retryable: true,
  });

interface Hooks {
  /** This set was being fetched when its database was replaced. */
  interrupted(session: ResultSession): void;
  /** The sets of a database were loaded. */
  loaded(): void;
}

export class SessionRegistry {
  readonly leases: Leases;
  readonly sorted: SortedRows;
  readonly generations: Generations;
  readonly #ctx: Context;
  readonly #hooks: Hooks;
  readonly #sessions = new Map<string, ResultSession>();
  /** Sets that were being fetched when the database was replaced; they resume if the new one has them. */
  readonly #interrupted = new Set<string>();
  #nextN = 1;
  #turns = 0;
  #loading: Promise<void> | null = null;
  /** Fetches of the previous database: the new one is not read until they have ended. */
  #ending: Promise<unknown> = Promise.resolve();
  #storage = 0;

  constructor(ctx: Context, hooks: Hooks) {
    this.#ctx = ctx;
    this.#hooks = hooks;
    this.leases = createLeases(
      () => ctx.cache,
      async (n) => {
        ctx.cache.forget(n);
        await ctx.cache.write(dropStatements([{ n }], this.sorted.forget(n)));
      },
    );
    this.sorted = new SortedRows(() => ctx.cache, ctx.ports, this.leases);
    this.generations = {
      next: () => this.#nextN++,
      retire: (n) => {
        this.sorted.abandon(n, true);
        this.leases.retire(n).catch(this.#warn('replaced rows could not be removed before the next start'));
      },
    };
    ctx.onStorage(() => {
      this.#storage++;
      const sessions = this.all();
      for (const { fetcher, record } of sessions) if (fetcher !== null) this.#interrupted.add(record.id);
      this.#ending = Promise.all([this.#ending, ...sessions.map(({ fetcher }) => fetcher?.stop('closed'))]);
      this.#sessions.clear();
      this.leases.reset();
      this.#loading = null;
      this.readySoon();
    });
  }

  /** Counts the replacements of the database: work started in one must not end in another. */
  get storage(): number {
    return this.#storage;
  }

  get isLoading(): boolean {
    return this.#loading !== null;
  }

  nextTurn(): number {
    return ++this.#turns;
  }

  /** Resolves when the sets of the database are loaded. */
  ready(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  readySoon(): void {
    const warn = this.#warn('the results of earlier runs could not be read');
    void this.ready().catch((error: unknown) => {
      // The run ended before it had read them, for example because its port was taken.
      if (toBridgeError(error).code !== 'cancelled') warn(error);
    });
  }

  all(): ResultSession[] {
    return [...this.#sessions.values()];
  }

  records(): SetRecord[] {
    return this.all().map(({ record }) => record);
  }

  get(id: string): ResultSession | undefined {
    return this.#sessions.get(id);
  }

  /** Synchronous after `ready`, so nothing can remove the set in between. Throws `not-cached`. */
  require(id: string): ResultSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw gone();
    return session;
  }

  /** Rejects `not-cached`, and while the set's connection is being changed to another service or account. */
  async find(id: string): Promise<ResultSession> {
    await this.ready();
    const session = this.require(id);
    this.#ctx.generations.mark(session.record.connectionId);
    return session;
  }

  /** The latest run of a question, or null if there is none. */
  current(key: string): ResultSession | null {
    return this.all().find(({ record }) => record.key === key && record.supersededAt === null) ?? null;
  }

  add(record: SetRecord): ResultSession {
    const session = createSession(record, this.#ctx.ports.ticks, () => {
      if (this.has(session)) this.#ctx.publish({ type: 'result', result: this.show(record, 'network') });
    });
    this.#sessions.set(record.id, session);
    return session;
  }

  has(session: ResultSession): boolean {
    return this.#sessions.get(session.record.id) === session;
  }

  isOffline(connectionId: string): boolean {
    return this.#ctx.upstream.isOffline(connectionId);
  }

  /** The set as the bridge shows it. */
  show(record: SetRecord, source: ResultSet['freshness']['source']): ResultSet {
    const rate = this.#sessions.get(record.id)?.rate.now ?? null;
    return describeSet(record, source, this.isOffline(record.connectionId), rate);
  }

  /** Replaced runs and comparisons beyond the limit, replaced longer than `ms` ago. */
  evictable(ms: number): ResultSession[] {
    const ids = evictableRuns(this.records(), this.#ctx.ports.now(), ms);
    return this.all().filter(({ record }) => ids.has(record.id));
  }

  /** Removes unreferenced sets with their rows; returns how many. */
  async drop(which: readonly ResultSession[]): Promise<number> {
    const free = which.filter((session) => session.references === 0 && this.has(session));
    for (const { record } of free) this.#sessions.delete(record.id);
    for (const session of free) {
      session.changed.cancel();
      await session.fetcher?.stop('replaced');
      for (const watcher of session.watchers) watcher();
    }
    if (free.length === 0) return 0;
    const records = free.map(({ record }) => record);
    try {
      await this.#ctx.cache.write([
        ...records.flatMap((record) => (record.pageScan === null ? [] : endScanStatements(record))),
        { sql: 'DELETE FROM result_sets WHERE id = ?', many: records.map(({ id }) => [id]) },
      ]);
    } catch (error) {
      // Removal failed: they stay available.
      for (const session of free)
        if (!this.#sessions.has(session.record.id)) this.#sessions.set(session.record.id, session);
      throw error;
    }
    // Pages being read finish first; unfinished sort indexes are abandoned.
    for (const { n } of records) this.sorted.abandon(n);
    await Promise.all(records.map(({ n }) => this.leases.retire(n)));
    this.#ctx.cacheChanged();
    return free.length;
  }

  /** Loads the sets of the cache. Those recorded as being fetched were interrupted. */
  async #load(): Promise<void> {
    const storage = this.#storage;
    await this.#ending;
    const db = this.#ctx.cache.bound();
    await this.sorted.reset();
    await db.write(await orphanStatements(db));
    const records = await readRecords(db);
    const unfinished = records.filter(({ origin, state }) => origin !== null && state === 'filling');
    await db.write(dropStatements(unfinished, []));
    const finished = records.filter((record) => !unfinished.includes(record));
    for (const record of finished) {
      if (record.state === 'filling') await change(db, record, standingOf(record, 'closed'));
      this.#turns = Math.max(this.#turns, record.turn);
    }
    if (storage !== this.#storage) throw replaced();
    this.#nextN = Math.max(this.#nextN, 1 + Math.max(0, ...records.map(({ n }) => n)));
    // A set opened meanwhile is registered already, and being fetched.
    for (const record of finished) if (!this.#sessions.has(record.id)) this.add(record);
    await this.drop(this.evictable(0));
    for (const session of this.all())
      if (this.#interrupted.delete(session.record.id) && session.record.stop === 'closed')
        this.#hooks.interrupted(session);
    this.#interrupted.clear();
    this.#hooks.loaded();
  }

  #warn(what: string): (error: unknown) => void {
    return (error) => this.#ctx.ports.log.warn(what, { reason: String(error) });
  }
}
