/** A local sort and filter over the rows of a set, as SQL. Nothing of the analyst's input enters the SQL text. */
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { effective } from '#shared/query/tree.ts';
import type { SqlValue } from '../store/database.ts';
import { columnOf, type StoredColumn } from './columns.ts';
import { conditionSql } from './condition.ts';
import type { SetRecord } from './record.ts';

export interface LocalQuery {
  /** FROM and WHERE; the rows are `r` where `needsRows`, the position is always `pos`. */
  from: string;
  params: Record<string, SqlValue>;
  /** ORDER BY, without the words. */
  order: string;
  /** The position of a row within `from`. */
  pos: string;
}

const MAX_TERMS = 20;

/** The words of a quick search: every one must be in a row, in any text column; a quoted phrase is one word. */
export function termsOf(text: string): string[] {
  const terms = [...text.matchAll(/"([^"]+)"|(\S+)/g)].map((match) =>
    (match[1] ?? match[2] ?? '').toLowerCase(),
  );
  return [...new Set(terms.map((term) => term.trim()).filter((term) => term !== ''))].slice(0, MAX_TERMS);
}

/** A filter that lets everything through is none. */
export function activeFilter(filter: LocalFilter | undefined): LocalFilter | null {
  if (filter === undefined) return null;
  const facets = Object.fromEntries(Object.entries(filter.facets).filter(([, values]) => values.length > 0));
  const condition = filter.condition === undefined ? null : effective(filter.condition);
  const asks = condition !== null && (condition.conditions.length > 0 || condition.negate === true);
  if (termsOf(filter.text).length === 0 && Object.keys(facets).length === 0 && !asks) return null;
  return { text: filter.text, facets, ...(asks ? { condition } : {}) };
}

function facetCondition(column: StoredColumn, values: LocalFilter['facets'][string], name: string) {
  const wanted = values.filter((value) => value !== null);
  const cell = `r.${column.sql}`;
  const parts: string[] = [];
  const params: Record<string, SqlValue> = {};
  if (wanted.length > 0) {
    params[name] = JSON.stringify(wanted);
    const list = `(SELECT value FROM json_each(@${name}))`;
    parts.push(
      column.storage === 'json'
        ? `EXISTS (SELECT 1 FROM json_each(${cell}) WHERE value IN ${list})`
        : `${cell} IN ${list}`,
    );
  }
  if (wanted.length < values.length)
    parts.push(column.storage === 'json' ? `(${cell} IS NULL OR ${cell} = '[]')` : `${cell} IS NULL`);
  return { sql: `(${parts.join(' OR ')})`, params };
}

function orderOf(columns: readonly StoredColumn[], sort: readonly Sort[], pos: string): string {
  const keys = sort.map(({ dbId, direction }) => {
    const column = columnOf(columns, dbId);
    const collate = column.storage === 'text' || column.storage === 'any' ? ' COLLATE NOCASE' : '';
    return `r.${column.sql}${collate} ${direction === 'desc' ? 'DESC' : 'ASC'} NULLS LAST`;
  });
  return [...keys, pos].join(', ');
}

/** Throws `invalid-input` for a column that the set does not have. `ignoring`: a facet column left out of it. */
export function localQuery(
  record: SetRecord,
  sort: readonly Sort[],
  filter: LocalFilter | null,
  now: number,
  ignoring: string | null = null,
): LocalQuery {
  const params: Record<string, SqlValue> = {};
  const conditions: string[] = [];
  const terms = filter === null ? [] : termsOf(filter.text);
  for (const [index, term] of terms.entries()) {
    conditions.push(`instr(h.words, @t${index}) > 0`);
    params[`t${index}`] = term;
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
  const rows = `rs_${record.n} r`;
  // The narrow table of words is read first: most rows fall out there.
  const from = terms.length > 0 ? `rh_${record.n} h CROSS JOIN ${rows} ON r.pos = h.pos` : rows;
  const pos = terms.length > 0 ? 'h.pos' : 'r.pos';
  return {
    from: `FROM ${from}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}`,
    params,
    order: orderOf(record.columns, sort, pos),
    pos,
  };
}
