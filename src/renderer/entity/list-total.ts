import { isOpenList, type ReturnedList } from '#shared/api/list-end.ts';

/**
 * Number of rows of a list that is read in pages of `page` rows. Null if unknown, because the service gives no count,
 * or one smaller than the number of rows it returned, and its first page is full or says that more follow.
 */
export function listTotal(first: ReturnedList | undefined, page: number): number | null {
  if (first === undefined) return null;
  const { rows, total_rows: total } = first;
  if (total !== null && total !== undefined && total >= rows.length) return total;
  return rows.length < page && !isOpenList(first) ? rows.length : null;
}

/**
 * Rows of each page but the last. A service may return fewer than `page`: then the length of the first page counts, if
 * more pages follow or may follow (`total` null: unknown).
 */
export const pageLength = (first: ReturnedList | undefined, total: number | null, page: number): number =>
  first === undefined || first.rows.length === 0 || total === first.rows.length ? page : first.rows.length;
