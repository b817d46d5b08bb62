/** query/execute: checks a request, and answers with a page and its cursor. */
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { QueryResult, Sort } from '#shared/model/entities.ts';
import { MatchBudgetError } from '#shared/query/sql-functions.ts';
import { ServiceError } from '../http/errors.ts';
import { ConditionError, type DomainShape, type RowQuery } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { isEveryApp } from './config.ts';
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
  countedAtOnce?: number;
}

/** Returns a page or the count. Throws ServiceError 400 (with the field) and 410 (cursor expired). */
export async function execute(
  payload: ExecutePayload,
  { store, saas, now, countedAtOnce = COUNTED_AT_ONCE }: ExecuteContext,
): Promise<QueryResult> {
  const { query_domain: name, include_copies: copies, condition, size } = payload;
  const shape = shapeNamed(store, name, copies);
  const app = appNamed(payload.saas_id, saas);
  const sort = sortOf(shape, payload.sort_by);
  const columns = columnsOf(shape, payload.columns);
  const key = fingerprint([shape.domain, payload.saas_id, copies, condition, payload.sort_by]);
  const cursor = payload.search_after == null ? null : cursorOf(payload.search_after, key, now);
  const page = await accepted(
    store.rows.page({
      ...{ domain: name, copies, condition, saas: app, sort, columns, size },
      now: cursor?.now ?? now,
      after: cursor && { key: cursor.after, total: cursor.total, newest: cursor.newest },
      countOnly: payload.count_only || size === 0,
      countedAtOnce: payload.count_later === true ? countedAtOnce : null,
    }),
  );
  const { rows, total, newest } = page;
  const after =
    rows.length === size && page.key !== null
      ? writeCursor({ after: page.key, total, newest, made: now, now: cursor?.now ?? now, query: key })
      : null;
  return { rows, search_after: after, total_rows: total ?? (after === null ? rows.length : UNCOUNTED) };
}

/** Throws 400. */
export function shapeNamed({ rows }: Store, name: string, copies: boolean): DomainShape {
  const shape = rows.shape(name, copies);
  if (shape === null)
    throw new ServiceError(400, `Unknown query domain: ${name.slice(0, 100)}`, 'query_domain');
  return shape;
}

/** The name of an app, or null for all. Throws 400. */
export function appNamed(name: string, saas: readonly string[]): string | null {
  if (isEveryApp(name)) return null;
  if (!saas.includes(name)) throw new ServiceError(400, `Unknown app: ${name.slice(0, 100)}`, 'saas_id');
  return name;
}

/** Reports a condition that the domain does not accept, or whose pattern takes too long, as a 400. */
export async function accepted<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof MatchBudgetError) throw new ServiceError(400, error.message, 'condition');
    if (!(error instanceof ConditionError)) throw error;
    const place = error.problem.path.map((index) => `.conditions.${index}`).join('');
    throw new ServiceError(400, error.message, `condition${place}`);
  }
}

function sortOf(shape: DomainShape, sorts: readonly Sort[]): RowQuery['sort'] {
  if (sorts.length > MAX_SORTS) throw new ServiceError(400, `At most ${MAX_SORTS} sort columns`, 'sort_by');
  const chosen = sorts.length > 0 ? sorts : shape.sort;
  return chosen.map(({ dbId, direction }) => {
    const named = (key: 'dbId' | 'id') => shape.fields.find((field) => field[key] === dbId);
    // Queries saved by other consoles may name a field by its id.
    const field = named('dbId') ?? named('id');
    if (!field?.sortable) throw new ServiceError(400, `Cannot sort by ${dbId.slice(0, 100)}`, 'sort_by');
    return { id: field.id, descending: direction === 'desc' };
  });
}

function columnsOf(shape: DomainShape, ids: readonly string[]): string[] {
  if (ids.length > MAX_COLUMNS) throw new ServiceError(400, `At most ${MAX_COLUMNS} columns`, 'columns');
  const columnIds = ids.length > 0 ? ids : shape.columns.map(({ id }) => id);
  const fields = new Set(shape.fields.map(({ id }) => id));
  const unknown = columnIds.find((id) => id !== 'entity_id' && !fields.has(id));
  if (unknown !== undefined)
    throw new ServiceError(400, `Unknown column: ${unknown.slice(0, 100)}`, 'columns');
  return [...new Set(columnIds)].filter((id) => id !== 'entity_id');
}

function cursorOf(text: unknown, query: string, now: number) {
  const read = readCursor(text, query, now);
  if (read.ok) return read.cursor;
  if (read.reason === 'expired') throw new ServiceError(410, 'cursor expired', 'search_after');
  const why =
    read.reason === 'foreign' ? 'The cursor belongs to another query' : 'Not a cursor of this service';
  throw new ServiceError(400, why, 'search_after');
}
