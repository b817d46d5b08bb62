/** Whether a list that was returned at once is all of it. */
import { isNothing } from './repair.ts';

export interface ReturnedList {
  rows: readonly unknown[];
  total_rows?: number | null | undefined;
  [field: string]: unknown;
}

/** What stands in a field for errors, and is not a way to say that there were none. */
export const isComplaint = (value: unknown): boolean =>
  value === true ||
  (typeof value === 'string' ? value.trim() !== '' : typeof value === 'object' && !isNothing(value));

/**
 * The service says that the list goes on, or that something went wrong while it was made. Some services always return a
 * cursor, which leads nowhere when their count agrees with the rows.
 */
export function isOpenList(list: ReturnedList): boolean {
  const cursor = list['search_after'] ?? list['searchAfter'];
  const more = list['has_more'] ?? list['hasMore'];
  const leadsOn = cursor !== '' && !isNothing(cursor) && (list.total_rows ?? null) === null;
  const complaint = list['error'] ?? list['errors'];
  return leadsOn || more === true || list['success'] === false || isComplaint(complaint);
}

/** Whether every row is here that the service knows of. */
export const isWholeList = (list: ReturnedList): boolean =>
  (list.total_rows ?? 0) <= list.rows.length && !isOpenList(list);
