/** The cells of a set's table as SQL values. Also used in the store's threads: loads no schema library. */
import { isVerdictColumn } from '#shared/model/verdict.ts';
import { type FieldMapping, foldSql, verdictRankSql } from '#shared/query/predicate-sql.ts';
import type { Storage, StoredColumn } from '../store/tasks.ts';

/** An instant as it is stored and sorted, of any precision. */
const INSTANT = '[0-9][0-9][0-9][0-9]-??-??T??:??:??*Z';

/** How conditions read a column's values; `cell`: SQL of its cell. */
export function mappingOf(storage: Storage, cell: string): FieldMapping {
  if (storage === 'json')
    return {
      value: 'j.value',
      instant: 'pp_instant(j.value)',
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
  return { value: cell };
}

/** A cell as a JSON list for json_each: a missing cell as an empty list, a single value as a list of one. */
export const itemsSql = (cell: string): string =>
  `CASE WHEN ${cell} GLOB '[[]*' THEN ${cell} WHEN ${cell} IS NULL THEN '[]' ELSE json_array(json(${cell})) END`;

/**
 * The sort values of a column over rows `r`, compared by bytes: verdicts by severity, texts by their folds and then by
 * code points, as the service sorts them; instants and lists as they are.
 */
export function sortValues(column: StoredColumn): string[] {
  const { sql, storage } = column;
  const cell = `r.${sql}`;
  if (isVerdictColumn(column)) return [verdictRankSql(cell), foldSql(cell), cell];
  if (storage === 'text') return [foldSql(cell), cell];
  if (storage === 'any') return [`iif(typeof(${cell}) = 'text', ${foldSql(cell)}, ${cell})`, cell];
  return [cell];
}
