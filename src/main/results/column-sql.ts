/** The cells of a set's table as SQL values. Also used in the store's threads: loads no schema library. */
import { isVerdictColumn } from '#shared/model/verdict.ts';
import { type FieldMapping, foldSql, verdictRankSql } from '#shared/query/predicate-sql.ts';
import type { LongNumbers, StoredColumn } from '../store/tasks.ts';

/** An instant as it is stored and sorted, of any precision. */
const INSTANT = '[0-9][0-9][0-9][0-9]-??-??T??:??:??*Z';

/** How a column stores its values. */
type Form = Pick<StoredColumn, 'storage' | 'long'>;

/** How conditions read a column's values; `cell` is SQL of its cell. */
export function mappingOf({ storage, long }: Form, cell: string): FieldMapping {
  if (storage === 'json')
    return {
      value: itemSql({ storage, long }, cell, 'j'),
      instant: 'pp_instant(j.value)',
      number: {
        plain: long === 'any' ? null : 'j.value',
        key:
          long === 'any'
            ? `pp_number(iif(typeof(j.value) = 'real', ${realSql(cell, 'j')}, ${wholeSql('j.value')}))`
            : keySql('j.value'),
      },
      some: (sql) => `EXISTS (SELECT 1 FROM json_each(${itemsSql(cell)}) j WHERE ${sql})`,
    };
  // As texts, instants of other precisions than milliseconds compare wrongly, so both sides are normalised.
  if (storage === 'date')
    return {
      value: cell,
      instant: `CASE WHEN ${cell} NOT GLOB '${INSTANT}' THEN NULL
        WHEN length(${cell}) = 20 THEN substr(${cell}, 1, 19) || '.000Z'
        WHEN length(${cell}) <> 24 THEN substr(substr(${cell}, 1, length(${cell}) - 1) || '00', 1, 23) || 'Z'
        ELSE ${cell} END`,
    };
  return {
    value: shownSql(long, cell),
    number: { plain: long === 'any' ? null : cell, key: keySql(cell) },
  };
}

/** The driver would round an integer beyond 2^53. */
const wholeSql = (value: string): string =>
  `iif(typeof(${value}) = 'integer', CAST(CAST(${value} AS TEXT) AS BLOB), ${value})`;
const keySql = (value: string): string => `pp_number(${wholeSql(value)})`;

/** The digits of a number in a list, which JSON functions round. */
const realSql = (cell: string, item: string): string => `CAST(${itemsSql(cell)} -> ${item}.fullkey AS BLOB)`;

/** A value as screens show it: long numbers as texts of their digits. */
export function shownSql(long: LongNumbers | undefined, value: string): string {
  if (long === undefined) return value;
  const most = Number.MAX_SAFE_INTEGER;
  return `CASE typeof(${value}) WHEN 'blob' THEN CAST(${value} AS TEXT)
    WHEN 'integer' THEN iif(${value} BETWEEN ${-most} AND ${most}, ${value}, CAST(${value} AS TEXT)) ELSE ${value} END`;
}

/** The same of an item of a list in the cell; `item` is the alias of json_each. */
export const itemSql = ({ long }: Form, cell: string, item: string): string =>
  long === 'any'
    ? `iif(typeof(${item}.value) = 'real', pp_shown(${realSql(cell, item)}), ${shownSql(long, `${item}.value`)})`
    : shownSql(long, `${item}.value`);

/** A cell as a JSON list for json_each: a missing cell as an empty list, a single value as a list of one. */
const itemsSql = (cell: string): string =>
  `CASE WHEN ${cell} GLOB '[[]*' THEN ${cell} WHEN ${cell} IS NULL THEN '[]' ELSE json_array(json(${cell})) END`;

/** The cell by which a row counts, in facets, in groups and in the filters that they lead to: a text that is no time is none. */
export function countedSql({ storage, sql, long }: StoredColumn): string {
  const cell = `r.${sql}`;
  if (storage === 'date') return mappingOf({ storage }, cell).instant ?? cell;
  return storage === 'json' ? cell : shownSql(long, cell);
}

/** The values by which a list counts, for json_each: NULL if it is missing, an empty text if it is empty. */
export const countedItemsSql = (cell: string): string =>
  `CASE WHEN ${cell} IS NULL THEN '[null]' WHEN ${cell} = '[]' THEN '[""]' ELSE ${itemsSql(cell)} END`;

/**
 * The sort values of a column over rows `r`, compared by bytes: verdicts by severity, texts by their folds and then by
 * code points, as the service sorts them; instants and lists as they are.
 */
export function sortValues(column: StoredColumn): string[] {
  const { sql, storage, long } = column;
  const cell = `r.${sql}`;
  const isText = `typeof(${cell}) = 'text'`;
  const isExact = long === 'any' && storage !== 'json';
  const keyed = (value: string) => (isExact ? keySql(value) : value);
  // JSON lists of sort values cannot hold BLOBs, which the key before has put in order.
  const plain = isExact ? `iif(${isText}, ${cell}, NULL)` : cell;
  if (isVerdictColumn(column)) return [verdictRankSql(cell), foldSql(cell), plain];
  if (storage === 'text') return [foldSql(cell), cell];
  if (storage === 'any') return [keyed(`iif(${isText}, ${foldSql(cell)}, ${cell})`), plain];
  return [keyed(cell)];
}
