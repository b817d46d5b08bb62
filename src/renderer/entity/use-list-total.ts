import { useMemo } from 'react';
import { type Read, type ReadRequest, useRead } from '#renderer/bridge/use-read.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { TELLS_NOTHING } from '#shared/api/numbered-pages.ts';
import { listTotal, pageLength } from './list-total.ts';

type Paged = 'entity.permissions' | 'exceptions.search2' | 'file.events';

export interface ListLength {
  /** Rows of the list, or null if unknown. */
  total: number | null;
  /** Rows of each page but the last, by which pages are found. */
  pageLength: number;
}

/**
 * The length of a list whose first page is `first`. Some services count only the rows of a page, and return fewer than
 * were requested: where the first page seems to be the whole list, the next one is requested, and the total is unknown if
 * it has other rows or cannot be read.
 */
export function useListTotal<N extends Paged>(
  endpoint: N,
  first: Read<N>['data'],
  page: number,
  next: ReadRequest<N>,
): ListLength {
  const { connection } = useConnection();
  const claimed = listTotal(first, page);
  // Parapet's own service counts the whole list.
  const isOwn = connection?.kind === 'demo' || connection?.kind === 'evidence';
  const isDoubtful = !isOwn && first !== undefined && first.rows.length > 0 && claimed === first.rows.length;
  const { data, error } = useRead(endpoint, isDoubtful ? next : null);
  const isMore = useMemo(
    () =>
      isDoubtful &&
      data !== undefined &&
      data.rows.length > 0 &&
      JSON.stringify(data.rows) !== JSON.stringify(first?.rows),
    [isDoubtful, data, first],
  );
  const isOpen = isDoubtful && data === undefined && error !== null && !TELLS_NOTHING.has(error.code);
  const total = isMore || isOpen ? null : claimed;
  return { total, pageLength: pageLength(first, total, page) };
}
