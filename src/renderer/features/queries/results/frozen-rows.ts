import type { Bridge } from '#shared/bridge/bridge.ts';
import type { InputOf } from '#shared/bridge/operations.ts';

interface FrozenRows {
  count: number;
  /** Entity ids of the rows `[start, end)`, or null if the row has none. */
  page: (start: number, end: number) => Promise<(string | null)[]>;
}

/** Freezes these rows for as long as `read` takes. Rejects when the result is no longer on this machine. */
export async function whileFrozen<T>(
  bridge: Pick<Bridge, 'call'>,
  which: InputOf<'results.matching'>,
  read: (rows: FrozenRows) => Promise<T>,
): Promise<T> {
  const { selectionId, count } = await bridge.call('results.matching', which);
  try {
    const page = async (start: number, end: number) =>
      (await bridge.call('results.selection', { selectionId, start, end })).entityIds;
    return await read({ count, page });
  } finally {
    void bridge.call('results.release', { selectionId }).catch(() => undefined);
  }
}

export const named = (ids: readonly (string | null)[]): string[] => ids.filter((id) => id !== null);
