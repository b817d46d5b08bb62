/**
 * Sample sort: the sort values that each row carries, and splitters chosen from a sample, so that no sort over all rows
 * is needed.
 */
import type { Sort } from '#shared/model/entities.ts';
import { sortValues } from '../../results/column-sql.ts';
import { columnOf, holdsTexts } from '../../results/columns.ts';
import type { SetRecord } from '../../results/record.ts';
import type { Database, SqlValue } from '../../store/database.ts';
import type { ByKeys, SortLists } from '../protocol.ts';
import { compareKeys, keysOf, NULL_TEXT } from './keys.ts';
import { bytesPerRow, partitionsFor } from './partition.ts';

/** Sampled rows per partition: keeps partition sizes within about a third of each other. */
const SAMPLES = 64;
/** Only this much of a text is sampled: texts that differ only beyond it share a partition. */
const SAMPLE_CHARACTERS = 4_096;
/** Sample positions are spread irregularly, so that rows which alternate in a fixed pattern are not all of one kind. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** A sort value as SQL over the rows `r`; of `texts` if only texts and NULLs occur. */
export interface SortValue {
  sql: string;
  texts: boolean;
}

/** Sort keys for an order of all rows. */
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

/** Aggregates the sort values of a range for `keysOf`. Texts ended by NUL are cheaper than JSON. */
export const listSql = (sql: string, { texts }: SortValue): string =>
  texts
    ? `CAST(group_concat(coalesce(${sql}, CAST(x'${NULL_TEXT.toString(16)}' AS TEXT)), char(0)) AS BLOB)`
    : `json_group_array(${sql})`;

/** A result row of those aggregates. */
export const listsOf = (row: readonly SqlValue[]): SortLists =>
  row.map((list) => (list instanceof Uint8Array ? list : String(list)));

/** Reads a sample and picks the splitters. Rejects `cancelled`. */
export async function sampleSplitters(
  db: Database,
  record: SetRecord,
  { values, descending }: KeyOrder,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  const { loaded, n } = record;
  const partitions = partitionsFor(loaded, bytesPerRow(record));
  if (partitions < 2) return [];
  const samples = Math.min(partitions * SAMPLES, loaded);
  const positions = Array.from({ length: samples }, (_, index) =>
    Math.floor(((index + ((index * GOLDEN) % 1)) * loaded) / samples),
  );
  const lists = values.map((value) => {
    const { sql } = value;
    return listSql(`iif(typeof(${sql}) = 'text', substr(${sql}, 1, ${SAMPLE_CHARACTERS}), ${sql})`, value);
  });
  const [[rowIndexes, ...row] = []] = await db.rows(
    `SELECT json_group_array(r.pos), ${lists.join(', ')}
      FROM rs_${n} r WHERE r.pos IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(positions)],
    { signal },
  );
  const { bytes, ends } = keysOf(listsOf(row), descending, JSON.parse(String(rowIndexes)) as number[]);
  const keys = Array.from(ends, (end, index) =>
    Uint8Array.from(bytes.subarray(index === 0 ? 0 : ends[index - 1], end)),
  ).sort(compareKeys);
  return Array.from(
    { length: partitions - 1 },
    (_, index) => keys[Math.floor((keys.length * (index + 1)) / partitions)]!,
  );
}
