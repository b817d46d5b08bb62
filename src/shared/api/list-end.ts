/** Whether a list returned in one response is complete. */
import { isNothing } from './repair.ts';

export interface ReturnedList {
  rows: readonly unknown[];
  total_rows?: number | null | undefined;
  [field: string]: unknown;
}

/** Whether a field for errors reports one, rather than saying that there were none. */
export const isComplaint = (value: unknown): boolean =>
  value === true ||
  (typeof value === 'string' ? value.trim() !== '' : typeof value === 'object' && !isNothing(value));

/**
 * The service says that the list continues, or that an error occurred. A cursor only counts without a total, as some
 * services always return one.
 */
export function isOpenList(list: ReturnedList): boolean {
  const cursor = list['search_after'] ?? list['searchAfter'];
  const more = list['has_more'] ?? list['hasMore'];
  const leadsOn = cursor !== '' && !isNothing(cursor) && (list.total_rows ?? null) === null;
  const complaint = list['error'] ?? list['errors'];
  return leadsOn || more === true || list['success'] === false || isComplaint(complaint);
}

/** Whether the list contains every row that the service counts. */
export const isWholeList = (list: ReturnedList): boolean =>
  (list.total_rows ?? 0) <= list.rows.length && !isOpenList(list);
