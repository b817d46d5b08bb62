/**
 * Local orders over result sets. The first rows of a new sort or filter come by top-N at once; behind them a rank
 * table (rank → position) is built, and paging goes by rank from then on (measured: docs/performance.md).
 */
import { cancelled } from '#shared/bridge/errors.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Cell, Sort } from '#shared/model/entities.ts';
import { asShown } from '#shared/model/exact-numbers.ts';
import type { ReadOptions, SqlValue } from '../store/database.ts';
import type { ResultStore } from '../store/tasks.ts';
import { askColumns, candidateRows, countHits, searchRows } from './columnar/client.ts';
import { decodeRow, selection } from './encode.ts';
import type { Leases, Rows } from './leases.ts';
import { type LocalQuery, localQuery, narrowed, termsOf } from './local-query.ts';
import { dropStatements, type SetRecord } from './record.ts';
import { type Build, buildRank, type Chosen, type View, waitFor } from './sort-index.ts';

/** Below this many rows an ORDER BY with OFFSET is as fast as a rank. */
const RANK_FROM = 5_000;
/** From this many rows the readers share a look at all of them. */
const SHARED_FROM = 10_000;
/** Orders kept per set; the one used longest ago goes first. */
const KEPT_PER_SET = 6;
/** While rows still arrive, an order is rebuilt at most this often. */
const REBUILD_MS = 2_000;

export interface HeldView extends View {
  release(): void;
}

export interface Slice {
  rows: Cell[][];
  count: number;
  /** Rows of the set that the answer is over. */
  loaded: number;
  /** `count` is how many were found so far: `count` of the views tells all. */
  counting?: boolean;
}

/** Everything here reads leased rows; the lease is the caller's, and outlasts the call. */
export interface Views {
  /** Rows from start to end (exclusive) of a local order or filter. */
  slice(
    rows: Rows,
    start: number,
    end: number,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    signal?: AbortSignal,
  ): Promise<Slice>;
  /** Rows that match a filter, exactly. */
  count(rows: Rows, filter: LocalFilter, signal?: AbortSignal): Promise<number>;
  /** The rank of the leased rows, for walks in order; kept until `release`. */
  hold(
    rows: Rows,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    chosen?: Chosen,
    signal?: AbortSignal,
  ): Promise<HeldView>;
  /** The same, where it is there already. */
  held(rows: Rows, sort: readonly Sort[]): HeldView | null;
  /** Ends the builds over these rows: all of them, or those that nobody waits for. */
  abandon(setN: number, idle?: boolean): void;
  /** Numbers of the orders of these rows, and forgets them: their tables go with the rows'. */
  forget(setN: number): number[];
  /** Drops every order: they are remade faster than they are checked. */
  reset(): Promise<void>;
}

/** `ticks`: of a clock that nobody sets, for what was used or built last; `now`: for words like "yesterday". */
export function createViews(
  db: () => ResultStore,
  { now, ticks }: { now: () => number; ticks: () => number },
  leases: Pick<Leases, 'share'>,
): Views {
  const views = new Map<number, View>();
  const held = new Map<number, number>();
  const building = new Map<string, Build>();
  let nextN = 1;

  const keyOf = (sort: readonly Sort[], filter: LocalFilter | null) =>
    JSON.stringify([sort.map(({ dbId, direction }) => [dbId, direction]), filter]);

  const buildId = ({ n, loaded }: SetRecord, key: string) => `${n}:${loaded}:${key}`;

  const find = (record: SetRecord, key: string): View | null => {
    let best: View | null = null;
    for (const view of views.values())
      if (view.setN === record.n && view.key === key && (best === null || view.loaded > best.loaded))
        best = view;
    return best;
  };

  /** The same, of all rows that are here. */
  const findWhole = (record: SetRecord, key: string): View | null => {
    const known = find(record, key);
    return known?.loaded === record.loaded ? known : null;
  };

  const trim = async ({ record, db }: Rows): Promise<void> => {
    const own = [...views.values()]
      .filter((view) => view.setN === record.n)
      .sort((a, b) => a.usedAt - b.usedAt);
    const spare = own.slice(0, Math.max(0, own.length - KEPT_PER_SET)).filter((view) => !held.has(view.n));
    if (spare.length === 0) return;
    for (const view of spare) views.delete(view.n);
    await db.write(
      dropStatements(
        [],
        spare.map((view) => view.n),
      ),
    );
  };

  /** Tells the builds of a set to stop: all of them, or those that nobody waits for. */
  const stopBuilds = (setN: number, reason: Error, idle = false) => {
    for (const [id, build] of building) {
      if (build.setN !== setN || (idle && build.waiters > 0)) continue;
      building.delete(id);
      build.control.abort(reason);
    }
  };

  const build = (
    rows: Rows,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    { chosen, behind = false }: { chosen?: Chosen | undefined; behind?: boolean } = {},
  ): Build => {
    const { record } = rows;
    const n = nextN++;
    const key = chosen === undefined ? keyOf(sort, filter) : `ids:${n}`;
    const id = buildId(record, key);
    const under = building.get(id);
    if (under !== undefined) return under;
    // An order that was left for another before it was built.
    stopBuilds(record.n, cancelled(), true);
    const urgency = behind ? 'later' : 'normal';
    const made = buildRank(
      { now, ticks },
      { n, key, rows: leases.share(rows), sort, filter, chosen, urgency },
    );
    building.set(id, made);
    const over = () => building.get(id) === made && building.delete(id);
    made.done.then((view) => {
      // Told to stop when it was there already.
      if (!over()) return void rows.db.write(dropStatements([], [view.n])).catch(() => undefined);
      views.set(view.n, view);
      trim(rows).catch(() => undefined);
    }, over);
    return made;
  };

  const byRank = async (
    { record, db }: Rows,
    view: View,
    start: number,
    end: number,
    signal?: AbortSignal,
  ) => {
    view.usedAt = ticks();
    const kept = hold(view);
    try {
      const raw = await db.rows(
        `SELECT ${selection(record.columns, 'r')} FROM rv_${view.n} v CROSS JOIN rs_${record.n} r ON r.pos = v.pos
          WHERE v.rank > ? AND v.rank <= ? ORDER BY v.rank`,
        [start, end],
        { signal, urgency: 'now' },
      );
      return { rows: decode(record, raw), count: view.count, loaded: view.loaded };
    } finally {
      kept.release();
    }
  };

  const byPlaces = async (
    { record, db }: Rows,
    places: ArrayLike<number> & Iterable<number>,
    signal?: AbortSignal,
  ): Promise<Cell[][]> => {
    if (places.length === 0) return [];
    const raw = await db.rows(
      `SELECT ${selection(record.columns, 'r')} FROM json_each(@places) p CROSS JOIN rs_${record.n} r ON r.pos = p.value ORDER BY p.key`,
      { places: `[${[...places].join(',')}]` },
      { signal, urgency: 'now' },
    );
    return decode(record, raw);
  };

  const decode = (record: Readonly<SetRecord>, raw: SqlValue[][]) =>
    raw.map((row) => asShown(decodeRow(record.columns, row)));

  /** Rows of an order that has no rank yet, by top-N: each reader looks at its share of the set, then the best of both. */
  const firstRows = async (
    { record, db }: Rows,
    { from, params, order }: LocalQuery,
    start: number,
    end: number,
    options: ReadOptions,
  ): Promise<SqlValue[][]> => {
    const shares = record.loaded > SHARED_FROM ? 2 : 1;
    const found = await Promise.all(
      Array.from({ length: shares }, (_, share) =>
        db.rows(
          `SELECT r.pos ${narrowed(from, 'r.pos >= @low AND r.pos < @high')} ORDER BY ${order} LIMIT @take`,
          {
            ...params,
            low: Math.floor((record.loaded * share) / shares),
            high: Math.floor((record.loaded * (share + 1)) / shares),
            take: end,
          },
          options,
        ),
      ),
    );
    return db.rows(
      `SELECT ${selection(record.columns, 'r')} FROM rs_${record.n} r
        WHERE r.pos IN (SELECT value FROM json_each(@places)) ORDER BY ${order} LIMIT @take OFFSET @skip`,
      { places: JSON.stringify(found.flat().map(([pos]) => pos)), take: end - start, skip: start },
      options,
    );
  };

  /** Words alone, in the set's own order: the search knows the places, no rank is needed. */
  const byWords = async (
    rows: Rows,
    start: number,
    end: number,
    text: string,
    signal?: AbortSignal,
  ): Promise<Slice> => {
    const { record, db } = rows;
    const { rowIndexes, count, counting } = await searchRows(db, record, text, start, end, signal);
    return { rows: await byPlaces(rows, rowIndexes, signal), count, loaded: record.loaded, counting };
  };

  const asksWords = (filter: LocalFilter | null): filter is LocalFilter =>
    filter !== null &&
    filter.condition === undefined &&
    Object.keys(filter.facets).length === 0 &&
    termsOf(filter.text).length > 0;

  const slice: Views['slice'] = async (rows, start, end, sort, filter, signal) => {
    const { record, db } = rows;
    const { loaded } = record;
    if (sort.length === 0 && asksWords(filter)) return byWords(rows, start, end, filter.text, signal);
    const view = find(record, keyOf(sort, filter));
    const settled =
      record.state !== 'filling' || ticks() - (view?.builtAt ?? Number.NEGATIVE_INFINITY) < REBUILD_MS;
    if (view !== null && (view.loaded === record.loaded || (settled && record.state === 'filling')))
      return byRank(rows, view, start, end, signal);
    const large = record.loaded > RANK_FROM;
    if (large && start > 0) {
      const rank = build(rows, sort, filter);
      const { places } = await waitFor(rank, rank.found, signal);
      const found = await byPlaces(rows, places.subarray(start, end), signal);
      return { rows: found, count: places.length, loaded };
    }
    // An order that was left for this one; its own may be under way already.
    if (!building.has(buildId(record, keyOf(sort, filter)))) stopBuilds(record.n, cancelled(), true);
    const want = { kind: 'rows', start, end } as const;
    const answer = await askColumns(db, record, { sort, filter, want, now: now(), signal });
    if (answer !== null) {
      const found = await byPlaces(rows, answer.rowIndexes, signal);
      if (large) build(rows, sort, filter, { behind: true });
      return { rows: found, count: answer.count, loaded };
    }
    // A filter is counted by building its rank; an order alone is built once its first rows are out.
    const rank = large && filter !== null ? build(rows, sort, filter) : null;
    const counted =
      rank === null ? null : waitFor(rank, rank.found, signal).then(({ places }) => places.length);
    counted?.catch(() => undefined);
    const hits = await candidateRows(db, record, filter, now(), signal);
    const { from, params, order } = localQuery(record, sort, filter, { now: now(), hits });
    const options: ReadOptions = { signal, urgency: 'now' };
    const counting =
      filter === null
        ? loaded
        : (counted ??
          db
            .get<{ count: number }>(`SELECT count(*) AS count ${from}`, params, options)
            .then((found) => found?.count ?? 0));
    const first = firstRows(rows, { from, params, order }, start, end, options);
    if (large && rank === null)
      void first.then(() => build(rows, sort, filter, { behind: true })).catch(() => undefined);
    const [raw, count] = await Promise.all([first, counting]);
    return { rows: decode(record, raw), count, loaded };
  };

  const hold = (view: View): HeldView => {
    held.set(view.n, (held.get(view.n) ?? 0) + 1);
    return {
      ...view,
      release() {
        const count = (held.get(view.n) ?? 1) - 1;
        if (count > 0) held.set(view.n, count);
        else held.delete(view.n);
      },
    };
  };

  return {
    slice,

    async count(rows, filter, signal) {
      if (asksWords(filter)) return countHits(rows.db, rows.record, filter.text, signal);
      return (await slice(rows, 0, 1, [], filter, signal)).count;
    },

    async hold(rows, sort, filter, chosen, signal) {
      const known = chosen === undefined ? findWhole(rows.record, keyOf(sort, filter)) : null;
      if (known !== null) return hold(known);
      const rank = build(rows, sort, filter, { chosen });
      // Held from the moment that it is there: another order may push it out by the time that the caller hears of it.
      const held = rank.done.then(hold);
      try {
        return await waitFor(rank, held, signal);
      } catch (error) {
        void held.then(
          (late) => late.release(),
          () => undefined,
        );
        throw error;
      }
    },

    held(rows, sort) {
      const known = findWhole(rows.record, keyOf(sort, null));
      return known === null ? null : hold(known);
    },

    abandon: (setN, idle = false) => stopBuilds(setN, cancelled(), idle),

    forget(setN) {
      stopBuilds(setN, cancelled());
      const gone = [...views.values()].filter((view) => view.setN === setN);
      for (const view of gone) views.delete(view.n);
      return gone.map((view) => view.n);
    },

    async reset() {
      views.clear();
      held.clear();
      for (const { setN } of building.values()) stopBuilds(setN, cancelled());
      const rows = await db().all<{ n: number }>('SELECT n FROM result_views');
      nextN = Math.max(nextN, 1 + Math.max(0, ...rows.map((row) => row.n)));
      if (rows.length > 0)
        await db().write(
          dropStatements(
            [],
            rows.map((row) => row.n),
          ),
        );
    },
  };
}

export type { View } from './sort-index.ts';
