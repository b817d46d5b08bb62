import type { Read } from '#renderer/bridge/use-read.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';
import { exact } from '#shared/model/format.ts';
import { panelState } from './panel-state.ts';

interface List {
  rows: readonly unknown[];
  total_rows?: number | null | undefined;
}

/** Length of a list that is read at once: the service's count, if it returned fewer rows. */
export const listCount = <T extends List | undefined>(data: T) =>
  data && Math.max(data.rows.length, data.total_rows ?? 0);

/** Whether every row is here that the service counts. */
export const isWholeList = (data: List): boolean => (data.total_rows ?? 0) <= data.rows.length;

/** The rows, for what only all of them can tell; undefined: not all are here. */
export const wholeRows = <T>(data: (List & { rows: readonly T[] }) | undefined): readonly T[] | undefined =>
  data && isWholeList(data) ? data.rows : undefined;

/**
 * The props of Panel that come from the read of a list that is read at once, and of which the service may return fewer
 * rows than it counts. Goes after the panel's other props.
 */
export function listState(read: Omit<Read<ReadEndpoint>, 'data'> & { data: List | undefined }) {
  const state = panelState(read);
  const { data } = read;
  if (read.error !== null || data === undefined || isWholeList(data)) return state;
  const count = `${exact(data.rows.length)} of ${exact(listCount(data) ?? 0)}`;
  return {
    ...state,
    error: { code: 'server-error', message: `The service returned ${count}.`, retryable: true } as const,
    count,
    empty: null,
    shownInstead: 'The others are not shown.',
    notKnown: '',
  };
}
