/** Rows of the query domains: pages in any order by key, counts, and ids. */
import type { RowCondition, RowPage, RowQuery } from '../../store/rows.ts';
import { aliveSql } from '../functions.ts';
import type { IdSet } from '../id-set.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import type { Domain, StartedSearch } from './definition.ts';
import { domainNamed } from './domains.ts';
import type { SortKey } from './keyset.ts';
import { type FoundRow, firstOf, type PageQuery, pageOf } from './page.ts';
import { type NamedSearch, type Where, whereOf } from './where.ts';

function domainOf({ source }: SqliteStore, { domain, copies }: RowCondition): Domain {
  const named = domainNamed(domain, copies, source);
  if (named === null) throw new TypeError(`No domain ${domain}`);
  return named;
}

/** Throws ConditionError. */
export function rowPage(store: SqliteStore, query: RowQuery): RowPage {
  const domain = domainOf(store, query);
  const keys = sortKeys(domain, query.sort);
  const columns = query.columns.flatMap((id) => domain.fields.find(({ config }) => config.id === id) ?? []);
  const { after, size, countOnly } = query;
  const newest = after?.newest ?? newestOf(domain, store);
  // The plus keeps SQLite from using the bound for ordering: it can then read a narrow index instead of the wide table.
  // The bound excludes rows that arrive during the page scan; a fresh count needs none.
  const scopeOf = (where: Where): Where => ({
    ...where,
    sql: `${where.sql} AND +${domain.keys[0]} <= ?`,
    params: [...where.params, newest],
  });
  const scope = scopeOf(whereOf(domain, query, store));
  const byRow = () => {
    const where = whereOf(domain, query, store, true);
    return where.isOther ? scopeOf(where) : null;
  };
  // One transaction, so that all statements see the same rows while an import writes.
  const read = store.db.transaction((): RowPage => {
    const { search } = scope;
    const queryOf = (ids: IdSet | null, total: number): PageQuery => {
      const share = Math.min(1, total / newest);
      return { domain, where: scope, matches: ids, byRow, keys, columns, size, share };
    };
    const resultOf = (page: readonly FoundRow[], total: number | null): RowPage => ({
      rows: page.map(({ row }) => row),
      key: page.at(-1)?.key ?? null,
      total,
      newest,
    });
    const isLater = query.countedAtOnce !== null && after === null && !countOnly;
    const started = isLater ? search?.start?.(store, newest) : undefined;
    const isLong = started !== undefined && started.open.size > (query.countedAtOnce ?? 0);
    if (isLong) {
      const page = firstOf(queryOf(null, started.matches.size + started.open.size), started, store);
      if (page !== null) return resultOf(page, null);
    }
    const short = isLong ? undefined : started;
    const foundIds = search === null || countOnly ? null : searched(search, store, newest, short);
    const total = after?.total ?? foundIds?.size ?? countOf(domain, scope, store, newest);
    if (countOnly || total === 0) return resultOf([], total);
    return resultOf(pageOf(queryOf(foundIds, total), after?.key ?? null, store), total);
  });
  store.begin();
  return read();
}

/** Throws ConditionError. */
export function rowCount(store: SqliteStore, condition: RowCondition): number {
  const domain = domainOf(store, condition);
  const where = whereOf(domain, condition, store);
  store.begin();
  return countOf(domain, where, store);
}

/** Ids of at most `most` entities that fulfil it, in the order of their rows. Throws ConditionError. */
export function matchingIds(store: SqliteStore, condition: RowCondition, most: number): string[] {
  const domain = domainOf(store, condition);
  const { sql, params } = whereOf(domain, condition, store);
  store.begin();
  return store.db
    .prepare<unknown[], string>(
      `SELECT ${domain.entityId} FROM ${domain.source} WHERE ${sql} ORDER BY ${domain.keys.join(', ')} LIMIT ?`,
    )
    .pluck()
    .all(...params, most);
}

function sortKeys(domain: Domain, sort: RowQuery['sort']): SortKey[] {
  const keys = sort.flatMap(({ id, descending }): SortKey[] => {
    const field = domain.fields.find(({ config }) => config.id === id);
    return (field?.sort ?? []).map((sql) => ({ sql, descending, nullable: true }));
  });
  const descending = keys.at(-1)?.descending ?? false;
  return [...keys, ...domain.keys.map((sql) => ({ sql, descending, nullable: false }))];
}

function newestOf(domain: Domain, store: SqliteStore): number {
  const table = domain.source.split(' ')[0];
  return Number(store.db.prepare(`SELECT coalesce(max(id), 0) FROM ${table}`).pluck().get());
}

/** Number of rows; `newest` is the highest id that counts. */
function countOf(domain: Domain, where: Where, store: SqliteStore, newest = newestOf(domain, store)): number {
  const { sql, params, search } = where;
  if (search !== null) return searched(search, store, newest).size;
  return Number(
    store.db
      .prepare(`SELECT count(*) FROM ${domain.source} WHERE ${aliveSql(domain.keys[0])} AND ${sql}`)
      .pluck()
      .get(...params),
  );
}

/**
 * The last search of each connection, kept for the next page until the database changes. A rollback would go unnoticed:
 * never search inside a transaction that writes.
 */
const LAST = new WeakMap<SqliteStore['db'], { key: string; ids: IdSet }>();

/** `started` is the same search as far as it has gone, with few rows left to compare. */
function searched(search: NamedSearch, store: SqliteStore, newest: number, started?: StartedSearch): IdSet {
  const { db } = store;
  // The first changes when another connection commits, the second when this one writes.
  const state = [
    db.pragma('data_version', { simple: true }),
    db.prepare('SELECT total_changes()').pluck().get(),
  ];
  const key = JSON.stringify([search.name, newest, state]);
  const last = LAST.get(db);
  if (last?.key === key) return last.ids;
  const ids =
    started === undefined
      ? search.ids(store, newest)
      : started.matches.addAll(started.compare(started.open.values()));
  LAST.set(db, { key, ids });
  return ids;
}
