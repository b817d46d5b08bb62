import { useMemo } from 'react';
import { type Read, type ReadRequest, useRead } from '#renderer/bridge/use-read.ts';
import { REFUSED } from '#shared/api/numbered-pages.ts';
import type { ErrorCode } from '#shared/bridge/errors.ts';
import { listTotal } from './list-total.ts';

type Paged = 'entity.permissions' | 'exceptions.search2' | 'file.events';

/** Offline nothing tells more than the count that was kept. */
const TELLS_NOTHING: ReadonlySet<ErrorCode> = new Set([...REFUSED, 'offline', 'not-cached']);

/**
 * As `listTotal`, of a list whose first page is `first`. Some services count only the rows of a page: where the count is
 * that of a full first page, the next one is asked for, and the total is unknown if it has other rows or cannot be read.
 */
export function useListTotal<N extends Paged>(
  endpoint: N,
  first: Read<N>['data'],
  page: number,
  next: ReadRequest<N>,
): number | null {
  const total = listTotal(first, page);
  const isDoubtful = total === page && first?.rows.length === page;
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
  return isMore || isOpen ? null : total;
}
