/** query/execute: conditions as SQL, any sort, keyset pagination. */
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { QueryResult, Sort } from '#shared/model/entities.ts';
import type { Sought } from '#shared/query/excerpt.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { compileCondition, type Predicate } from '#shared/query/predicate.ts';
import { MatchBudgetError } from '#shared/query/sql-functions.ts';
import { foldText } from '#shared/query/text.ts';
import { ServiceError } from '../http/errors.ts';
import type { IdSet } from '../store-sqlite/id-set.ts';
import { type CustomLists, customLists } from '../store-sqlite/lists.ts';
import type { Domain, DomainField, Search, StartedSearch } from '../store-sqlite/query/definition.ts';
import { BODY_FIELD } from '../store-sqlite/query/email-texts.ts';
import type { SortKey } from '../store-sqlite/query/keyset.ts';
import { type FoundRow, firstOf, type PageQuery, pageOf } from '../store-sqlite/query/page.ts';
import { aliveSql, type Store } from '../store-sqlite/store.ts';
import { domainNamed, fieldsOf, isEveryApp } from './config.ts';
import { fingerprint, readCursor, writeCursor } from './cursor.ts';

const MAX_SORTS = 8;
const MAX_COLUMNS = 200;
/** If a search has to compare more rows than this, a first page may come before they are counted. */
const COUNTED_AT_ONCE = 2_048;
/** `total_rows` of a page with rows that were not counted yet. */
const UNCOUNTED = 0;

export interface ExecuteContext {
  store: Store;
  /** Names of the SaaS that this service has. */
  saas: readonly string[];
  now: number;
  /** For tests: COUNTED_AT_ONCE. */
  countedAtOnce?: number;
}

/** Returns a page or the count. Throws ServiceError 400 (with the field) and 410 (cursor expired). */
export function execute(payload: ExecutePayload, context: ExecuteContext): QueryResult {
  const domain = domainNamed(payload.query_domain, payload.include_copies, context.store.source);
  if (!domain)
    throw new ServiceError(
      400,
      `Unknown query domain: ${payload.query_domain.slice(0, 100)}`,
      'query_domain',
    );
  const saas = payload.saas_id;
  if (!isEveryApp(saas) && !context.saas.includes(saas))
    throw new ServiceError(400, `Unknown app: ${saas.slice(0, 100)}`, 'saas_id');
  const keys = sortKeys(domain, payload.sort_by);
  const columns = columnsOf(domain, payload.columns);
  const key = fingerprint([domain.domain, saas, payload.include_copies, payload.condition, payload.sort_by]);

  const cursor = payload.search_after == null ? null : cursorOf(payload.search_after, key, context.now);
  const lists = customLists(context.store);
  const now = cursor?.now ?? context.now;
  const newest = cursor?.newest ?? newestOf(domain, context.store);
  const countedAtOnce = context.countedAtOnce ?? COUNTED_AT_ONCE;
  // The plus keeps SQLite from using the bound for ordering: it can then read a narrow index instead of the wide table.
  // The bound excludes rows that arrive during the page scan; a fresh count needs none.
  const scopeOf = (where: Where): Where => ({
    ...where,
    sql: `${where.sql} AND +${domain.keys[0]} <= ?`,
    params: [...where.params, newest],
  });
  const scope = scopeOf(whereOf(domain, payload, lists, now));
  const byRow = () => {
    const where = whereOf(domain, payload, lists, now, true);
    return where.isOther ? scopeOf(where) : null;
  };
  // One transaction, so that all statements see the same rows while an import writes.
  const read = context.store.db.transaction((): QueryResult => {
    const { search } = scope;
    const { size } = payload;
    const onlyCount = payload.count_only || size === 0;
    const queryOf = (ids: IdSet | null, total: number): PageQuery => {
      const share = Math.min(1, total / newest);
      return { domain, where: scope, found: ids, byRow, keys, columns, size, share };
    };
    const resultOf = (page: readonly FoundRow[], total: number | null): QueryResult => {
      const last = page.at(-1);
      const after =
        page.length === size && last !== undefined
          ? writeCursor({ after: last.key, total, newest, made: context.now, now, query: key })
          : null;
      const counted = total ?? (after === null ? page.length : UNCOUNTED);
      return { rows: page.map(({ row }) => row), search_after: after, total_rows: counted };
    };
    const isLater = payload.count_later === true && cursor === null && !onlyCount;
    const started = isLater ? search?.start?.(context.store, newest) : undefined;
    const isLong = started !== undefined && started.open.size > countedAtOnce;
    if (isLong) {
      const query = queryOf(null, started.found.size + started.open.size);
      const page = firstOf(query, started, context.store);
      if (page !== null) return resultOf(page, null);
    }
    const short = isLong ? undefined : started;
    const foundIds = search === null || onlyCount ? null : searched(search, context.store, newest, short);
    const total = cursor?.total ?? foundIds?.size ?? countOf(domain, scope, context.store, newest);
    if (onlyCount || total === 0) return { rows: [], search_after: null, total_rows: total };
    return resultOf(pageOf(queryOf(foundIds, total), cursor?.after ?? null, context.store), total);
  });
  return guarded(() => {
    context.store.begin();
    return read();
  });
}

export interface Where {
  sql: string;
  params: (string | number)[];
  /** The search terms for bodies. */
  sought: readonly Sought[];
  /** Whether it has a form for testing rows one by one. */
  isOther: boolean;
  /** The search, if it is the whole condition, or null if the condition has other parts, or no index can answer it. */
  search: NamedSearch | null;
}

interface NamedSearch extends Search {
  /** Equal for equal searches. */
  name: string;
}

/**
 * The last search of each connection, kept for the next page until the database changes. A rollback would go unnoticed:
 * never search inside a transaction that writes.
 */
const LAST = new WeakMap<Store['db'], { asked: string; ids: IdSet }>();

/** `started`: the same search as far as it has gone, with few rows left to compare. */
function searched(search: NamedSearch, store: Store, newest: number, started?: StartedSearch): IdSet {
  const { db } = store;
  // The first changes when another connection commits, the second when this one writes.
  const state = [
    db.pragma('data_version', { simple: true }),
    db.prepare('SELECT total_changes()').pluck().get(),
  ];
  const key = JSON.stringify([search.name, newest, state]);
  const last = LAST.get(db);
  if (last?.asked === key) return last.ids;
  const ids =
    started === undefined
      ? search.ids(store, newest)
      : started.found.addAll(started.compare(started.open.values()));
  LAST.set(db, { asked: key, ids });
  return ids;
}

/** `byRow` is the form for testing rows one by one. */
export function whereOf(
  domain: Domain,
  payload: Pick<ExecutePayload, 'condition' | 'saas_id'>,
  lists: CustomLists,
  now: number,
  byRow = false,
): Where {
  const fields = new Map(domain.fields.map((field) => [field.config.id, field]));
  let isOther = false;
  const mapping = (id: string) => {
    const field = fields.get(id);
    if (field?.byRow === undefined) return field?.filter;
    isOther = true;
    return byRow ? field.byRow : field.filter;
  };
  const compiled = compileCondition(payload.condition, {
    fields: fieldsOf(domain, lists),
    operators: STANDARD_OPERATORS,
    mapping,
    now,
    list: lists.values,
  });
  if (!compiled.ok) {
    const problem = compiled.problems[0];
    const path = (problem?.path ?? []).map((index) => `.conditions.${index}`).join('');
    const named = problem?.field === undefined ? '' : `${problem.field.slice(0, 100)}: `;
    throw new ServiceError(
      400,
      `${named}${problem?.message ?? 'The condition is wrong'}`,
      `condition${path}`,
    );
  }
  const { sql, params } = compiled;
  const sought = soughtIn(compiled.predicate);
  if (isEveryApp(payload.saas_id))
    return { sql, params, sought, isOther, search: searchOf(domain, fields, compiled.predicate) };
  const ofApp = `${sql} AND ${domain.saas} = ?`;
  return { sql: ofApp, params: [...params, payload.saas_id], sought, isOther, search: null };
}

const joined = (kind: 'and' | 'or', first: NamedSearch, others: readonly NamedSearch[]): NamedSearch => ({
  name: JSON.stringify([kind, first.name, ...others.map(({ name }) => name)]),
  ids: (store, newest) => {
    const ids = first.ids(store, newest);
    for (const other of others)
      if (kind === 'or') ids.unite(other.ids(store, newest));
      else ids.intersect(other.ids(store, newest));
    return ids;
  },
});

function searchOf(
  domain: Domain,
  fields: ReadonlyMap<string, DomainField>,
  predicate: Predicate,
): NamedSearch | null {
  if (predicate.kind === 'not' || domain.keys.length > 1) return null;
  if (predicate.kind !== 'test') {
    const parts = predicate.parts.flatMap((part) => searchOf(domain, fields, part) ?? []);
    const [first, ...others] = parts;
    if (first === undefined || parts.length < predicate.parts.length) return null;
    return others.length === 0 ? first : joined(predicate.kind, first, others);
  }
  const { field, test } = predicate;
  const search = fields.get(field)?.search?.(test) ?? null;
  return search && { ...search, name: JSON.stringify([field, test]) };
}

function soughtIn(predicate: Predicate): Sought[] {
  if (predicate.kind === 'not') return [];
  if (predicate.kind !== 'test') return predicate.parts.flatMap(soughtIn);
  const { field, test } = predicate;
  if (field !== BODY_FIELD) return [];
  const textOf = (text: string): Sought => ({ kind: 'text', value: foldText(text) });
  if (test.kind === 'contains') return [textOf(test.text)];
  if (test.kind !== 'words') return [];
  return [...test.words.map((value): Sought => ({ kind: 'words', value })), ...test.signs.map(textOf)];
}

function sortKeys(domain: Domain, sorts: readonly Sort[]): SortKey[] {
  if (sorts.length > MAX_SORTS) throw new ServiceError(400, `At most ${MAX_SORTS} sort columns`, 'sort_by');
  const chosen = sorts.length > 0 ? sorts : domain.sort;
  const keys = chosen.flatMap(({ dbId, direction }): SortKey[] => {
    const named = (key: 'dbId' | 'id') => domain.fields.find(({ config }) => config[key] === dbId);
    // Queries saved by other consoles may name a field by its id.
    const sort = (named('dbId') ?? named('id'))?.sort;
    if (sort === undefined) throw new ServiceError(400, `Cannot sort by ${dbId.slice(0, 100)}`, 'sort_by');
    return sort.map((sql) => ({ sql, descending: direction === 'desc', nullable: true }));
  });
  const descending = keys.at(-1)?.descending ?? false;
  return [...keys, ...domain.keys.map((sql) => ({ sql, descending, nullable: false }))];
}

function columnsOf(domain: Domain, ids: readonly string[]): DomainField[] {
  if (ids.length > MAX_COLUMNS) throw new ServiceError(400, `At most ${MAX_COLUMNS} columns`, 'columns');
  const columnIds = ids.length > 0 ? ids : domain.columns.map(({ id }) => id);
  return [...new Set(columnIds)]
    .filter((id) => id !== 'entity_id')
    .map((id) => {
      const field = domain.fields.find(({ config }) => config.id === id);
      if (!field) throw new ServiceError(400, `Unknown column: ${id.slice(0, 100)}`, 'columns');
      return field;
    });
}

function cursorOf(text: unknown, query: string, now: number) {
  const read = readCursor(text, query, now);
  if (read.ok) return read.cursor;
  if (read.reason === 'expired') throw new ServiceError(410, 'cursor expired', 'search_after');
  const why =
    read.reason === 'foreign' ? 'The cursor belongs to another query' : 'Not a cursor of this service';
  throw new ServiceError(400, why, 'search_after');
}

function newestOf(domain: Domain, store: Store): number {
  const table = domain.source.split(' ')[0];
  return Number(store.db.prepare(`SELECT coalesce(max(id), 0) FROM ${table}`).pluck().get());
}

/** Number of rows; `newest` is the highest id that counts. */
export function countOf(
  domain: Domain,
  where: Where,
  store: Store,
  newest = newestOf(domain, store),
): number {
  const { sql, params, search } = where;
  if (search !== null) return searched(search, store, newest).size;
  return Number(
    store.db
      .prepare(`SELECT count(*) FROM ${domain.source} WHERE ${aliveSql(domain.keys[0])} AND ${sql}`)
      .pluck()
      .get(...params),
  );
}

/** Runs SQL that contains patterns; a pattern that takes too long is reported as an invalid condition. */
export function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof MatchBudgetError) throw new ServiceError(400, error.message, 'condition');
    throw error;
  }
}
