/**
 * The order of every row of a set, for one walk over all of them: from the columns it goes by, where those can say and
 * the set is not too large; otherwise SQLite sorts a range of the first key at a time, so that the memory of the sort
 * does not grow with the set.
 */
import type { Sort } from '#shared/model/entities.ts';
import type { Database, SqlValue } from '../store/database.ts';
import { columnOf } from './columns.ts';
import { localQuery, narrowed, sortKey } from './local-query.ts';
import { LOOK_FROM, look, orderTask } from './looking.ts';
import { type Found, Moved } from './rank.ts';
import type { SetRecord } from './record.ts';

/** Up to so many rows an order is read from its columns; their memory grows with the rows. */
const MOST_BY_COLUMNS = 2_000_000;
/** Rows of a range, about. */
const RANGE = 1_000_000;
/** Rows looked at to find where ranges begin, for each of them. */
const SAMPLES = 1_000;

/** A range as a condition over `key`; `low` and `high` are names of parameters, null where it is open. */
const within = (key: string, low: string | null, high: string | null): string =>
  [...(low === null ? [] : [`${key} >= @${low}`]), ...(high === null ? [] : [`${key} < @${high}`])].join(
    ' AND ',
  );

/** Values of the first key at which ranges begin, rising; some may be alike. */
async function cutsOf(
  db: Database,
  record: SetRecord,
  key: string,
  range: number,
  signal: AbortSignal,
): Promise<SqlValue[]> {
  const ranges = Math.ceil(record.loaded / range);
  if (ranges < 2) return [];
  const step = Math.max(1, Math.floor(record.loaded / (ranges * SAMPLES)));
  const places = Array.from({ length: Math.floor(record.loaded / step) }, (_, index) => index * step);
  const rows = await db.rows(
    `SELECT ${key} AS key FROM rs_${record.n} r
      WHERE r.pos IN (SELECT value FROM json_each(?)) AND ${key} IS NOT NULL ORDER BY key`,
    [JSON.stringify(places)],
    { signal },
  );
  return Array.from(
    { length: ranges - 1 },
    (_, index) => rows[Math.floor((rows.length * (index + 1)) / ranges)]?.[0] ?? null,
  ).filter((cut) => cut !== null);
}

/** Rejects `cancelled`, `invalid-input` for a column that the set does not have, and Moved when rows changed meanwhile. */
export async function wholeOrder(
  db: Database,
  record: SetRecord,
  sort: readonly Sort[],
  now: number,
  signal: AbortSignal,
  range: number = RANGE,
): Promise<Found> {
  const { loaded } = record;
  const want = { kind: 'order' } as const;
  const looked = await look(db, record, { sort, filter: null, want, now, signal, passing: true });
  if (looked !== null) return { loaded, places: looked.places };
  if (record.loaded >= LOOK_FROM && record.loaded <= MOST_BY_COLUMNS) {
    const places = await db.scanOrder(orderTask(record, sort), { signal });
    if (places !== null) return { loaded, places };
  }
  const { from, params, order } = localQuery(record, sort, null, { now, hits: null });
  const [first] = sort;
  const key = first === undefined ? 'r.pos' : sortKey(columnOf(record.columns, first.dbId));
  const cuts = await cutsOf(db, record, key, range, signal);
  const values = Object.fromEntries(cuts.map((cut, index) => [`cut${index}`, cut]));
  const name = (index: number) => (index < 0 || index >= cuts.length ? null : `cut${index}`);
  const ranges = Array.from({ length: cuts.length + 1 }, (_, index) =>
    within(key, name(index - 1), name(index)),
  );
  if (first?.direction === 'desc') ranges.reverse();
  // Missing values come last in either direction.
  const last = ranges.at(-1);
  if (last !== undefined && last !== '') ranges[ranges.length - 1] = `(${last} OR ${key} IS NULL)`;
  const parts = await Promise.all(
    ranges.map((range) =>
      db.scanPlaces(
        `SELECT r.pos ${narrowed(from, '+r.pos < @loaded')}${range === '' ? '' : ` AND ${range}`} ORDER BY ${order}`,
        { ...params, ...values, loaded },
        { signal },
      ),
    ),
  );
  const places = new Uint32Array(loaded);
  let at = 0;
  for (const part of parts) {
    if (at + part.length > loaded) throw new Moved();
    places.set(part, at);
    at += part.length;
  }
  if (at !== loaded) throw new Moved();
  return { loaded, places };
}
