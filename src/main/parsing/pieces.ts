/** A value in pieces that are each received in a few milliseconds: its long lists travel in slices. */

/** Bytes of JSON behind one slice, on the average of the value. */
const SLICE_BYTES = 128 * 1024;
/** Levels in which lists are looked for: the answer itself and its fields, not the cells of its rows. */
const LEVELS = 2;

export interface Piece {
  at: readonly string[];
  items: unknown[];
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `bytes`: how long the value is as JSON. `holder` has it without the items of long lists; `slices` are those. */
export function inPieces(
  value: unknown,
  bytes: number,
): { holder: { value: unknown }; slices: () => Generator<Piece> } {
  const lists: Piece[] = [];
  const without = (node: unknown, at: readonly string[]): unknown => {
    if (Array.isArray(node)) {
      if (node.length < 2) return node;
      lists.push({ at, items: node });
      return [];
    }
    if (!isPlain(node) || at.length > LEVELS) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, child]) => [key, without(child, [...at, key])]),
    );
  };
  const holder = { value: without(value, ['value']) };
  const count = lists.reduce((sum, { items }) => sum + items.length, 0);
  const size = Math.max(1, Math.floor((count * SLICE_BYTES) / Math.max(1, bytes)));
  return {
    holder,
    *slices() {
      for (const { at, items } of lists)
        for (let from = 0; from < items.length; from += size)
          yield { at, items: items.slice(from, from + size) };
    },
  };
}

/** Puts a slice where it belongs. */
export function addPiece(holder: object, { at, items }: Piece): void {
  let node: unknown = holder;
  for (const key of at) node = (node as Record<string, unknown>)[key];
  for (const item of items) (node as unknown[]).push(item);
}
