/** A local sort and filter over the rows of a set, as SQL. No input of the analyst enters the SQL text. */
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { searchTerms } from '#shared/query/text.ts';
import { effective } from '#shared/query/tree.ts';
import type { SqlValue } from '../store/database.ts';
import { countedItemsSql, countedSql, itemSql, sortValues } from './column-sql.ts';
import { foldTerm } from './columnar/text-index.ts';
import { columnOf, type StoredColumn } from './columns.ts';
import { conditionSql } from './condition.ts';
import type { SetRecord } from './record.ts';

export interface LocalQuery {
  /** FROM and WHERE, with the rows as `r`. */
  from: string;
  params: Record<string, SqlValue>;
  /** The terms of ORDER BY. */
  order: string;
}

const PROBE_EVERY = 4_096;
/** Aborts a cancelled scan; probes are a millisecond or two apart. */
export const cancellationProbe = (rowIndex: string): string =>
  `(${rowIndex} % ${PROBE_EVERY} <> 0 OR pp_probe())`;

/** The terms of a quick search: a row must contain each of them in some text column; a quoted phrase is one term. */
export function termsOf(text: string): string[] {
  return [...new Set(searchTerms(text).map((term) => foldTerm(term).trim()))].filter((term) => term !== '');
}

/** null for a filter that excludes nothing. */
export function activeFilter(filter: LocalFilter | undefined): LocalFilter | null {
  if (filter === undefined) return null;
  const facets = Object.fromEntries(Object.entries(filter.facets).filter(([, values]) => values.length > 0));
  const condition = filter.condition === undefined ? null : effective(filter.condition);
  const asks = condition !== null && (condition.conditions.length > 0 || condition.negate === true);
  if (termsOf(filter.text).length === 0 && Object.keys(facets).length === 0 && !asks) return null;
  return { text: filter.text, facets, ...(asks ? { condition } : {}) };
}

function facetCondition(column: StoredColumn, values: LocalFilter['facets'][string], name: string) {
  const targets = values.filter((value) => value !== null);
  const cell = countedSql(column);
  const value = column.storage === 'json' ? itemSql(column, cell, 'j') : cell;
  const parts: string[] = [];
  const params: Record<string, SqlValue> = {};
  if (targets.length > 0) {
    params[name] = JSON.stringify(targets);
    parts.push(`${value} IN (SELECT value FROM json_each(@${name}))`);
  }
  if (targets.length < values.length) parts.push(`${value} IS NULL`);
  const any = parts.join(' OR ');
  const sql =
    column.storage === 'json'
      ? `EXISTS (SELECT 1 FROM json_each(${countedItemsSql(cell)}) j WHERE ${any})`
      : `(${any})`;
  return { sql, params };
}

/** FROM and WHERE with one more condition. */
export const narrowed = (from: string, condition: string): string => `${from} AND ${condition}`;

/** The terms of ORDER BY. */
export function orderOf(columns: readonly StoredColumn[], sort: readonly Sort[]): string {
  const keys = sort.flatMap(({ dbId, direction }) =>
    sortValues(columnOf(columns, dbId)).map(
      (value) => `${value} ${direction === 'desc' ? 'DESC' : 'ASC'} NULLS LAST`,
    ),
  );
  return [...keys, 'r.pos'].join(', ');
}

export interface QueryOptions {
  now: number;
  /** Indexes of the rows that can match (`candidateRows`), as a JSON list, or null if any can. */
  hits: string | null;
  /** A facet column excluded from the filter. */
  ignoring?: string | null;
}

/** Throws `invalid-input` for a column that the set does not have. */
export function localQuery(
  record: SetRecord,
  sort: readonly Sort[],
  filter: LocalFilter | null,
  options: QueryOptions,
): LocalQuery {
  const { now, hits, ignoring = null } = options;
  // Rows that arrived later are excluded; the `+` keeps SQLite from using an index for that.
  const params: Record<string, SqlValue> = { loaded: record.loaded };
  const conditions = ['+r.pos < @loaded'];
  if (hits !== null) {
    conditions.push('r.pos IN (SELECT value FROM json_each(@hits))');
    params['hits'] = hits;
  }
  const facets = Object.entries(filter?.facets ?? {}).filter(([id]) => id !== ignoring);
  for (const [index, [id, values]] of facets.entries()) {
    const part = facetCondition(columnOf(record.columns, id), values, `f${index}`);
    conditions.push(part.sql);
    Object.assign(params, part.params);
  }
  if (filter?.condition !== undefined) {
    const part = conditionSql(record.columns, filter.condition, now);
    conditions.push(part.sql);
    Object.assign(params, part.params);
  }
  if (record.loaded > PROBE_EVERY) conditions.push(cancellationProbe('r.pos'));
  return {
    from: `FROM rs_${record.n} r WHERE ${conditions.join(' AND ')}`,
    params,
    order: orderOf(record.columns, sort),
  };
}
