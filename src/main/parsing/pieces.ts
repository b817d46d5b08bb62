/** Splits a value into pieces that each take a few milliseconds to receive, by sending long lists in slices. */
import { isRecord } from '#shared/model/narrow.ts';

/** Average bytes of JSON per slice. */
const SLICE_BYTES = 128 * 1024;
/** Depth to which lists are split: the response and its fields, not the cells of its rows. */
const LEVELS = 2;

/**
 * Fields of one entry of a list, or of all that is in no list: they are received at once, and a million of them take
 * seconds.
 */
const MOST_FIELDS = 50_000;

/** Whether a piece of the value would have more than MOST_FIELDS. */
export function hasTooManyFields(value: unknown): boolean {
  const exceeds = (node: unknown, level: number, piece: { fields: number }): boolean => {
    if (Array.isArray(node)) {
      const isSplit = level <= LEVELS;
      return node.some((item) => exceeds(item, LEVELS + 1, isSplit ? { fields: 0 } : piece));
    }
    if (!isRecord(node)) return false;
    const children = Object.values(node);
    piece.fields += children.length;
    return piece.fields > MOST_FIELDS || children.some((child) => exceeds(child, level + 1, piece));
  };
  return exceeds(value, 0, { fields: 0 });
}

export interface Piece {
  path: readonly string[];
  items: unknown[];
}

/**
 * `bytes` is the length of the value as JSON. `holder` is the value without the items of long lists, which are in
 * `slices`.
 */
export function inPieces(
  value: unknown,
  bytes: number,
): { holder: { value: unknown }; slices: () => Generator<Piece> } {
  const lists: Piece[] = [];
  const without = (node: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(node)) {
      if (node.length < 2) return node;
      lists.push({ path, items: node });
      return [];
    }
    if (!isRecord(node) || path.length > LEVELS) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, child]) => [key, without(child, [...path, key])]),
    );
  };
  const holder = { value: without(value, ['value']) };
  const count = lists.reduce((sum, { items }) => sum + items.length, 0);
  const size = Math.max(1, Math.floor((count * SLICE_BYTES) / Math.max(1, bytes)));
  return {
    holder,
    *slices() {
      for (const { path, items } of lists)
        for (let from = 0; from < items.length; from += size)
          yield { path, items: items.slice(from, from + size) };
    },
  };
}

/** Inserts a slice at its path. */
export function addPiece(holder: object, { path, items }: Piece): void {
  let node: unknown = holder;
  for (const key of path) node = (node as Record<string, unknown>)[key];
  for (const item of items) (node as unknown[]).push(item);
}
