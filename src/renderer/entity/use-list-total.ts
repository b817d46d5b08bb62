import { type Read, type ReadRequest, useRead } from '#renderer/bridge/use-read.ts';
import { listTotal } from './list-total.ts';

type Paged = 'entity.permissions' | 'exceptions.search2' | 'file.events';

/**
 * As `listTotal`, of a list whose first page is `first`. Some services count only the rows of a page: where the count is
 * that of a full first page, the next one is asked for, and the total is unknown if it has other rows.
 */
export function useListTotal<N extends Paged>(
  endpoint: N,
  first: Read<N>['data'],
  page: number,
  next: ReadRequest<N>,
): number | null {
  const total = listTotal(first, page);
  const isDoubtful = total === page && first?.rows.length === page;
  const { data } = useRead(endpoint, isDoubtful ? next : null);
  const isMore =
    isDoubtful &&
    data !== undefined &&
    data.rows.length > 0 &&
    JSON.stringify(data.rows) !== JSON.stringify(first?.rows);
  return isMore ? null : total;
}
