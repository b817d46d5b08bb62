/** Result sets: opening, filling, paging, giving way to newer runs. Everything that reads or writes them is here. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Job, ResultSet } from '#shared/bridge/operations.ts';
import { CACHE_TTL_MS, DEFAULT_PAGE_SIZE } from '#shared/model/constants.ts';
import type { Context } from '../core/context.ts';
import { compareRuns } from './compare.ts';
import { forgetWalk, startFill, storePage } from './fill.ts';
import { createLanes, type LaneTuning } from './lane.ts';
import { createLeases, reading } from './leases.ts';
import {
  CLOSED,
  closedReason,
  createLive,
  type Live,
  PAUSED,
  startFetchJob,
  stoppedReason,
  tillFilled,
  wasInterrupted,
} from './live.ts';
import { activeFilter } from './local-query.ts';
import { askPage, readPage } from './page-ask.ts';
import { createPages } from './pages.ts';
import {
  createStatements,
  describeSet,
  dropStatements,
  keyOf,
  newRecord,
  orphanStatements,
  readRecords,
  type SetRecord,
  saveStatement,
} from './record.ts';
import { historyOf, spareRuns } from './runs.ts';
import { createSelections } from './selections.ts';
import { type Generations, settle } from './settle.ts';
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

/** Codes after which results of an earlier run are still better than none. */
const NO_ANSWER: ReadonlySet<string> = new Set(['offline', 'unreachable', 'timeout', 'tls']);

export function createResultSets(ctx: Context, tuning?: LaneTuning): ResultSets {
  const lives = new Map<string, Live>();
  /** By connection: when its rows last changed behind the sets' back. */
  const outdatedAt = new Map<string, number>();
  const leases = createLeases(
    () => ctx.cache,
    async (n) => {
      ctx.cache.forget(n);
      await ctx.cache.write(dropStatements([{ n }], views.forget(n)));
    },
  );
  const views = createViews(() => ctx.cache, ctx.ports.now, leases);
  const lanes = createLanes(ctx.ports.now, tuning);
  let nextN = 1;
  let stopping = false;
  let loading: Promise<void> | null = null;

  /** Reads what the cache holds, once per database: fills that were under way are partial now. */
  const load = async () => {
    await views.reset();
    await ctx.cache.write(await orphanStatements(ctx.cache));
    for (const record of await readRecords(ctx.cache)) {
      nextN = Math.max(nextN, record.n + 1);
      if (record.state === 'filling') {
        record.state = 'partial';
        record.reason = closedReason(record);
        await ctx.cache.write([saveStatement(record)]);
      }
      lives.set(record.id, live(record));
    }
    await drop(spare(0));
    for (const entry of lives.values()) if (wasInterrupted(entry.record)) resume(entry);
  };
  /** A fetch of every row goes on by itself after a crash or a restart. */
  const resume = (entry: Live) => {
    if (!offline(entry.record.connectionId)) entry.job = Promise.resolve(fetchJobOf(entry));
  };
  const ready = (): Promise<void> => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  ctx.onStorage(() => {
    for (const { filler } of lives.values()) void filler?.stop('partial', CLOSED);
    lives.clear();
    leases.reset();
    loading = null;
  });

  const live = (record: SetRecord): Live =>
    createLive(record, ctx.ports.now, () => {
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
      await entry.filler?.stop('partial', null);
      for (const watcher of entry.watchers) watcher();
    }
    if (free.length === 0) return 0;
    const records = free.map(({ record }) => record);
    await ctx.cache.write(records.flatMap(forgetWalk));
    // A page that is being read ends first; builds of orders do not go on.
    for (const { n } of records) views.abandon(n);
    await Promise.all(records.map(({ n }) => leases.retire(n)));
    ctx.cacheChanged();
    return free.length;
  };

  const recordsOf = () => [...lives.values()].map(({ record }) => record);
  const spare = (ms: number): Live[] => {
    const ids = spareRuns(recordsOf(), ctx.ports.now(), ms);
    return [...lives.values()].filter(({ record }) => ids.has(record.id));
  };

  const changed = (entry: Live) => {
    entry.rate.now = entry.rate.meter.add(ctx.ports.now(), entry.record.loaded);
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

  /** Goes on fetching up to `target` rows; nothing happens when it runs, or nothing is left. */
  const proceed = (entry: Live, target: number | null): void => {
    const { record } = entry;
    if (record.state === 'complete' || record.origin !== null || stopping) return;
    record.target = target === null || record.target === null ? target : Math.max(target, record.target);
    if (entry.filler !== null) return;
    entry.filler = startFill(ctx, record, lanes, {
      changed: () => changed(entry),
      generations,
      ready: async () => {
        for (const gate of [...entry.gates]) await gate().catch(() => undefined);
      },
    });
    void entry.filler.stopped.then(() => {
      entry.filler = null;
      ctx.cacheChanged();
      changed(entry);
    });
  };

  /** Is there a place to go on from, and a way to? A run that reached the service's end has none. */
  const hasMore = (record: SetRecord) =>
    record.state !== 'complete' &&
    (record.cursor !== null || record.matching) &&
    !offline(record.connectionId);

  const supersede = (key: string, now: number): Live[] =>
    [...lives.values()].filter(({ record }) => {
      if (record.key !== key || record.supersededAt !== null) return false;
      record.supersededAt = now;
      return true;
    });

  const begin = async (key: string, input: OpenInput, signal: AbortSignal): Promise<Live> => {
    const mark = ctx.generations.mark(input.connectionId);
    const coverage = ctx.coverage(input.connectionId);
    const bytes = await askPage(ctx, input, null, DEFAULT_PAGE_SIZE, signal, true);
    // A larger one is looked at by the thread that stores it.
    if (bytes.byteLength < LOOKED_AT) readPage(bytes);
    await ready();
    if (!ctx.generations.mayKeep(mark)) throw gone();
    const record = newRecord(
      nextN++,
      key,
      input.connectionId,
      input.payload,
      input.columns,
      ctx.ports.now(),
      { label: input.label ?? null, coverage },
    );
    record.target = AUTO_FILL;
    await ctx.cache.write(createStatements(record));
    const first = await storePage(ctx, record, bytes);
    const older = supersede(key, ctx.ports.now());
    await ctx.cache.write([record, ...older.map((entry) => entry.record)].map(saveStatement));
    const entry = live(record);
    lives.set(record.id, entry);
    for (const old of older) void old.filler?.stop('paused', null);
    if (record.cursor === null || first.received === 0) await settle(ctx, record, generations);
    else proceed(entry, AUTO_FILL);
    if (lacked(record) && ctx.coverage(record.connectionId).lack === null) goOn(entry);
    changed(entry);
    ctx.cacheChanged();
    return entry;
  };

  /** All rows of the service are here, and were not all there is. */
  const lacked = ({ state, coverage, cursor, matching }: SetRecord) =>
    state === 'partial' && cursor === null && !matching && (coverage?.version ?? 0) !== 0;
  const goOn = (entry: Live) => {
    const { target, loaded, supersededAt } = entry.record;
    if (supersededAt === null) proceed(entry, target === null ? null : loaded + AUTO_FILL);
  };

  const current = (key: string): Live | null =>
    [...lives.values()].find(({ record }) => record.key === key && record.supersededAt === null) ?? null;

  const fetchRest = async (entry: Live, signal: AbortSignal, progress: (record: SetRecord) => void) => {
    if (!offline(entry.record.connectionId)) proceed(entry, null);
    return tillFilled(entry, signal, progress);
  };
  const fetchJobOf = (entry: Live): Job =>
    startFetchJob(
      ctx,
      entry,
      (signal, progress) => fetchRest(entry, signal, progress),
      () => fetchJob(entry.record.id),
    );
  const fetchJob: ResultSets['fetchJob'] = async (id) => fetchJobOf(await find(id));

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
      const now = ctx.ports.now();
      void drop(spare(SUPERSEDED_MS)).catch((error: unknown) =>
        ctx.ports.log.warn('a replaced result set could not be removed', { reason: String(error) }),
      );
      const serve = async (entry: Live) => {
        entry.record.usedAt = ctx.ports.now();
        await ctx.cache.write([saveStatement(entry.record)]);
        return show(entry.record, 'cache');
      };
      const outdated = (record: SetRecord) =>
        record.fetchedAt <= (outdatedAt.get(record.connectionId) ?? Number.NEGATIVE_INFINITY);
      if (
        known !== null &&
        !input.refresh &&
        now - known.record.fetchedAt < CACHE_TTL_MS &&
        !outdated(known.record)
      ) {
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
      outdatedAt.set(connectionId, ctx.ports.now());
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
            ? record.total
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
        await entry.filler?.stop('paused', PAUSED);
      } else if (action === 'cancel') {
        await entry.filler?.stop('partial', stoppedReason(record));
        if (record.state === 'paused') {
          Object.assign(record, { state: 'partial' as const, reason: stoppedReason(record) });
          await ctx.cache.write([saveStatement(record)]);
          changed(entry);
        }
      } else if (offline(record.connectionId)) {
        throw new ParapetError('offline', 'Parapet is offline: go online to fetch more rows.', {
          retryable: true,
        });
      } else if (action === 'all') {
        const job = entry.job === null ? null : await entry.job;
        if (job === null || entry.filler === null) entry.job = fetchJob(id);
        await entry.job;
      } else {
        proceed(entry, record.target === null ? null : record.loaded + AUTO_FILL);
      }
      return show(record, 'network');
    },

    fetchAll: async (id, signal, progress) => fetchRest(await find(id), signal, progress),
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
      record.pinned = pinned;
      await ctx.cache.write([saveStatement(record)]);
      ctx.publish({ type: 'result', result: show(record, 'cache') });
    },

    busy(id) {
      const entry = lives.get(id);
      return entry !== undefined && (entry.users > 0 || entry.filler !== null);
    },

    inUse: (connectionId) =>
      [...lives.values()].some(({ users, record }) => users > 0 && record.connectionId === connectionId),

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
      await Promise.all([...lives.values()].map(({ filler }) => filler?.stop('partial', CLOSED)));
      for (const { news } of lives.values()) news.cancel();
    },
  };
}

export type { ResultSets } from './types.ts';
