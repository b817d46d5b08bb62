/** Values of columns and their counts among the rows of a set. */
import type { LocalFilter, OutputOf } from '#shared/bridge/operations.ts';
import { countedItemsSql, countedSql, itemSql } from './column-sql.ts';
import { askColumns, candidateRows } from './columnar/client.ts';
import { columnOf, type StoredColumn } from './columns.ts';
import type { Rows } from './leases.ts';
import { localQuery } from './local-query.ts';

type Facet = OutputOf<'results.facets'>['facets'][number];

/** Values listed per column; `distinct` is the number of all. */
const MAX_VALUES = 100;
/** Columns per request. */
const MAX_FACETS = 20;

export interface ValuesQuestion {
  now: number;
  filter: LocalFilter | null;
  /** Indexes of the rows that can match, requested only if SQLite has to answer. */
  hitsOnce: () => Promise<string | null>;
  limit: number;
  /** A column whose part of the filter is left out. */
  ignoring?: string;
  signal: AbortSignal;
}

/** The most frequent values of one column, and how many there are. */
export async function valuesOf(
  { record, db }: Rows,
  column: StoredColumn,
  { now, filter, hitsOnce, limit, signal, ...rest }: ValuesQuestion,
): Promise<Facet> {
  const shown = (value: string | number | null) =>
    column.storage === 'boolean' && (value === 0 || value === 1) ? value === 1 : value;
  const counted = await askColumns(db, record, {
    sort: [],
    filter,
    want: { kind: 'facet', sql: column.sql, limit },
    now,
    ...rest,
    signal,
  });
  if (counted !== null)
    return {
      column: column.id,
      values: counted.values.map(({ value, count }) => ({ value: shown(value), count })),
      distinct: counted.count,
    };
  const hits = await hitsOnce();
  const query = localQuery(record, [], filter, { now, hits, ...rest });
  const cell = countedSql(column);
  const values =
    column.storage === 'json'
      ? // A list counts once for each of its values.
        `SELECT DISTINCT l.row, ${itemSql(column, 'l.list', 'j')} AS value FROM (SELECT r.pos AS row, ${cell} AS list ${query.from}) l
          JOIN json_each(${countedItemsSql('l.list')}) j`
      : `SELECT ${cell} AS value ${query.from}`;
  const rows = await db.all<{ value: string | number | null; count: number; distinct: number }>(
    `WITH v AS (${values}), g AS MATERIALIZED (SELECT value, count(*) AS count FROM v GROUP BY value)
      SELECT value, count, (SELECT count(*) FROM g) AS "distinct" FROM g ORDER BY count DESC, value LIMIT ${limit}`,
    query.params,
    { signal, urgency: 'later' },
  );
  return {
    column: column.id,
    values: rows.map(({ value, count }) => ({ value: shown(value), count })),
    distinct: rows[0]?.distinct ?? 0,
  };
}

/** Facets in the requested order; throws `invalid-input` for a column that the set does not have. */
export async function facetsOf(
  rows: Rows,
  now: () => number,
  ids: readonly string[],
  filter: LocalFilter | null,
  signal: AbortSignal,
): Promise<Facet[]> {
  const columns = ids.slice(0, MAX_FACETS).map((id) => columnOf(rows.record.columns, id));
  const hitsOnce = hitsOf(rows, now(), filter, signal);
  // The column's own part of the filter is left out, so that the other choices stay visible.
  return Promise.all(
    columns.map((column) =>
      valuesOf(rows, column, {
        now: now(),
        filter,
        hitsOnce,
        limit: MAX_VALUES,
        ignoring: column.id,
        signal,
      }),
    ),
  );
}

/** Asks once, and only when needed, which rows can match. */
export function hitsOf(rows: Rows, now: number, filter: LocalFilter | null, signal: AbortSignal) {
  let hits: Promise<string | null> | null = null;
  return () => {
    hits ??= candidateRows(rows.db, rows.record, filter, now, signal);
    return hits;
  };
}
