/**
 * Local orders over result sets. The first rows of a new sort or filter come by top-N at once; behind them a rank
 * table (rank → position) is built, and paging goes by rank from then on (measured: docs/performance.md).
 */
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Cell, Sort } from '#shared/model/entities.ts';
import type { Database, ReadOptions, SqlValue } from '../store/database.ts';
import { decodeRow, selection } from './encode.ts';
import { type LocalQuery, localQuery, termsOf } from './local-query.ts';
import { dropStatements, type SetRecord } from './record.ts';
import { hitsOf, placesOf } from './words.ts';

/** Below this many rows an ORDER BY with OFFSET is as fast as a rank. */
const RANK_FROM = 5_000;
/** From this many rows the readers share a look at all of them. */
const SHARED_FROM = 10_000;
/** Orders kept per set; the one used longest ago goes first. */
const KEPT_PER_SET = 6;
/** While rows still arrive, an order is rebuilt at most this often. */
const REBUILD_MS = 2_000;

export interface View {
  n: number;
  setN: number;
  key: string;
  /** Rows of the set that it covers. */
  loaded: number;
  count: number;
  usedAt: number;
  builtAt: number;
}

export interface HeldView extends View {
  release(): void;
}

export interface Slice {
  rows: Cell[][];
  count: number;
  /** Rows of the set that the answer is over. */
  loaded: number;
}

export interface Views {
  /** Rows from start to end (exclusive) of a local order or filter. */
  slice(
    record: SetRecord,
    start: number,
    end: number,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    signal?: AbortSignal,
  ): Promise<Slice>;
  /** The rank of the whole set as it is now, for walks in order; kept until `release`. */
  hold(
    record: SetRecord,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    /** Only rows with these entity ids. */
    ids?: readonly string[],
  ): Promise<HeldView>;
  /** Numbers of the orders of these sets, and forgets them: their tables go with the sets'. */
  forget(setNs: readonly number[]): number[];
  /** Drops the orders of a set whose rows changed their places. */
  invalidate(setN: number): Promise<void>;
  /** Drops every order: they are remade faster than they are checked. */
  reset(): Promise<void>;
}

export function createViews(db: () => Database, now: () => number): Views {
  const views = new Map<number, View>();
  const held = new Map<number, number>();
  const building = new Map<string, Promise<View>>();
  let nextN = 1;

  const keyOf = (sort: readonly Sort[], filter: LocalFilter | null) =>
    JSON.stringify([sort.map(({ dbId, direction }) => [dbId, direction]), filter]);

  const find = (record: SetRecord, key: string): View | null => {
    let best: View | null = null;
    for (const view of views.values())
      if (view.setN === record.n && view.key === key && (best === null || view.loaded > best.loaded))
        best = view;
    return best;
  };

  const trim = async (setN: number): Promise<void> => {
    const own = [...views.values()].filter((view) => view.setN === setN).sort((a, b) => a.usedAt - b.usedAt);
    const spare = own.slice(0, Math.max(0, own.length - KEPT_PER_SET)).filter((view) => !held.has(view.n));
    if (spare.length === 0) return;
    for (const view of spare) views.delete(view.n);
    await db().write(
      dropStatements(
        [],
        spare.map((view) => view.n),
      ),
    );
  };

  const build = (
    record: SetRecord,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    ids?: readonly string[],
  ): Promise<View> => {
    const key = ids === undefined ? keyOf(sort, filter) : `ids:${nextN}`;
    const id = `${record.n}:${record.loaded}:${key}`;
    const under = building.get(id);
    if (under !== undefined) return under;
    const n = nextN++;
    const run = async () => {
      const { loaded } = record;
      const hits = await hitsOf(db(), record, filter);
      const query = localQuery(record, sort, filter, { now: now(), hits });
      const chosen = ids === undefined ? '' : ' AND r.entity_id IN (SELECT value FROM json_each(@ids))';
      const at = now();
      const [, , inserted] = await db().write([
        { sql: `CREATE TABLE rv_${n} (rank INTEGER PRIMARY KEY, pos INTEGER NOT NULL)` },
        {
          sql: 'INSERT INTO result_views (n, set_n, key, loaded, count, used_at) VALUES (?, ?, ?, ?, 0, ?)',
          params: [n, record.n, key, loaded, at],
        },
        // `+`: rows of a page that arrived meanwhile stay out, so that the count and `loaded` agree.
        {
          sql: `INSERT INTO rv_${n} (pos) SELECT r.pos ${query.from}${query.from.includes(' WHERE ') ? ' AND' : ' WHERE'} +r.pos < @loaded${chosen} ORDER BY ${query.order}`,
          params: { ...query.params, loaded, ...(ids === undefined ? {} : { ids: JSON.stringify(ids) }) },
        },
      ]);
      const view: View = {
        n,
        setN: record.n,
        key,
        loaded,
        count: inserted?.changes ?? 0,
        usedAt: at,
        builtAt: at,
      };
      views.set(n, view);
      await trim(record.n);
      return view;
    };
    const promise = run().finally(() => building.delete(id));
    building.set(id, promise);
    return promise;
  };

  const byRank = async (record: SetRecord, view: View, start: number, end: number, signal?: AbortSignal) => {
    view.usedAt = now();
    const raw = await db().rows(
      `SELECT ${selection(record.columns, 'r')} FROM rv_${view.n} v CROSS JOIN rs_${record.n} r ON r.pos = v.pos
        WHERE v.rank > ? AND v.rank <= ? ORDER BY v.rank`,
      [start, end],
      signal === undefined ? {} : { signal },
    );
    return { rows: decode(record, raw), count: view.count, loaded: view.loaded };
  };

  const decode = (record: SetRecord, raw: SqlValue[][]) => raw.map((row) => decodeRow(record.columns, row));

  /** Rows of an order that has no rank yet, by top-N: each reader looks at its share of the set, then the best of both. */
  const firstRows = async (
    record: SetRecord,
    { from, params, order }: LocalQuery,
    start: number,
    end: number,
    options: ReadOptions,
  ): Promise<SqlValue[][]> => {
    const shares = record.loaded > SHARED_FROM ? 2 : 1;
    const where = `${from}${from.includes(' WHERE ') ? ' AND' : ' WHERE'}`;
    const found = await Promise.all(
      Array.from({ length: shares }, (_, share) =>
        db().rows(
          `SELECT r.pos ${where} r.pos >= @low AND r.pos < @high ORDER BY ${order} LIMIT @take`,
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
    return db().rows(
      `SELECT ${selection(record.columns, 'r')} FROM rs_${record.n} r
        WHERE r.pos IN (SELECT value FROM json_each(@places)) ORDER BY ${order} LIMIT @take OFFSET @skip`,
      { places: JSON.stringify(found.flat().map(([pos]) => pos)), take: end - start, skip: start },
      options,
    );
  };

  /** Words alone, in the set's own order: the search knows the places, no rank is needed. */
  const byWords = async (
    record: SetRecord,
    start: number,
    end: number,
    text: string,
    signal?: AbortSignal,
  ): Promise<Slice> => {
    const { loaded } = record;
    const found = await placesOf(db(), record, text, start, end, signal);
    const raw = await db().rows(
      `SELECT ${selection(record.columns, 'r')} FROM json_each(@places) p CROSS JOIN rs_${record.n} r ON r.pos = p.value ORDER BY p.key`,
      { places: JSON.stringify(found.places) },
      signal === undefined ? {} : { signal },
    );
    return { rows: decode(record, raw), count: found.count, loaded };
  };

  return {
    async slice(record, start, end, sort, filter, signal) {
      const onlyWords =
        sort.length === 0 &&
        filter !== null &&
        filter.condition === undefined &&
        Object.keys(filter.facets).length === 0 &&
        termsOf(filter.text).length > 0;
      if (onlyWords) return byWords(record, start, end, filter.text, signal);
      const view = find(record, keyOf(sort, filter));
      const settled = record.state !== 'filling' || now() - (view?.builtAt ?? 0) < REBUILD_MS;
      if (view !== null && (view.loaded === record.loaded || (settled && record.state === 'filling')))
        return byRank(record, view, start, end, signal);
      const large = record.loaded > RANK_FROM;
      // A filter is counted by building its rank; an order alone is built once its first rows are out.
      const building = large && (filter !== null || start > 0) ? build(record, sort, filter) : null;
      // On the first page nobody may wait for it; a failure shows on the next one, which builds again.
      building?.catch(() => undefined);
      if (building !== null && start > 0) return byRank(record, await building, start, end, signal);
      const { loaded } = record;
      const hits = await hitsOf(db(), record, filter, signal);
      const { from, params, order } = localQuery(record, sort, filter, { now: now(), hits });
      const options = signal === undefined ? {} : { signal };
      const counting =
        filter === null
          ? loaded
          : (building?.then(({ count }) => count) ??
            db()
              .get<{ count: number }>(`SELECT count(*) AS count ${from}`, params, options)
              .then((counted) => counted?.count ?? 0));
      const first = firstRows(record, { from, params, order }, start, end, options);
      if (large && building === null)
        void first.then(() => build(record, sort, filter)).catch(() => undefined);
      const [raw, count] = await Promise.all([first, counting]);
      return { rows: decode(record, raw), count, loaded };
    },

    async hold(record, sort, filter, ids) {
      const known = ids === undefined ? find(record, keyOf(sort, filter)) : null;
      const view =
        known !== null && known.loaded === record.loaded ? known : await build(record, sort, filter, ids);
      held.set(view.n, (held.get(view.n) ?? 0) + 1);
      return {
        ...view,
        release() {
          const count = (held.get(view.n) ?? 1) - 1;
          if (count > 0) held.set(view.n, count);
          else held.delete(view.n);
        },
      };
    },

    forget(setNs) {
      const gone = [...views.values()].filter((view) => setNs.includes(view.setN));
      for (const view of gone) views.delete(view.n);
      return gone.map((view) => view.n);
    },

    async invalidate(setN) {
      const own = [...views.values()].filter((view) => view.setN === setN && !held.has(view.n));
      for (const view of own) views.delete(view.n);
      if (own.length > 0)
        await db().write(
          dropStatements(
            [],
            own.map((view) => view.n),
          ),
        );
    },

    async reset() {
      views.clear();
      held.clear();
      building.clear();
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
