import type { Read } from '#renderer/bridge/use-read.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';
import { isWholeList, type ReturnedList } from '#shared/api/list-end.ts';
import { exact } from '#shared/model/format.ts';
import { panelState } from './panel-state.ts';

/**
 * Length of an unpaged list: the service's count, if it returned fewer rows, or undefined if unknown, because it
 * returned as many rows as it counts and says that there are more.
 */
export function listCount(data: ReturnedList | undefined): number | undefined {
  if (data === undefined) return undefined;
  const counted = data.total_rows ?? 0;
  if (counted > data.rows.length) return counted;
  return isWholeList(data) ? data.rows.length : undefined;
}

/** The rows, for conclusions that require all of them, or undefined if some are missing. */
export const wholeRows = <T>(
  data: (ReturnedList & { rows: readonly T[] }) | undefined,
): readonly T[] | undefined => (data && isWholeList(data) ? data.rows : undefined);

/**
 * The props of Panel for the read of an unpaged list, of which the service may return fewer rows than it counts. Must
 * follow the panel's other props.
 */
export function listState(read: Omit<Read<ReadEndpoint>, 'data'> & { data: ReturnedList | undefined }) {
  const state = panelState(read);
  const { data } = read;
  if (read.error !== null || data === undefined || isWholeList(data)) return state;
  const here = exact(data.rows.length);
  const all = listCount(data);
  const count = `${here} of ${all === undefined ? 'more' : exact(all)}`;
  const message =
    all === undefined
      ? `The service returned ${here} and says that these are not all.`
      : `The service returned ${count}.`;
  return {
    ...state,
    // This code is never merged into the error that panels share.
    error: { code: 'wrong-shape', message, retryable: true } as const,
    count,
    empty: null,
    shownInstead: 'The others are not shown.',
    notKnown: '',
  };
}
