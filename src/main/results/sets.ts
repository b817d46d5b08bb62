/** Result sets: opening, filling, paging, giving way to newer runs. Everything that reads or writes them is here. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Job, ResultSet } from '#shared/bridge/operations.ts';
import { CACHE_TTL_MS, DEFAULT_PAGE_SIZE } from '#shared/model/constants.ts';
import type { Context } from '../kernel/context.ts';
import { compareRuns } from './compare.ts';
import { forgetWalk, startFill, storePage } from './fetcher.ts';
import { createLeases, reading } from './leases.ts';
import { activeFilter } from './local-query.ts';
import { askPage, readPage } from './page-request.ts';
import { createPages } from './pages.ts';
import { knownTotal } from './reason.ts';
import { type Generations, settle } from './reconcile.ts';
import {
  createStatements,
  describeSet,
  dropStatements,
  keyOf,
  newRecord,
  orphanStatements,
  readRecords,
  type SetRecord,
} from './record.ts';
import { createLanes, type LaneTuning } from './request-limiter.ts';
import { historyOf, spareRuns } from './runs.ts';
import { createSelections } from './selections.ts';
import { createLive, isWanted, type Live, mayGoOn, startFetchJob, targetOf, tillFilled } from './session.ts';
import { change, goesOn, standingOf, wasInterrupted } from './state.ts';
import type { OpenInput, ResultSets } from './types.ts';
import { createViews } from './views.ts';

/** Rows fetched without being asked: a grid's worth to sort, filter and count on this machine. */
export const AUTO_FILL = 20_000;
/** Bytes of a first page that is checked before anything is made of it. */
const LOOKED_AT = 1024 * 1024;
/** A run that a newer one replaced stays at least this long, for whoever still shows it. */
const SUPERSEDED_MS = 2 * 60_000;
const gone = () =>
  new ParapetError('not-cached', 'These results are no longer on this machine. Run the query again.', {
    retryable: true,
  });

const replaced = () =>
  new ParapetError('cancelled', 'Another database took the place of the one that was read.', {
    retryable: true,
  });

/** Codes after which results of an earlier run are still better than none. */
const NO_ANSWER: ReadonlySet<string> = new Set(['offline', 'unreachable', 'timeout', 'tls']);

export function createResultSets(ctx: Context, tuning?: LaneTuning): ResultSets {
  const lives = new Map<string, Live>();
  const { now, ticks } = ctx.ports;
  /** By connection: when its rows last changed behind the sets' back, in ticks. */
  const outdatedAt = new Map<string, number>();
  const leases = createLeases(
    () => ctx.cache,
    async (n) => {
      ctx.cache.forget(n);
      await ctx.cache.write(dropStatements([{ n }], views.forget(n)));
    },
  );
  const views = createViews(() => ctx.cache, { now, ticks }, leases);
  const lanes = createLanes({ now, ticks }, tuning);
  let nextN = 1;
  let turns = 0;
  let stopping = false;
  let loading: Promise<void> | null = null;
  /** Counts the databases that took each other's place: what began in one of them lands in no other. */
  let storage = 0;
  /** Fillers of the database before: nothing of this one is read while they still end. */
  let ending: Promise<unknown> = Promise.resolve();
  /** Sets that were being fetched then: those that are in the new one go on. */
  const cutOff = new Set<string>();

  /** Reads what the cache holds, once per database: what was being fetched was interrupted. */
  const load = async () => {
    const began = storage;
    await ending;
    const db = ctx.cache.bound();
    await views.reset();
    await db.write(await orphanStatements(db));
    const records = await readRecords(db);
    const unfinished = records.filter(({ origin, state }) => origin !== null && state === 'filling');
    await db.write(dropStatements(unfinished, []));
    const known = records.filter((record) => !unfinished.includes(record));
    for (const record of known) {
      if (record.state === 'filling') await change(db, record, standingOf(record, 'closed'));
      turns = Math.max(turns, record.turn);
    }
    if (began !== storage) throw replaced();
    nextN = Math.max(nextN, 1 + Math.max(0, ...records.map(({ n }) => n)));
    // What was begun since is here already, and is being fetched.
    for (const record of known) if (!lives.has(record.id)) lives.set(record.id, live(record));
    await drop(spare(0));
    for (const entry of lives.values())
      if (cutOff.delete(entry.record.id) && entry.record.stop === 'closed') go(entry);
    cutOff.clear();
    resume(null);
  };
  /** A fetch of every row goes on by itself: after a crash, a restart, and when the service is there again. */
  const resume = (connectionId: string | null) => {
    for (const entry of lives.values()) {
      const { record } = entry;
      if (connectionId !== null && record.connectionId !== connectionId) continue;
      if (wasInterrupted(record) && entry.filler === null && !offline(record.connectionId)) fetchJobOf(entry);
    }
  };
  const ready = (): Promise<void> => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  const readySoon = () =>
    void ready().catch((error: unknown) =>
      ctx.ports.log.warn('the results of earlier runs could not be read', { reason: String(error) }),
    );
  ctx.onStorage(() => {
    storage++;
    for (const { filler, record } of lives.values()) if (filler !== null) cutOff.add(record.id);
    ending = Promise.all([ending, ...[...lives.values()].map(({ filler }) => filler?.stop('closed'))]);
    lives.clear();
    leases.reset();
    loading = null;
    readySoon();
  });

  const live = (record: SetRecord): Live =>
    createLive(record, ticks, () => {
      if (lives.has(record.id)) ctx.publish({ type: 'result', result: show(record, 'network') });
    });

  const offline = (connectionId: string) => ctx.upstream.isOffline(connectionId);
  const show = (record: SetRecord, source: ResultSet['freshness']['source']) =>
    describeSet(record, source, offline(record.connectionId), lives.get(record.id)?.rate.now ?? null);

  const find = async (id: string): Promise<Live> => {
    await ready();
    const found = lives.get(id);
    if (found === undefined) throw gone();
    // Rejects while its connection is becoming another service or account.
    ctx.generations.mark(found.record.connectionId);
    return found;
  };

  const drop = async (which: Live[]): Promise<number> => {
    const free = which.filter((entry) => entry.users === 0 && lives.get(entry.record.id) === entry);
    for (const entry of free) lives.delete(entry.record.id);
    for (const entry of free) {
      entry.news.cancel();
      await entry.filler?.stop('replaced');
      for (const watcher of entry.watchers) watcher();
    }
    if (free.length === 0) return 0;
    const records = free.map(({ record }) => record);
    try {
      await ctx.cache.write([
        ...records.flatMap(forgetWalk),
        { sql: 'DELETE FROM result_sets WHERE id = ?', many: records.map(({ id }) => [id]) },
      ]);
    } catch (error) {
      // Nothing went: they are still to be had.
      for (const entry of free) if (!lives.has(entry.record.id)) lives.set(entry.record.id, entry);
      throw error;
    }
    // A page that is being read ends first; builds of orders do not go on.
    for (const { n } of records) views.abandon(n);
    await Promise.all(records.map(({ n }) => leases.retire(n)));
    ctx.cacheChanged();
    return free.length;
  };

  const recordsOf = () => [...lives.values()].map(({ record }) => record);
  const spare = (ms: number): Live[] => {
    const ids = spareRuns(recordsOf(), now(), ms);
    return [...lives.values()].filter(({ record }) => ids.has(record.id));
  };

  const changed = (entry: Live) => {
    entry.rate.now = entry.rate.meter.add(ticks(), entry.record.loaded);
    entry.news.ask();
    for (const watcher of [...entry.watchers]) watcher();
  };

  const generations: Generations = {
    next: () => nextN++,
    retire(n) {
      views.abandon(n, true);
      leases.retire(n).catch((error: unknown) =>
        ctx.ports.log.warn('rows that were replaced could not be removed before the next start', {
          reason: String(error),
        }),
      );
    },
  };

  /** Begins to fetch what somebody wants, if nobody does yet and there is anything left. */
  const go = (entry: Live): void => {
    const { record } = entry;
    if (record.state === 'complete' || record.origin !== null || stopping || entry.filler !== null) return;
    if (lives.get(record.id) !== entry) return;
    const filler = startFill(ctx, record, lanes, {
      changed: () => changed(entry),
      generations,
      target: () => targetOf(entry),
      ready: () => mayGoOn(entry),
    });
    entry.filler = filler;
    void filler.stopped.then(() => {
      entry.filler = null;
      ctx.cacheChanged();
      changed(entry);
      // More was wanted while it ended because it had enough.
      if (record.stop === 'enough' && isWanted(entry)) go(entry);
    });
  };

  /** The analyst wants rows up to `target`, or all of them. */
  const proceed = (entry: Live, target: number | null): void => {
    const { record } = entry;
    if (record.state === 'complete' || record.origin !== null || stopping) return;
    record.target = target === null || record.target === null ? null : Math.max(target, record.target);
    go(entry);
  };

  /** Is there a place to go on from without being told to, and a way to? */
  const hasMore = (record: SetRecord) => goesOn(record) && !offline(record.connectionId);

  const begin = async (key: string, input: OpenInput, signal: AbortSignal): Promise<Live> => {
    const mark = ctx.generations.mark(input.connectionId);
    const coverage = ctx.coverage(input.connectionId);
    let bytes = await askPage(ctx, input, null, DEFAULT_PAGE_SIZE, signal, true);
    // A larger one is looked at by the thread that stores it.
    if (bytes.byteLength < LOOKED_AT) readPage(bytes);
    for (;;) {
      await ready();
      if (!ctx.generations.mayKeep(mark)) throw gone();
      const began = storage;
      // A large page goes with the database that was to store it.
      if (bytes.byteLength === 0) bytes = await askPage(ctx, input, null, DEFAULT_PAGE_SIZE, signal, true);
      const record = newRecord(nextN++, key, input.connectionId, input.payload, input.columns, now(), {
        label: input.label ?? null,
        coverage,
      });
      record.target = AUTO_FILL;
      record.turn = ++turns;
      record.fetchedTick = ticks();
      const db = ctx.cache.bound();
      const at = now();
      try {
        // The set, its first page and the end of the one before it, or none of them.
        const before = [
          ...createStatements(record),
          {
            sql: 'UPDATE result_sets SET superseded_at = ? WHERE key = ? AND superseded_at IS NULL AND id <> ?',
            params: [at, key, record.id],
          },
        ];
        const first = await storePage(ctx, record, bytes, db, before);
        if (began !== storage) continue;
        if (!ctx.generations.mayKeep(mark)) {
          await db.write(dropStatements([record], []));
          throw gone();
        }
        for (const { record: older, filler } of lives.values())
          if (older.key === key && older.supersededAt === null) {
            older.supersededAt = at;
            void filler?.stop('replaced');
          }
        const entry = live(record);
        lives.set(record.id, entry);
        const ended = record.cursor === null || first.received === 0;
        if (!ended || (await settle(ctx, db, record, generations)) === 'again') go(entry);
        if (lacked(record) && ctx.coverage(record.connectionId).lack === null) goOn(entry);
        changed(entry);
        ctx.cacheChanged();
        return entry;
      } catch (error) {
        // Another database took the place of the one that it was begun in.
        if (began === storage) throw error;
      }
    }
  };

  /** Within the run by the clock that nobody sets; what is stored as fetched in times to come is not fresh. */
  const isFresh = ({ fetchedTick, fetchedAt, connectionId }: SetRecord): boolean => {
    const outdated = outdatedAt.get(connectionId);
    const age = now() - fetchedAt;
    // Evidence may have changed while nobody looked.
    if (fetchedTick === null)
      return (
        outdated === undefined && ctx.coverage(connectionId).version === 0 && age >= 0 && age < CACHE_TTL_MS
      );
    if (outdated !== undefined && fetchedTick <= outdated) return false;
    // A machine that slept has aged by the one, one whose clock was set by the other.
    return Math.max(age, ticks() - fetchedTick) < CACHE_TTL_MS;
  };

  /** All rows of the service are here, and were not all there is. */
  const lacked = ({ stop }: SetRecord) => stop === 'evidence';
  const goOn = (entry: Live) => {
    const { target, loaded, supersededAt } = entry.record;
    if (supersededAt === null) proceed(entry, target === null ? null : loaded + AUTO_FILL);
  };

  const current = (key: string): Live | null =>
    [...lives.values()].find(({ record }) => record.key === key && record.supersededAt === null) ?? null;

  /** Wants every row until it is over; the fetch ends when nobody wants more, and not before. */
  const fetchAll: ResultSets['fetchAll'] = async (id, signal, progress) => {
    const entry = await find(id);
    const want = {};
    entry.wants.add(want);
    try {
      if (!offline(entry.record.connectionId)) go(entry);
      changed(entry);
      return await tillFilled(entry, signal, progress);
    } finally {
      entry.wants.delete(want);
      if (!isWanted(entry)) void entry.filler?.stop('enough');
    }
  };

  /** The analyst's own fetch of every row. Cancelled, it is no longer wanted; by others it may be. */
  const fetchJobOf = (entry: Live): Job =>
    startFetchJob(
      ctx,
      entry,
      async (signal, progress) => {
        if (!offline(entry.record.connectionId)) proceed(entry, null);
        try {
          return await tillFilled(entry, signal, progress);
        } catch (error) {
          if (!stopping && entry.record.state === 'filling') {
            const target = entry.record.loaded;
            await change(ctx.cache, entry.record, { target }).catch(() => undefined);
            entry.record.target = target;
            if (!isWanted(entry)) await entry.filler?.stop('enough');
          }
          throw error;
        }
      },
      () => fetchJob(entry.record.id),
    );
  const fetchJob: ResultSets['fetchJob'] = async (id) => {
    const entry = await find(id);
    const { record } = entry;
    if (!offline(record.connectionId)) {
      const running = entry.filler;
      proceed(entry, null);
      // Stored before anybody is told that it goes on whatever happens.
      if (running === null) await entry.filler?.begun;
      else if (record.origin === null) await change(ctx.cache, record, { target: null });
    }
    return fetchJobOf(entry);
  };

  const pageOf = createPages(ctx, { hasMore, proceed, leases });

  const use: ResultSets['use'] = async (id) => {
    await ready();
    // Found and kept in one step: nothing removes it in between.
    const entry = lives.get(id);
    if (entry === undefined) throw gone();
    entry.users++;
    let released = false;
    return {
      record: entry.record,
      views,
      lease: () => leases.begin(entry.record),
      release() {
        if (!released) entry.users--;
        released = true;
      },
    };
  };
  const selections = createSelections(ctx, use);

  return {
    async open(input, signal) {
      await ready();
      ctx.generations.mark(input.connectionId);
      const key = keyOf(input.connectionId, input.payload, input.columns);
      const known = current(key);
      void drop(spare(SUPERSEDED_MS)).catch((error: unknown) =>
        ctx.ports.log.warn('a replaced result set could not be removed', { reason: String(error) }),
      );
      const serve = async (entry: Live) => {
        await change(ctx.cache, entry.record, { usedAt: now(), turn: ++turns });
        return show(entry.record, 'cache');
      };
      if (known !== null && !input.refresh && isFresh(known.record)) {
        const { record } = known;
        if (record.state === 'partial' && record.loaded < AUTO_FILL && hasMore(record))
          proceed(known, AUTO_FILL);
        return serve(known);
      }
      try {
        return show((await begin(key, input, signal)).record, 'network');
      } catch (error) {
        const code = error instanceof ParapetError ? error.code : null;
        if (code === null || !NO_ANSWER.has(code)) throw error;
        if (known !== null && lives.has(known.record.id)) return serve(known);
        if (code !== 'offline') throw error;
        throw new ParapetError(
          'not-cached',
          'This query has not been run on this machine yet, and Parapet is offline. Go online to run it.',
          { retryable: true },
        );
      }
    },

    recheck(connectionId) {
      for (const entry of lives.values())
        if (entry.record.connectionId === connectionId && lacked(entry.record)) goOn(entry);
    },

    outdate(connectionId) {
      outdatedAt.set(connectionId, ticks());
    },

    async get(id) {
      await ready();
      const entry = lives.get(id);
      return entry === undefined ? null : show(entry.record, entry.filler === null ? 'cache' : 'network');
    },

    async page(id, start, end, sort, filter, signal) {
      const entry = await find(id);
      const { record } = entry;
      const active = activeFilter(filter);
      if (end <= start) {
        const { loaded } = record;
        const count =
          active === null
            ? knownTotal(record)
            : await reading(leases.begin(record), (rows) => views.count(rows, active, signal));
        return { rows: [], count, loaded };
      }
      if (sort.length > 0 || active !== null)
        return reading(leases.begin(record), (rows) => views.slice(rows, start, end, sort, active, signal));
      return pageOf(entry, start, end, signal);
    },

    record: async (id) => (await find(id)).record,

    async read(id, work) {
      await ready();
      const entry = lives.get(id);
      if (entry === undefined) throw gone();
      return reading(leases.begin(entry.record), work);
    },

    async fill(id, action, pageSize) {
      const entry = await find(id);
      const { record } = entry;
      if (pageSize !== undefined) record.pageSize = pageSize;
      if (action === 'pause') {
        await entry.filler?.stop('paused');
      } else if (action === 'cancel') {
        await entry.filler?.stop('stopped');
        if (record.state === 'paused') {
          await change(ctx.cache, record, standingOf(record, 'stopped'));
          changed(entry);
        }
      } else if (offline(record.connectionId)) {
        throw new ParapetError('offline', 'Parapet is offline: go online to fetch more rows.', {
          retryable: true,
        });
      } else if (action === 'all') {
        if (entry.job === null || entry.filler === null) await fetchJob(id);
      } else {
        proceed(entry, record.target === null ? null : record.loaded + AUTO_FILL);
      }
      return show(record, 'network');
    },

    fetchAll,
    fetchJob,

    use,
    selections,

    async history(connectionId, queryKey) {
      await ready();
      return historyOf(recordsOf(), connectionId, queryKey);
    },

    async compare(baseId, otherId, columns, signal) {
      const base = await use(baseId);
      const other = await use(otherId).catch((error: unknown) => {
        base.release();
        throw error;
      });
      // Both at one moment: a fetch may go on meanwhile.
      const leased = [base.lease(), other.lease()] as const;
      try {
        const runs = leased.map((lease) => lease.record);
        const record = await compareRuns(ctx, nextN++, runs[0]!, runs[1]!, columns, signal);
        const entry = live(record);
        lives.set(record.id, entry);
        // It makes room for itself, not of itself.
        entry.users++;
        try {
          await drop(spare(0));
        } finally {
          entry.users--;
        }
        ctx.cacheChanged();
        return show(record, 'cache');
      } finally {
        for (const held of [...leased, base, other]) held.release();
      }
    },

    async pin(id, pinned) {
      const { record } = await find(id);
      await change(ctx.cache, record, { pinned });
      ctx.publish({ type: 'result', result: show(record, 'cache') });
    },

    busy(id) {
      const entry = lives.get(id);
      return entry !== undefined && (entry.users > 0 || entry.filler !== null);
    },

    inUse: (connectionId) =>
      [...lives.values()].some(({ users, record }) => users > 0 && record.connectionId === connectionId),

    wake(connectionId) {
      if (loading === null) readySoon();
      else void loading.then(() => resume(connectionId)).catch(() => undefined);
    },

    async sweep() {
      await ready();
      const kept = new Set([...recordsOf().map(({ n }) => n), ...leases.kept()]);
      await ctx.cache.write(await orphanStatements(ctx.cache, kept));
    },

    async list() {
      await ready();
      return recordsOf();
    },

    async remove(which) {
      await ready();
      for (const record of recordsOf()) if (which(record)) selections.forget(record.id);
      return drop([...lives.values()].filter(({ record }) => which(record)));
    },

    async stop() {
      stopping = true;
      await Promise.all([...lives.values()].map(({ filler }) => filler?.stop('closed')));
      for (const { news } of lives.values()) news.cancel();
    },
  };
}

export type { ResultSets } from './types.ts';
