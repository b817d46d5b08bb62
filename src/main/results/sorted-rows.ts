/**
 * Rows of result sets in a local order or filter. The first rows of a new order are selected at once; a sort index is
 * built in the background (sort-index.ts), by which later pages are read (measured: docs/adr/0028-measured.md).
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
import { type LocalQuery, localQuery, narrowed, orderOf, termsOf } from './local-query.ts';
import { dropStatements, type SetRecord } from './record.ts';
import { buildSortIndex, type Chosen, type SortIndex, type SortIndexBuild, waitFor } from './sort-index.ts';

/** Up to this many rows, ORDER BY with OFFSET is as fast as a sort index. */
const INDEX_ABOVE = 5_000;
/** Above this many rows two readers share a scan. */
const SHARED_ABOVE = 10_000;
/** Sort indexes per set; the least recently used is dropped first. */
const MAX_PER_SET = 6;
/** While rows still arrive, a sort index is rebuilt at most this often. */
const REBUILD_MS = 2_000;

export interface SortIndexLease extends SortIndex {
  release(): void;
}

export interface Slice {
  rows: Cell[][];
  count: number;
  /** Rows of the set that the answer covers. */
  loaded: number;
  /** `count` is the number found so far; `SortedRows.count` counts all. */
  counting?: boolean;
}

interface Clocks {
  /** Epoch milliseconds, for conditions like "in the last 7 days". */
  now: () => number;
  /** Monotonic, for the order of uses and builds. */
  ticks: () => number;
}

const keyOf = (sort: readonly Sort[], filter: LocalFilter | null) =>
  JSON.stringify([sort.map(({ dbId, direction }) => [dbId, direction]), filter]);
const buildKey = ({ n, loaded }: SetRecord, key: string) => `${n}:${loaded}:${key}`;

const decode = ({ columns }: Readonly<SetRecord>, raw: SqlValue[][]) =>
  raw.map((row) => asShown(decodeRow(columns, row)));

/** A search text and nothing else. */
const isSearch = (filter: LocalFilter | null): filter is LocalFilter =>
  filter !== null &&
  filter.condition === undefined &&
  Object.keys(filter.facets).length === 0 &&
  termsOf(filter.text).length > 0;

/** Every method reads leased rows; the caller's lease must outlast the call. */
export class SortedRows {
  readonly #db: () => ResultStore;
  readonly #clocks: Clocks;
  readonly #leases: Pick<Leases, 'share'>;
  readonly #indexes = new Map<number, SortIndex>();
  readonly #leaseCounts = new Map<number, number>();
  readonly #builds = new Map<string, SortIndexBuild>();
  #nextN = 1;

  constructor(db: () => ResultStore, clocks: Clocks, leases: Pick<Leases, 'share'>) {
    this.#db = db;
    this.#clocks = clocks;
    this.#leases = leases;
  }

  /** Rows start to end (exclusive) of a local order or filter. */
  async slice(
    rows: Rows,
    start: number,
    end: number,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    signal?: AbortSignal,
  ): Promise<Slice> {
    const { record, db } = rows;
    const { loaded } = record;
    // In order of arrival the search itself yields the row indexes: no sort index is needed.
    if (sort.length === 0 && isSearch(filter)) {
      const hits = await searchRows(db, record, filter.text, start, end, signal);
      const page = await this.#byRowIndexes(rows, hits.rowIndexes, signal);
      return { rows: page, count: hits.count, loaded, counting: hits.counting };
    }
    const index = this.#usableIndex(record, keyOf(sort, filter));
    if (index !== null) return this.#byIndex(rows, index, start, end, signal);
    const isLarge = loaded > INDEX_ABOVE;
    if (isLarge && start > 0) {
      const build = this.#build(rows, sort, filter);
      const { rowIndexes } = await waitFor(build, build.sorted, signal);
      const page = await this.#byRowIndexes(rows, rowIndexes.subarray(start, end), signal);
      return { rows: page, count: rowIndexes.length, loaded };
    }
    // The previous order is no longer shown; the build of this one may be running already.
    if (!this.#builds.has(buildKey(record, keyOf(sort, filter))))
      this.#stopBuilds(record.n, cancelled(), true);
    const want = { kind: 'rows', start, end } as const;
    const answer = await askColumns(db, record, { sort, filter, want, now: this.#clocks.now(), signal });
    if (answer === null) return this.#bySql(rows, start, end, sort, filter, signal);
    const foundPage = answer.areCandidates
      ? decode(
          record,
          await sortCandidates(rows, answer.rowIndexes, orderOf(record.columns, sort), start, end, {
            signal,
            urgency: 'now',
          }),
        )
      : await this.#byRowIndexes(rows, answer.rowIndexes, signal);
    if (isLarge) this.#build(rows, sort, filter, { behind: true });
    return { rows: foundPage, count: answer.count, loaded };
  }

  /** The exact number of rows that match a filter. */
  async count(rows: Rows, filter: LocalFilter, signal?: AbortSignal): Promise<number> {
    if (isSearch(filter)) return countHits(rows.db, rows.record, filter.text, signal);
    return (await this.slice(rows, 0, 1, [], filter, signal)).count;
  }

  /** The sort index of the leased rows, built if necessary; kept until `release`. */
  async lease(
    rows: Rows,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    chosen?: Chosen,
    signal?: AbortSignal,
  ): Promise<SortIndexLease> {
    const existingIndex = chosen === undefined ? this.#completeIndex(rows.record, keyOf(sort, filter)) : null;
    if (existingIndex !== null) return this.#lease(existingIndex);
    const build = this.#build(rows, sort, filter, { chosen });
    // Leased as soon as it exists: otherwise another one could evict it before the caller gets it.
    const lease = build.done.then((index) => this.#lease(index));
    try {
      return await waitFor(build, lease, signal);
    } catch (error) {
      void lease.then(
        (late) => late.release(),
        () => undefined,
      );
      throw error;
    }
  }

  /** The same, only if it exists already. */
  leaseExisting(rows: Rows, sort: readonly Sort[]): SortIndexLease | null {
    const index = this.#completeIndex(rows.record, keyOf(sort, null));
    return index === null ? null : this.#lease(index);
  }

  /** Ends the builds over these rows: all of them, or those without waiters. */
  abandon(setN: number, idle = false): void {
    this.#stopBuilds(setN, cancelled(), idle);
  }

  /** Drops the sort indexes of these rows and returns their numbers; their tables are removed with the rows'. */
  forget(setN: number): number[] {
    this.#stopBuilds(setN, cancelled());
    const numbers = [...this.#indexes.values()].filter((index) => index.setN === setN).map(({ n }) => n);
    for (const n of numbers) this.#indexes.delete(n);
    return numbers;
  }

  /** Drops every sort index: rebuilding them is faster than verifying them. */
  async reset(): Promise<void> {
    this.#indexes.clear();
    this.#leaseCounts.clear();
    for (const { setN } of this.#builds.values()) this.#stopBuilds(setN, cancelled());
    const stored = await this.#db().all<{ n: number }>('SELECT n FROM result_views');
    const numbers = stored.map(({ n }) => n);
    this.#nextN = Math.max(this.#nextN, 1 + Math.max(0, ...numbers));
    if (numbers.length > 0) await this.#db().write(dropStatements([], numbers));
  }

  #find(record: SetRecord, key: string): SortIndex | null {
    let best: SortIndex | null = null;
    for (const index of this.#indexes.values())
      if (index.setN === record.n && index.key === key && (best === null || index.loaded > best.loaded))
        best = index;
    return best;
  }

  /** A sort index over all loaded rows. */
  #completeIndex(record: SetRecord, key: string): SortIndex | null {
    const index = this.#find(record, key);
    return index?.loaded === record.loaded ? index : null;
  }

  /** Good enough for a page: complete, or recent while rows arrive. */
  #usableIndex(record: SetRecord, key: string): SortIndex | null {
    const index = this.#find(record, key);
    if (index === null || index.loaded === record.loaded) return index;
    const isRecent = this.#clocks.ticks() - index.builtAt < REBUILD_MS;
    return record.state === 'filling' && isRecent ? index : null;
  }

  #lease(index: SortIndex): SortIndexLease {
    const { n } = index;
    this.#leaseCounts.set(n, (this.#leaseCounts.get(n) ?? 0) + 1);
    return {
      ...index,
      release: () => {
        const count = (this.#leaseCounts.get(n) ?? 1) - 1;
        if (count > 0) this.#leaseCounts.set(n, count);
        else this.#leaseCounts.delete(n);
      },
    };
  }

  #build(
    rows: Rows,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    { chosen, behind = false }: { chosen?: Chosen | undefined; behind?: boolean } = {},
  ): SortIndexBuild {
    const { record } = rows;
    const n = this.#nextN++;
    const key = chosen === undefined ? keyOf(sort, filter) : `ids:${n}`;
    const id = buildKey(record, key);
    const existingBuild = this.#builds.get(id);
    if (existingBuild !== undefined) return existingBuild;
    // Another order is being shown before this one was built.
    this.#stopBuilds(record.n, cancelled(), true);
    const urgency = behind ? 'later' : 'normal';
    const build = buildSortIndex(this.#clocks, {
      n,
      key,
      rows: this.#leases.share(rows),
      sort,
      filter,
      chosen,
      urgency,
    });
    this.#builds.set(id, build);
    const isCurrent = () => this.#builds.get(id) === build && this.#builds.delete(id);
    build.done.then((index) => {
      // It was stopped after it had been written.
      if (!isCurrent()) return void rows.db.write(dropStatements([], [index.n])).catch(() => undefined);
      this.#indexes.set(index.n, index);
      this.#evict(rows).catch(() => undefined);
    }, isCurrent);
    return build;
  }

  /** Stops the builds over these rows: all of them, or those without waiters. */
  #stopBuilds(setN: number, reason: Error, idle = false): void {
    for (const [id, build] of this.#builds) {
      if (build.setN !== setN || (idle && build.waiters > 0)) continue;
      this.#builds.delete(id);
      build.control.abort(reason);
    }
  }

  async #evict({ record, db }: Rows): Promise<void> {
    const indexes = [...this.#indexes.values()]
      .filter((index) => index.setN === record.n)
      .sort((a, b) => a.usedAt - b.usedAt);
    const evictable = indexes
      .slice(0, Math.max(0, indexes.length - MAX_PER_SET))
      .map(({ n }) => n)
      .filter((n) => !this.#leaseCounts.has(n));
    if (evictable.length === 0) return;
    for (const n of evictable) this.#indexes.delete(n);
    await db.write(dropStatements([], evictable));
  }

  async #byIndex(
    { record, db }: Rows,
    index: SortIndex,
    start: number,
    end: number,
    signal?: AbortSignal,
  ): Promise<Slice> {
    index.usedAt = this.#clocks.ticks();
    const lease = this.#lease(index);
    try {
      const raw = await db.rows(
        `SELECT ${selection(record.columns, 'r')} FROM rv_${index.n} v CROSS JOIN rs_${record.n} r ON r.pos = v.pos
          WHERE v.rank > ? AND v.rank <= ? ORDER BY v.rank`,
        [start, end],
        { signal, urgency: 'now' },
      );
      return { rows: decode(record, raw), count: index.count, loaded: index.loaded };
    } finally {
      lease.release();
    }
  }

  async #byRowIndexes(
    { record, db }: Rows,
    rowIndexes: ArrayLike<number> & Iterable<number>,
    signal?: AbortSignal,
  ): Promise<Cell[][]> {
    if (rowIndexes.length === 0) return [];
    const raw = await db.rows(
      `SELECT ${selection(record.columns, 'r')} FROM json_each(?) p CROSS JOIN rs_${record.n} r ON r.pos = p.value ORDER BY p.key`,
      [`[${[...rowIndexes].join(',')}]`],
      { signal, urgency: 'now' },
    );
    return decode(record, raw);
  }

  /** When neither a sort index nor the columns in memory can answer yet. */
  async #bySql(
    rows: Rows,
    start: number,
    end: number,
    sort: readonly Sort[],
    filter: LocalFilter | null,
    signal?: AbortSignal,
  ): Promise<Slice> {
    const { record, db } = rows;
    const { loaded } = record;
    const isLarge = loaded > INDEX_ABOVE;
    // A filter is counted by building its sort index; an order alone gets one once its first rows are returned.
    const build = isLarge && filter !== null ? this.#build(rows, sort, filter) : null;
    const counted =
      build === null
        ? null
        : waitFor(build, build.sorted, signal).then(({ rowIndexes }) => rowIndexes.length);
    counted?.catch(() => undefined);
    const now = this.#clocks.now();
    const hits = await candidateRows(db, record, filter, now, signal);
    const query = localQuery(record, sort, filter, { now, hits });
    const options: ReadOptions = { signal, urgency: 'now' };
    const count =
      filter === null
        ? loaded
        : (counted ??
          db
            .get<{ count: number }>(`SELECT count(*) AS count ${query.from}`, query.params, options)
            .then((answer) => answer?.count ?? 0));
    const first = firstRows(rows, query, start, end, options);
    if (isLarge && build === null)
      void first.then(() => this.#build(rows, sort, filter, { behind: true })).catch(() => undefined);
    const [raw, total] = await Promise.all([first, count]);
    return { rows: decode(record, raw), count: total, loaded };
  }
}

/**
 * The first rows of an order: each of two readers selects from its half of a large set, then the best of both are
 * merged.
 */
async function firstRows(
  { record, db }: Rows,
  { from, params, order }: LocalQuery,
  start: number,
  end: number,
  options: ReadOptions,
): Promise<SqlValue[][]> {
  const shares = record.loaded > SHARED_ABOVE ? 2 : 1;
  const best = await Promise.all(
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
  const candidates = best.flat().map(([row]) => Number(row));
  return sortCandidates({ record, db }, candidates, order, start, end, options);
}

/** Rows start to end of an order, among candidates that include them and all before them. */
const sortCandidates = (
  { record, db }: Pick<Rows, 'record' | 'db'>,
  candidates: Iterable<number>,
  order: string,
  start: number,
  end: number,
  options: ReadOptions,
): Promise<SqlValue[][]> =>
  db.rows(
    `SELECT ${selection(record.columns, 'r')} FROM rs_${record.n} r
      WHERE r.pos IN (SELECT value FROM json_each(@rows)) ORDER BY ${order} LIMIT @take OFFSET @skip`,
    { rows: JSON.stringify([...candidates]), take: end - start, skip: start },
    options,
  );
