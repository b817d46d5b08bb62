/** Values and counts of columns among the rows of a set. */
import type { LocalFilter, OutputOf } from '#shared/bridge/operations.ts';
import { look } from './columnar/client.ts';
import { hitsOf } from './columnar/text-client.ts';
import { columnOf, type StoredColumn } from './columns.ts';
import type { Rows } from './leases.ts';
import { localQuery } from './local-query.ts';

type Facet = OutputOf<'results.facets'>['facets'][number];

/** Values listed per column; `distinct` tells how many there are. */
const MAX_VALUES = 100;
/** Columns of one question. */
export const MAX_FACETS = 20;

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
  const looked = await look(db, record, {
    sort: [],
    filter,
    want: { kind: 'facet', sql: column.sql, most: MAX_VALUES },
    now: now(),
    ignoring: column.id,
    signal,
  });
  if (looked !== null)
    return {
      column: column.id,
      values: looked.values.map(({ value, count }) => ({ value: shown(value), count })),
      distinct: looked.count,
    };
  const hits = await hitsOnce();
  const query = localQuery(record, [], filter, { now: now(), hits, ignoring: column.id });
  const cell = `r.${column.sql}`;
  const values =
    column.storage === 'json'
      ? // A list counts once for each of its values; an empty one counts as none.
        `SELECT DISTINCT l.at, j.value FROM (SELECT r.pos AS at, ${cell} AS list ${query.from}) l
          LEFT JOIN json_each(CASE WHEN l.list GLOB '[[]*' THEN l.list WHEN l.list IS NULL THEN '[]' ELSE json_array(l.list) END) j`
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
    hits ??= hitsOf(rows.db, rows.record, filter, signal);
    return hits;
  };
  return Promise.all(columns.map((column) => facet(rows, now, column, filter, hitsOnce, signal)));
}
