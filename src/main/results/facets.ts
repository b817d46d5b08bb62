/** Values and counts of columns among the rows of a set. */
import type { LocalFilter, OutputOf } from '#shared/bridge/operations.ts';
import { itemsSql } from './column-sql.ts';
import { askColumns, candidateRows } from './columnar/client.ts';
import { columnOf, type StoredColumn } from './columns.ts';
import type { Rows } from './leases.ts';
import { localQuery } from './local-query.ts';

type Facet = OutputOf<'results.facets'>['facets'][number];

/** Values listed per column; `distinct` is how many there are. */
const MAX_VALUES = 100;
/** Columns of one question. */
const MAX_FACETS = 20;

/** The values of one column; its own part of the filter is left out, so that the other choices stay visible. */
async function facet(
  { record, db }: Rows,
  now: () => number,
  column: StoredColumn,
  filter: LocalFilter | null,
  hitsOnce: () => Promise<string | null>,
  signal: AbortSignal,
): Promise<Facet> {
  const shown = (value: string | number | null) =>
    column.storage === 'boolean' && typeof value === 'number' ? value === 1 : value;
  const counted = await askColumns(db, record, {
    sort: [],
    filter,
    want: { kind: 'facet', sql: column.sql, limit: MAX_VALUES },
    now: now(),
    ignoring: column.id,
    signal,
  });
  if (counted !== null)
    return {
      column: column.id,
      values: counted.values.map(({ value, count }) => ({ value: shown(value), count })),
      distinct: counted.count,
    };
  const hits = await hitsOnce();
  const query = localQuery(record, [], filter, { now: now(), hits, ignoring: column.id });
  const cell = `r.${column.sql}`;
  const values =
    column.storage === 'json'
      ? // A list counts once for each of its values; an empty one counts as none.
        `SELECT DISTINCT l.row, j.value FROM (SELECT r.pos AS row, ${cell} AS list ${query.from}) l
          LEFT JOIN json_each(${itemsSql('l.list')}) j`
      : `SELECT ${cell} AS value ${query.from}`;
  const rows = await db.all<{ value: string | number | null; count: number; distinct: number }>(
    `WITH v AS (${values}), g AS MATERIALIZED (SELECT value, count(*) AS count FROM v GROUP BY value)
      SELECT value, count, (SELECT count(*) FROM g) AS "distinct" FROM g ORDER BY count DESC, value LIMIT ${MAX_VALUES}`,
    query.params,
    { signal, urgency: 'later' },
  );
  return {
    column: column.id,
    values: rows.map(({ value, count }) => ({ value: shown(value), count })),
    distinct: rows[0]?.distinct ?? 0,
  };
}

/** Facets in the order asked for; throws `invalid-input` for a column that the set does not have. */
export async function facetsOf(
  rows: Rows,
  now: () => number,
  ids: readonly string[],
  filter: LocalFilter | null,
  signal: AbortSignal,
): Promise<Facet[]> {
  const columns = ids.slice(0, MAX_FACETS).map((id) => columnOf(rows.record.columns, id));
  let hits: Promise<string | null> | null = null;
  const hitsOnce = () => {
    hits ??= candidateRows(rows.db, rows.record, filter, now(), signal);
    return hits;
  };
  return Promise.all(columns.map((column) => facet(rows, now, column, filter, hitsOnce, signal)));
}
