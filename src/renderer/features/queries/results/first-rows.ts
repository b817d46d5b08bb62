/** The first rows of a run, asked for as soon as it is answered: before the grid stands, and ahead of all its panels. */
import { BLOCK_ROWS } from '#renderer/ui/grid-scroll.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { OutputOf, ResultSet } from '#shared/bridge/operations.ts';

type Page = OutputOf<'results.page'>;

const MOST_KEPT = 4;

interface FirstRows {
  page: Promise<Page>;
  taken: boolean;
}
const asked = new Map<string, FirstRows>();

/** Only what is loaded: a whole block would wait for the next answer of the service. */
export function askFirstRows(bridge: Bridge, { id, loaded }: ResultSet): void {
  if (asked.has(id) || loaded === 0) return;
  const page = bridge.call('results.page', { resultId: id, start: 0, end: Math.min(BLOCK_ROWS, loaded) });
  // The grid asks again, and shows why.
  page.catch(() => undefined);
  asked.set(id, { page, taken: false });
  for (const oldest of asked.keys()) {
    if (asked.size <= MOST_KEPT) break;
    asked.delete(oldest);
  }
}

/** These rows, once: afterwards there may be more. */
export function takeFirstRows(resultId: string): Promise<Page> | null {
  const found = asked.get(resultId);
  if (!found || found.taken) return null;
  found.taken = true;
  return found.page;
}

/** For panels beside the rows: waits until a frame has the first rows; not at all where none were asked for. */
export async function afterFirstRows(resultId: string): Promise<void> {
  const found = asked.get(resultId);
  if (!found) return;
  await found.page.catch(() => undefined);
  await new Promise((drawn) => requestAnimationFrame(drawn));
}
