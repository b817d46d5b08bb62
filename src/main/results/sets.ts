/** Result sets: opening, fetching, paging, giving way to newer runs. All access to them goes through this class. */
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
import { startFetch, storePage } from './fetcher.ts';
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
  type RunPayload,
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

/** Rows fetched without being asked: a grid's worth to sort, filter and count on this machine. */
export const AUTO_FETCH = 20_000;
/** A first page up to this many bytes is checked before a set is made of it. */
const CHECKED_UP_TO = 1024 * 1024;
/** A run that a newer one replaced stays at least this long, for whoever still shows it. */
const SUPERSEDED_MS = 2 * 60_000;

/** Codes after which results of an earlier run are still better than none. */
const NO_ANSWER: ReadonlySet<string> = new Set(['offline', 'unreachable', 'timeout', 'tls']);

export interface OpenInput {
  connectionId: string;
  payload: RunPayload;
  columns: ResultColumn[];
  refresh: boolean;
  label?: string | undefined;
}

/** Keeps a set from being removed until it is released. */
export interface SetReference {
  /** The set as it goes on. What is read by row index is read through a lease. */
  record: SetRecord;
  sorted: SortedRows;
  /** Its rows as they lie now, for as long as the lease is kept; of several sets at one moment. */
  lease(): RowLease;
  release(): void;
}

/** All rows of the service are here, and were not all there is. */
const isLackingEvidence = ({ stop }: SetRecord) => stop === 'evidence';

export class ResultSets {
  readonly selections: Selections;
  readonly #ctx: Context;
  readonly #registry: SessionRegistry;
  readonly #limiter: RequestLimiter;
  readonly #pageInOwnOrder: ReturnType<typeof createPages>;
  /** When the rows of a connection were last marked stale, in ticks. */
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

  /** The latest run of a question where that is fresh, or a new one with its first page. */
  async open(input: OpenInput, signal: AbortSignal): Promise<ResultSet> {
    const registry = this.#registry;
    await registry.ready();
    this.#ctx.generations.mark(input.connectionId);
    const key = keyOf(input.connectionId, input.payload, input.columns);
    const known = registry.current(key);
    void registry
      .drop(registry.evictable(SUPERSEDED_MS))
      .catch((error: unknown) =>
        this.#ctx.ports.log.warn('a replaced result set could not be removed', { reason: String(error) }),
      );
    const showCached = async ({ record }: ResultSession) => {
      await change(this.#ctx.cache, record, { usedAt: this.#ctx.ports.now(), turn: registry.nextTurn() });
      return registry.show(record, 'cache');
    };
    if (known !== null && !input.refresh && this.#isFresh(known.record)) {
      const { record } = known;
      if (record.state === 'partial' && record.loaded < AUTO_FETCH && this.#hasMore(record))
        this.#fetchUpTo(known, AUTO_FETCH);
      return showCached(known);
    }
    try {
      return registry.show((await this.#begin(key, input, signal)).record, 'network');
    } catch (error) {
      const code = error instanceof ParapetError ? error.code : null;
      if (code === null || !NO_ANSWER.has(code)) throw error;
      if (known !== null && registry.get(known.record.id) !== undefined) return showCached(known);
      if (code !== 'offline') throw error;
      throw new ParapetError(
        'not-cached',
        'This query has not been run on this machine yet, and Parapet is offline. Go online to run it.',
        { retryable: true },
      );
    }
  }

  /** The service's rows changed: what was fetched before is asked for again when it is next opened. */
  markStale(connectionId: string): void {
    this.#staleAt.set(connectionId, this.#ctx.ports.ticks());
  }

  /** The evidence of a connection is read to its end: sets that ended before it go on. */
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

  /** Rows start to end (exclusive); in the set's own order they are fetched on the way. */
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
          : await withLease(leases.begin(record), (rows) => sorted.count(rows, active, signal));
      return { rows: [], count, loaded };
    }
    if (sort.length === 0 && active === null) return this.#pageInOwnOrder(session, start, end, signal);
    return withLease(leases.begin(record), (rows) => sorted.slice(rows, start, end, sort, active, signal));
  }

  /** The record of a set as it goes on; rejects `not-cached` when it is gone. */
  async record(id: string): Promise<SetRecord> {
    return (await this.#registry.find(id)).record;
  }

  /** Reads rows of a set as they lie now. A set that is removed meanwhile goes when the reading is over. */
  async read<T>(id: string, work: (rows: Rows) => Promise<T>): Promise<T> {
    await this.#registry.ready();
    return withLease(this.#registry.leases.begin(this.#registry.require(id).record), work);
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

  /** Fetches every row; resolves with the set complete, or stopped short with its reason. */
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

  /** Begins a job that fetches every row. */
  async fetchJob(id: string): Promise<Job> {
    const session = await this.#registry.find(id);
    const { record } = session;
    if (!this.#registry.isOffline(record.connectionId)) {
      const running = session.fetcher;
      this.#fetchUpTo(session, null);
      // Stored before anybody is told that it goes on whatever happens.
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
      lease: () => this.#registry.leases.begin(session.record),
      release() {
        if (!isReleased) session.references--;
        isReleased = true;
      },
    };
  }

  async history(connectionId: string, queryKey: string): Promise<OutputOf<'results.history'>['runs']> {
    return historyOf(await this.list(), connectionId, queryKey);
  }

  /** The differences of two runs, as a set of their own. */
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
    // Both at one moment: a fetch may go on meanwhile.
    const baseLease = base.lease();
    const otherLease = other.lease();
    try {
      const n = registry.generations.next();
      const record = await compareRuns(this.#ctx, n, baseLease.record, otherLease.record, columns, signal);
      const session = registry.add(record);
      // Others make room for it, not itself.
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

  /** Is something reading or writing the set? */
  busy(id: string): boolean {
    const session = this.#registry.get(id);
    return session !== undefined && (session.references > 0 || session.fetcher !== null);
  }

  /** Does an export, a selection, a comparison or an action read a set of the connection? */
  inUse(connectionId: string): boolean {
    return this.#registry
      .all()
      .some(({ references, record }) => references > 0 && record.connectionId === connectionId);
  }

  /**
   * The service of a connection is there again; null: Parapet has started, or every one may be. What was being
   * fetched whole and was interrupted goes on.
   */
  wake(connectionId: string | null): void {
    // Those of the database resume when they are read.
    if (!this.#registry.isLoading) this.#registry.readySoon();
    else
      void this.#registry
        .ready()
        .then(() => this.#resume(connectionId))
        .catch(() => undefined);
  }

  /** Removes every table of the cache that none of the sets has, whoever left it. */
  async sweep(): Promise<void> {
    const records = await this.list();
    const kept = new Set([...records.map(({ n }) => n), ...this.#registry.leases.tables()]);
    await this.#ctx.cache.write(await orphanStatements(this.#ctx.cache, kept));
  }

  /** All sets, newest last. */
  async list(): Promise<SetRecord[]> {
    await this.#registry.ready();
    return this.#registry.records();
  }

  /** Removes sets and their rows; what is in use is left. Answers how many went. */
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

  /** Runs a query anew: its set, its first page and the end of the run before it are stored at once, or none of them. */
  async #begin(key: string, input: OpenInput, signal: AbortSignal): Promise<ResultSession> {
    const ctx = this.#ctx;
    const registry = this.#registry;
    const mark = ctx.generations.mark(input.connectionId);
    const coverage = ctx.coverage(input.connectionId);
    const askFirst = () => askPage(ctx, input, null, DEFAULT_PAGE_SIZE, signal, true);
    let bytes = await askFirst();
    // A larger one is checked by the thread that stores it.
    if (bytes.byteLength < CHECKED_UP_TO) readPage(bytes);
    for (;;) {
      await registry.ready();
      if (!ctx.generations.mayKeep(mark)) throw gone();
      const { storage } = registry;
      // A large page was moved to the writer of a database that was replaced.
      if (bytes.byteLength === 0) bytes = await askFirst();
      const at = ctx.ports.now();
      const n = registry.generations.next();
      const record = newRecord(n, key, input.connectionId, input.payload, input.columns, at, {
        label: input.label ?? null,
        coverage,
      });
      record.target = AUTO_FETCH;
      record.turn = registry.nextTurn();
      record.fetchedTick = ctx.ports.ticks();
      const db = ctx.cache.bound();
      try {
        const first = await storePage(ctx, record, bytes, db, [
          ...createStatements(record),
          {
            sql: 'UPDATE result_sets SET superseded_at = ? WHERE key = ? AND superseded_at IS NULL AND id <> ?',
            params: [at, key, record.id],
          },
        ]);
        if (storage !== registry.storage) continue;
        if (!ctx.generations.mayKeep(mark)) {
          await db.write(dropStatements([record], []));
          throw gone();
        }
        this.#supersede(key, at);
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
        // Another database took the place of the one that it was begun in.
        if (storage === registry.storage) throw error;
      }
    }
  }

  #supersede(key: string, at: number): void {
    for (const { record, fetcher } of this.#registry.all())
      if (record.key === key && record.supersededAt === null) {
        record.supersededAt = at;
        void fetcher?.stop('replaced');
      }
  }

  /** Within a run of Parapet by its monotonic clock; a set that was stored with a time in the future is not fresh. */
  #isFresh({ fetchedTick, fetchedAt, connectionId }: SetRecord): boolean {
    const staleAt = this.#staleAt.get(connectionId);
    const age = this.#ctx.ports.now() - fetchedAt;
    if (fetchedTick === null) {
      // Evidence may have changed while nobody looked.
      const isSteady = staleAt === undefined && this.#ctx.coverage(connectionId).version === 0;
      return isSteady && age >= 0 && age < CACHE_TTL_MS;
    }
    if (staleAt !== undefined && fetchedTick <= staleAt) return false;
    // Sleep shows only on the wall clock, and setting the wall clock back only on the monotonic one.
    return Math.max(age, this.#ctx.ports.ticks() - fetchedTick) < CACHE_TTL_MS;
  }

  /** Whether the service has more rows and can be asked for them. */
  #hasMore(record: SetRecord): boolean {
    return goesOn(record) && !this.#registry.isOffline(record.connectionId);
  }

  #mayFetch({ state, origin }: SetRecord): boolean {
    return state !== 'complete' && origin === null && !this.#isStopping;
  }

  /** Begins to fetch what is wanted, if nobody does yet and there is anything left. */
  #fetch(session: ResultSession): void {
    const { record } = session;
    if (!this.#mayFetch(record) || session.fetcher !== null || !this.#registry.has(session)) return;
    const fetcher = startFetch(this.#ctx, record, this.#limiter, {
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
      // More was wanted while it ended because it had enough.
      if (record.stop === 'enough' && isWanted(session)) this.#fetch(session);
    });
  }

  /** The analyst wants rows up to `target`; null: all of them. */
  #fetchUpTo(session: ResultSession, target: number | null): void {
    const { record } = session;
    if (!this.#mayFetch(record)) return;
    record.target = target === null || record.target === null ? null : Math.max(target, record.target);
    this.#fetch(session);
  }

  /** As many rows more as are fetched without being asked. */
  #fetchMore(session: ResultSession): void {
    const { target, loaded, supersededAt } = session.record;
    if (supersededAt === null) this.#fetchUpTo(session, target === null ? null : loaded + AUTO_FETCH);
  }

  /** A fetch of every row goes on by itself: after a crash, a restart, and when the service is there again. */
  #resume(connectionId: string | null): void {
    for (const session of this.#registry.all()) {
      const { record } = session;
      if (connectionId !== null && record.connectionId !== connectionId) continue;
      if (!wasInterrupted(record) || session.fetcher !== null) continue;
      if (!this.#registry.isOffline(record.connectionId)) this.#startFetchJob(session);
    }
  }

  /** The analyst's own fetch of every row. Cancelled, it is no longer wanted by the analyst; by others it may be. */
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

  /** Tells the screens and whoever waits that the set changed. */
  #notify(session: ResultSession): void {
    session.rate.now = session.rate.meter.add(this.#ctx.ports.ticks(), session.record.loaded);
    session.changed.ask();
    for (const watcher of [...session.watchers]) watcher();
  }
}
