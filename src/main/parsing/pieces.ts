/** Splits a value into pieces that each take a few milliseconds to receive, by sending long lists in slices. */
import { isRecord } from '#shared/model/narrow.ts';

/** Average bytes of JSON per slice. */
const SLICE_BYTES = 128 * 1024;
/** Depth to which lists are split: the response and its fields, not the cells of its rows. */
const LEVELS = 2;

export interface Piece {
  at: readonly string[];
  items: unknown[];
}

/**
 * `bytes`: length of the value as JSON. `holder` is the value without the items of long lists, which are in `slices`.
 */
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
    if (!isRecord(node) || at.length > LEVELS) return node;
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

/** Inserts a slice at its path. */
export function addPiece(holder: object, { at, items }: Piece): void {
  let node: unknown = holder;
  for (const key of at) node = (node as Record<string, unknown>)[key];
  for (const item of items) (node as unknown[]).push(item);
}
