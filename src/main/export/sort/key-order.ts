/** An order of all rows without a sort of all of them: what each row brings along, and where buckets begin (a sample sort). */
import type { Sort } from '#shared/model/entities.ts';
import { sortValues } from '../../results/column-sql.ts';
import { columnOf, holdsTexts } from '../../results/columns.ts';
import type { SetRecord } from '../../results/record.ts';
import type { Database, SqlValue } from '../../store/database.ts';
import type { ByKeys, SortLists } from '../protocol.ts';
import { compareKeys, keysOf, NO_TEXT } from './keys.ts';
import { bucketsFor, widthOf } from './partition.ts';

/** Rows looked at for each bucket: its size is then within a third of the others', nearly always. */
const SAMPLES = 64;
/** Of a text so much is looked at: those that differ only behind it share a bucket. */
const SAMPLE_CHARACTERS = 4_096;
/** Their distances vary, so that rows which come in turns are not all of one kind. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** What is sorted by: SQL over the rows `r`; texts and what is missing alone, or any values. */
export interface SortValue {
  sql: string;
  texts: boolean;
}

/** An order of all rows by keys. */
export interface KeyOrder extends ByKeys {
  values: readonly SortValue[];
}

/** Throws `invalid-input` for a column that the set does not have. */
export function keyOrder({ columns }: SetRecord, sort: readonly Sort[]): KeyOrder {
  const keys = sort.flatMap(({ dbId, direction }) => {
    const column = columnOf(columns, dbId);
    const value = { descending: direction === 'desc', texts: holdsTexts(column) };
    return sortValues(column).map((sql) => ({ sql, ...value }));
  });
  return {
    by: 'keys',
    descending: keys.map(({ descending }) => descending),
    values: keys.map(({ sql, texts }) => ({ sql, texts })),
  };
}

/** Aggregate of such values as `keysOf` takes them. Texts as they are, each ended by NUL, cost less than JSON. */
export const listSql = (sql: string, { texts }: SortValue): string =>
  texts
    ? `CAST(group_concat(coalesce(${sql}, CAST(x'${NO_TEXT.toString(16)}' AS TEXT)), char(0)) AS BLOB)`
    : `json_group_array(${sql})`;

/** A row of such aggregates. */
export const listsOf = (row: readonly SqlValue[]): SortLists =>
  row.map((list) => (list instanceof Uint8Array ? list : String(list)));

/** The keys at which buckets begin. Rejects `cancelled`. */
export async function readCuts(
  db: Database,
  record: SetRecord,
  { values, descending }: KeyOrder,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  const { loaded, n } = record;
  const buckets = bucketsFor(loaded, widthOf(record));
  if (buckets < 2) return [];
  const samples = Math.min(buckets * SAMPLES, loaded);
  const wanted = Array.from({ length: samples }, (_, index) =>
    Math.floor(((index + ((index * GOLDEN) % 1)) * loaded) / samples),
  );
  const lists = values.map((value) => {
    const { sql } = value;
    return listSql(`iif(typeof(${sql}) = 'text', substr(${sql}, 1, ${SAMPLE_CHARACTERS}), ${sql})`, value);
  });
  const [[places, ...row] = []] = await db.rows(
    `SELECT json_group_array(r.pos), ${lists.join(', ')}
      FROM rs_${n} r WHERE r.pos IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(wanted)],
    { signal },
  );
  const { bytes, ends } = keysOf(listsOf(row), descending, JSON.parse(String(places)) as number[]);
  const keys = Array.from(ends, (end, index) =>
    Uint8Array.from(bytes.subarray(index === 0 ? 0 : ends[index - 1], end)),
  ).sort(compareKeys);
  return Array.from(
    { length: buckets - 1 },
    (_, index) => keys[Math.floor((keys.length * (index + 1)) / buckets)]!,
  );
}
