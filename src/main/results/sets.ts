/** Result sets: opening, fetching, paging, superseding. All access to them goes through this class. */
import type { RunPayload } from '#shared/api/catalogue/queries.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type {
  Job,
  LocalFilter,
  OutputOf,
  ParsedInputOf,
  ResultColumn,
  ResultSet,
} from '#shared/bridge/operations.ts';
import { CACHE_TTL_MS, DEFAULT_PAGE_SIZE } from '#shared/model/constants.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { Context } from '../kernel/context.ts';
import { compareRuns } from './compare.ts';
import { Fetcher, storePage } from './fetcher.ts';
import { type RowLease, type Rows, withLease } from './leases.ts';
import { activeFilter } from './local-query.ts';
import { askPage, readPage } from './page-request.ts';
import { createPages } from './pages.ts';
import { knownTotal } from './reason.ts';
import { reconcile } from './reconcile.ts';
import {
  createStatements,
  dropStatements,
  keyOf,
  newRecord,
  orphanStatements,
  type SetRecord,
} from './record.ts';
import { gone, SessionRegistry } from './registry.ts';
import { type LimiterTuning, RequestLimiter } from './request-limiter.ts';
import { historyOf } from './runs.ts';
import { Selections } from './selections.ts';
import {
  isWanted,
  type ResultSession,
  startFetchJob,
  targetOf,
  untilAllowed,
  untilFetched,
} from './session.ts';
import type { Slice, SortedRows } from './sorted-rows.ts';
import { change, goesOn, standingOf, wasInterrupted } from './state.ts';

/** Rows fetched without being asked: enough for a grid to sort, filter and count locally. */
export const AUTO_FETCH = 20_000;
/** First pages up to this many bytes are validated before a set is created. */
const CHECKED_UP_TO = 1024 * 1024;
/** A superseded run is kept at least this long for screens that still show it. */
const SUPERSEDED_MS = 2 * 60_000;

/** Errors after which an earlier run's results are shown instead. */
const NO_ANSWER: ReadonlySet<string> = new Set(['offline', 'unreachable', 'timeout', 'tls', 'proxy']);

export interface OpenInput {
  connectionId: string;
  payload: RunPayload;
  columns: ResultColumn[];
  refresh: boolean;
  label?: string | undefined;
}

/** Keeps a set from being removed until it is released. */
export interface SetReference {
  /** The live record of the set. Reading by row index needs a lease. */
  record: SetRecord;
  sorted: SortedRows;
  /** The current rows, for as long as the lease is kept; leases of several sets can be taken at the same moment. */
  lease(): RowLease;
  release(): void;
}

/** The service returned all rows, but its evidence was incomplete. */
const isLackingEvidence = ({ stop }: SetRecord) => stop === 'evidence';

export class ResultSets {
  readonly selections: Selections;
  readonly #ctx: Context;
  readonly #registry: SessionRegistry;
  readonly #limiter: RequestLimiter;
  readonly #pageInOwnOrder: ReturnType<typeof createPages>;
  /** When a connection's rows were last marked stale, in ticks. */
  readonly #staleAt = new Map<string, number>();
  #isStopping = false;

  constructor(ctx: Context, tuning?: LimiterTuning) {
    this.#ctx = ctx;
    this.#registry = new SessionRegistry(ctx, {
      interrupted: (session) => this.#fetch(session),
      loaded: () => this.#resume(null),
    });
    this.#limiter = new RequestLimiter(ctx.ports, tuning);
    this.#pageInOwnOrder = createPages(ctx, {
      leases: this.#registry.leases,
      hasMore: (record) => this.#hasMore(record),
      fetchUpTo: (session, target) => this.#fetchUpTo(session, target),
    });
    this.selections = new Selections(ctx, (id) => this.acquire(id));
  }

  /** The latest run of a question if it is fresh, otherwise a new one with its first page. */
  async open(input: OpenInput, signal: AbortSignal): Promise<ResultSet> {
    const registry = this.#registry;
    await registry.ready();
    this.#ctx.generations.mark(input.connectionId);
    const key = keyOf(input.connectionId, input.payload, input.columns);
    const existingRecord = registry.current(key);
    void registry
      .drop(registry.evictable(SUPERSEDED_MS))
      .catch((error: unknown) =>
        this.#ctx.ports.log.warn('a replaced result set could not be removed', { reason: String(error) }),
      );
    const showCached = async ({ record }: ResultSession) => {
      await change(this.#ctx.cache, record, { usedAt: this.#ctx.ports.now(), turn: registry.nextTurn() });
      return registry.show(record, 'cache');
    };
    if (existingRecord !== null && !input.refresh && this.#isFresh(existingRecord.record)) {
      const { record } = existingRecord;
      if (record.state === 'partial' && record.loaded < AUTO_FETCH && this.#hasMore(record))
        this.#fetchUpTo(existingRecord, AUTO_FETCH);
      return showCached(existingRecord);
    }
    try {
      return registry.show((await this.#begin(key, input, signal)).record, 'network');
    } catch (error) {
      const code = error instanceof ParapetError ? error.code : null;
      if (code === null || !NO_ANSWER.has(code)) throw error;
      if (existingRecord !== null && registry.get(existingRecord.record.id) !== undefined)
        return showCached(existingRecord);
      if (code !== 'offline') throw error;
      throw new ParapetError(
        'not-cached',
        'This query has not been run on this machine yet, and Parapet is offline. Go online to run it.',
        { retryable: true },
      );
    }
  }

  /** The service's rows changed: earlier results are fetched again when they are next opened. */
  markStale(connectionId: string): void {
    this.#staleAt.set(connectionId, this.#ctx.ports.ticks());
  }

  /** A connection's evidence was fully read: sets that lacked some of it continue. */
  recheck(connectionId: string): void {
    for (const session of this.#registry.all())
      if (session.record.connectionId === connectionId && isLackingEvidence(session.record))
        this.#fetchMore(session);
  }

  async get(id: string): Promise<ResultSet | null> {
    await this.#registry.ready();
    const session = this.#registry.get(id);
    if (session === undefined) return null;
    return this.#registry.show(session.record, session.fetcher === null ? 'cache' : 'network');
  }

  /** Rows start to end (exclusive); in order of arrival they are fetched on demand. */
  async page(
    id: string,
    start: number,
    end: number,
    sort: readonly Sort[],
    filter: LocalFilter | undefined,
    signal: AbortSignal,
  ): Promise<Slice> {
    const { leases, sorted } = this.#registry;
    const session = await this.#registry.find(id);
    const { record } = session;
    const active = activeFilter(filter);
    if (end <= start) {
      const { loaded } = record;
      const count =
        active === null
          ? knownTotal(record)
          : await withLease(leases.take(record), (rows) => sorted.count(rows, active, signal));
      return { rows: [], count, loaded };
    }
    if (sort.length === 0 && active === null) return this.#pageInOwnOrder(session, start, end, signal);
    return withLease(leases.take(record), (rows) => sorted.slice(rows, start, end, sort, active, signal));
  }

  /** The live record of a set; rejects `not-cached` when it is gone. */
  async record(id: string): Promise<SetRecord> {
    return (await this.#registry.find(id)).record;
  }

  /** Reads the current rows of a set. A set removed meanwhile is deleted after the read. */
  async read<T>(id: string, work: (rows: Rows) => Promise<T>): Promise<T> {
    await this.#registry.ready();
    return withLease(this.#registry.leases.take(this.#registry.require(id).record), work);
  }

  async fill(
    id: string,
    action: ParsedInputOf<'results.fill'>['action'],
    pageSize?: number | null,
  ): Promise<ResultSet> {
    const session = await this.#registry.find(id);
    const { record } = session;
    if (pageSize !== undefined) record.pageSize = pageSize;
    if (action === 'pause') {
      await session.fetcher?.stop('paused');
    } else if (action === 'cancel') {
      await session.fetcher?.stop('stopped');
      if (record.state === 'paused') {
        await change(this.#ctx.cache, record, standingOf(record, 'stopped'));
        this.#notify(session);
      }
    } else if (this.#registry.isOffline(record.connectionId)) {
      throw new ParapetError('offline', 'Parapet is offline: go online to fetch more rows.', {
        retryable: true,
      });
    } else if (action === 'all') {
      if (session.job === null || session.fetcher === null) await this.fetchJob(id);
    } else {
      this.#fetchUpTo(session, record.target === null ? null : record.loaded + AUTO_FETCH);
    }
    return this.#registry.show(record, 'network');
  }

  /** Fetches every row; resolves with the set complete, or stopped early with its reason. */
  async fetchAll(id: string, signal: AbortSignal, progress: (record: SetRecord) => void): Promise<SetRecord> {
    const session = await this.#registry.find(id);
    const demand = {};
    session.demands.add(demand);
    try {
      if (!this.#registry.isOffline(session.record.connectionId)) this.#fetch(session);
      this.#notify(session);
      return await untilFetched(session, signal, progress);
    } finally {
      session.demands.delete(demand);
      if (!isWanted(session)) void session.fetcher?.stop('enough');
    }
  }

  /** Starts a job that fetches every row. */
  async fetchJob(id: string): Promise<Job> {
    const session = await this.#registry.find(id);
    const { record } = session;
    if (!this.#registry.isOffline(record.connectionId)) {
      const running = session.fetcher;
      this.#fetchUpTo(session, null);
      // Stored before the job is reported, so that the fetch resumes whatever happens.
      if (running === null) await session.fetcher?.begun;
      else if (record.origin === null) await change(this.#ctx.cache, record, { target: null });
    }
    return this.#startFetchJob(session);
  }

  async acquire(id: string): Promise<SetReference> {
    await this.#registry.ready();
    const session = this.#registry.require(id);
    session.references++;
    let isReleased = false;
    return {
      record: session.record,
      sorted: this.#registry.sorted,
      lease: () => this.#registry.leases.take(session.record),
      release() {
        if (!isReleased) session.references--;
        isReleased = true;
      },
    };
  }

  async history(connectionId: string, queryKey: string): Promise<OutputOf<'results.history'>['runs']> {
    return historyOf(await this.list(), connectionId, queryKey);
  }

  /** The differences of two runs as a result set. */
  async compare(
    baseId: string,
    otherId: string,
    columns: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<ResultSet> {
    const registry = this.#registry;
    const base = await this.acquire(baseId);
    const other = await this.acquire(otherId).catch((error: unknown) => {
      base.release();
      throw error;
    });
    // Leased at the same moment, since a fetch may be running.
    const baseLease = base.lease();
    const otherLease = other.lease();
    try {
      const n = registry.generations.next();
      const record = await compareRuns(this.#ctx, n, baseLease.record, otherLease.record, columns, signal);
      const session = registry.add(record);
      // Evicting may remove others to make room, but not this one.
      session.references++;
      try {
        await registry.drop(registry.evictable(0));
      } finally {
        session.references--;
      }
      this.#ctx.cacheChanged();
      return registry.show(record, 'cache');
    } finally {
      for (const held of [baseLease, otherLease, base, other]) held.release();
    }
  }

  async pin(id: string, pinned: boolean): Promise<void> {
    const { record } = await this.#registry.find(id);
    await change(this.#ctx.cache, record, { pinned });
    this.#ctx.publish({ type: 'result', result: this.#registry.show(record, 'cache') });
  }

  /** Whether something is reading or writing the set. */
  busy(id: string): boolean {
    const session = this.#registry.get(id);
    return session !== undefined && (session.references > 0 || session.fetcher !== null);
  }

  /** Whether an export, selection, comparison or action reads a set of the connection. */
  inUse(connectionId: string): boolean {
    return this.#registry
      .all()
      .some(({ references, record }) => references > 0 && record.connectionId === connectionId);
  }

  /**
   * The service of a connection is available again, or any may be, as at the start: interrupted fetches of all rows
   * resume.
   */
  wake(connectionId: string | null): void {
    // Sets of the database resume when they are loaded.
    if (!this.#registry.isLoading) this.#registry.readySoon();
    else
      void this.#registry
        .ready()
        .then(() => this.#resume(connectionId))
        .catch(() => undefined);
  }

  /** Call when the machine wakes from sleep. */
  resumed(): void {
    this.#limiter.resumed();
  }

  /** Removes every table of the cache that belongs to none of the sets. */
  async sweep(): Promise<void> {
    const records = await this.list();
    const tables = new Set([...records.map(({ n }) => n), ...this.#registry.leases.tables()]);
    await this.#ctx.cache.write(await orphanStatements(this.#ctx.cache, tables));
  }

  /** All sets, newest last. */
  async list(): Promise<SetRecord[]> {
    await this.#registry.ready();
    return this.#registry.records();
  }

  /** Removes sets and their rows, except those in use. Returns how many. */
  async remove(which: (record: SetRecord) => boolean): Promise<number> {
    await this.#registry.ready();
    for (const record of this.#registry.records()) if (which(record)) this.selections.forget(record.id);
    return this.#registry.drop(this.#registry.all().filter(({ record }) => which(record)));
  }

  /** Stops all fetches; they can be resumed after the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#registry.all().map(({ fetcher }) => fetcher?.stop('closed')));
    for (const { changed } of this.#registry.all()) changed.cancel();
  }

  /** Runs a query: stores its set, its first page and the superseding of the previous run in one transaction. */
  async #begin(key: string, input: OpenInput, signal: AbortSignal): Promise<ResultSession> {
    const ctx = this.#ctx;
    const registry = this.#registry;
    const mark = ctx.generations.mark(input.connectionId);
    const coverage = ctx.coverage(input.connectionId);
    const askFirst = () => askPage(ctx, input, null, DEFAULT_PAGE_SIZE, signal, true);
    let bytes = await askFirst();
    // A larger page is validated by the thread that stores it.
    if (bytes.byteLength < CHECKED_UP_TO) readPage(bytes);
    for (;;) {
      await registry.ready();
      if (!ctx.generations.mayKeep(mark)) throw gone();
      const { storage } = registry;
      // A large page was transferred to the writer of a database that has been replaced.
      if (bytes.byteLength === 0) bytes = await askFirst();
      const now = ctx.ports.now();
      const n = registry.generations.next();
      const record = newRecord({ ...input, n, key, now: now, coverage });
      record.target = AUTO_FETCH;
      record.turn = registry.nextTurn();
      record.fetchedTick = ctx.ports.ticks();
      const db = ctx.cache.bound();
      try {
        const first = await storePage(ctx, record, bytes, db, [
          ...createStatements(record),
          {
            sql: 'UPDATE result_sets SET superseded_at = ? WHERE key = ? AND superseded_at IS NULL AND id <> ?',
            params: [now, key, record.id],
          },
        ]);
        if (storage !== registry.storage) continue;
        if (!ctx.generations.mayKeep(mark)) {
          await db.write(dropStatements([record], []));
          throw gone();
        }
        this.#supersede(key, now);
        const session = registry.add(record);
        const ended = record.cursor === null || first.received === 0;
        if (!ended || (await reconcile(ctx, db, record, registry.generations)) === 'again')
          this.#fetch(session);
        if (isLackingEvidence(record) && ctx.coverage(record.connectionId).lack === null)
          this.#fetchMore(session);
        this.#notify(session);
        ctx.cacheChanged();
        return session;
      } catch (error) {
        // The database was replaced meanwhile.
        if (storage === registry.storage) throw error;
      }
    }
  }

  #supersede(key: string, time: number): void {
    for (const { record, fetcher } of this.#registry.all())
      if (record.key === key && record.supersededAt === null) {
        record.supersededAt = time;
        void fetcher?.stop('replaced');
      }
  }

  /** By the monotonic clock within a run of Parapet; a set stored with a time in the future is not fresh. */
  #isFresh({ fetchedTick, fetchedAt, connectionId }: SetRecord): boolean {
    const staleAt = this.#staleAt.get(connectionId);
    const age = this.#ctx.ports.now() - fetchedAt;
    if (fetchedTick === null) {
      // Evidence may have changed meanwhile.
      const isSteady = staleAt === undefined && this.#ctx.coverage(connectionId).version === 0;
      return isSteady && age >= 0 && age < CACHE_TTL_MS;
    }
    if (staleAt !== undefined && fetchedTick <= staleAt) return false;
    // The monotonic clock stops during sleep, and the wall clock may be set back: the larger age counts.
    return Math.max(age, this.#ctx.ports.ticks() - fetchedTick) < CACHE_TTL_MS;
  }

  /** Whether the service has more rows and can be reached. */
  #hasMore(record: SetRecord): boolean {
    return goesOn(record) && !this.#registry.isOffline(record.connectionId);
  }

  #mayFetch({ state, origin }: SetRecord): boolean {
    return state !== 'complete' && origin === null && !this.#isStopping;
  }

  /** Starts a fetcher unless there is one already or nothing is left to fetch. */
  #fetch(session: ResultSession): void {
    const { record } = session;
    if (!this.#mayFetch(record) || session.fetcher !== null || !this.#registry.has(session)) return;
    const fetcher = new Fetcher(this.#ctx, record, this.#limiter, {
      changed: () => this.#notify(session),
      generations: this.#registry.generations,
      target: () => targetOf(session),
      ready: () => untilAllowed(session),
    });
    session.fetcher = fetcher;
    void fetcher.stopped.then(() => {
      session.fetcher = null;
      this.#ctx.cacheChanged();
      this.#notify(session);
      // More was requested while the fetch was ending because it had enough.
      if (record.stop === 'enough' && isWanted(session)) this.#fetch(session);
    });
  }

  /** The analyst wants rows up to `target`, or null for all of them. */
  #fetchUpTo(session: ResultSession, target: number | null): void {
    const { record } = session;
    if (!this.#mayFetch(record)) return;
    record.target = target === null || record.target === null ? null : Math.max(target, record.target);
    this.#fetch(session);
  }

  /** Raises the target by the number of rows that are fetched unasked. */
  #fetchMore(session: ResultSession): void {
    const { target, loaded, supersededAt } = session.record;
    if (supersededAt === null) this.#fetchUpTo(session, target === null ? null : loaded + AUTO_FETCH);
  }

  /** Resumes fetches of every row: after a crash, a restart, and when the service is available again. */
  #resume(connectionId: string | null): void {
    for (const session of this.#registry.all()) {
      const { record } = session;
      if (connectionId !== null && record.connectionId !== connectionId) continue;
      if (!wasInterrupted(record) || session.fetcher !== null) continue;
      if (!this.#registry.isOffline(record.connectionId)) this.#startFetchJob(session);
    }
  }

  /** The analyst's own fetch of every row. Cancelling it withdraws only the analyst's demand. */
  #startFetchJob(session: ResultSession): Job {
    const { record } = session;
    const work = async (signal: AbortSignal, progress: (record: SetRecord) => void) => {
      if (!this.#registry.isOffline(record.connectionId)) this.#fetchUpTo(session, null);
      try {
        return await untilFetched(session, signal, progress);
      } catch (error) {
        if (!this.#isStopping && record.state === 'filling') {
          const target = record.loaded;
          await change(this.#ctx.cache, record, { target }).catch(() => undefined);
          record.target = target;
          if (!isWanted(session)) await session.fetcher?.stop('enough');
        }
        throw error;
      }
    };
    return startFetchJob(this.#ctx, session, work, () => this.fetchJob(record.id));
  }

  /** Notifies screens and waiters that the set changed. */
  #notify(session: ResultSession): void {
    session.rate.now = session.rate.meter.add(this.#ctx.ports.ticks(), session.record.loaded);
    session.changed.ask();
    for (const watcher of [...session.watchers]) watcher();
  }
}
