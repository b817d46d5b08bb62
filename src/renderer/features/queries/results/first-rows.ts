/** Requests the first rows of a run as soon as it is answered: before the grid is mounted and before all panels. */
import { BLOCK_ROWS } from '#renderer/ui/grid/grid-scroll.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { OutputOf, ResultSet } from '#shared/bridge/operations.ts';

type Page = OutputOf<'results.page'>;

const MOST_KEPT = 4;
/** Hidden windows draw no frames. */
const UNSEEN_MS = 1000;

interface FirstRows {
  page: Promise<Page>;
  taken: boolean;
  /** Resolves when a frame with the rows has been drawn, or when there will be none. */
  drawn: PromiseWithResolvers<void>;
}
const cache = new Map<string, FirstRows>();

/**
 * Requests loaded rows only: a whole block would wait for the service's next response. Resolves when they arrive or
 * fail, so that bar, grid and rows are drawn together.
 */
export async function askFirstRows(bridge: Bridge, { id, loaded }: ResultSet): Promise<void> {
  if (cache.has(id) || loaded === 0) return;
  const page = bridge.call('results.page', { resultId: id, start: 0, end: Math.min(BLOCK_ROWS, loaded) });
  const first: FirstRows = { page, taken: false, drawn: Promise.withResolvers<void>() };
  cache.set(id, first);
  for (const oldest of cache.keys()) {
    if (cache.size <= MOST_KEPT) break;
    cache.delete(oldest);
  }
  await page.then(
    () => void setTimeout(first.drawn.resolve, UNSEEN_MS),
    // The grid repeats the request and shows the error.
    first.drawn.resolve,
  );
}

/** Returns the rows once: afterwards there may be more of them. */
export function takeFirstRows(resultId: string): Promise<Page> | null {
  const rows = cache.get(resultId);
  if (!rows || rows.taken) return null;
  rows.taken = true;
  // A frame is on screen when the next one begins.
  const drawn = () =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(rows.drawn.resolve)));
  rows.page.then(drawn, () => undefined);
  return rows.page;
}

/** For panels beside the rows: waits until a frame with the first rows is drawn; resolves at once if none were requested. */
export const afterFirstRows = async (resultId: string): Promise<void> => cache.get(resultId)?.drawn.promise;
