/** Sorts by columns in memory: the first rows with a heap, all rows with a radix sort. The sort is stable. */
import { verdictRank } from '#shared/model/verdict.ts';
import { foldText } from '#shared/query/text.ts';
import type { Storage } from '../../store/tasks.ts';
import { compareValues, NULL_BUCKET, type Value, type Vector } from './vectors.ts';

/** One number per row; smaller sorts first. */
export type SortKey = Float64Array | Uint16Array;
interface Direction {
  descending: boolean;
  /** The column holds verdicts, which are sorted by severity. */
  verdicts: boolean;
}
/** For more rows than this a heap is slower than sorting everything. */
const MAX_HEAP = 5_000;

/** The rank of each code in the order of its values, which is that of `sortValues`. */
function ranksOf(
  values: readonly Value[],
  storage: Storage,
  { descending, verdicts }: Direction,
): Uint16Array {
  const folds = storage === 'text' || storage === 'any';
  const keys = values.map((value) => (folds && typeof value === 'string' ? foldText(value) : value));
  const severities = keys.map((key) => (verdicts ? verdictRank(String(key)) : 0));
  const order = keys
    .map((_, code) => code)
    .filter((code) => keys[code] !== null)
    .sort(
      (a, b) =>
        severities[a]! - severities[b]! ||
        compareValues(keys[a]!, keys[b]!) ||
        compareValues(values[a]!, values[b]!),
    );
  const ranks = new Uint16Array(values.length).fill(order.length);
  for (const [rank, code] of order.entries()) ranks[code] = descending ? order.length - 1 - rank : rank;
  return ranks;
}

/** A column's keys for one direction, nulls last; those of buckets leave the order within a bucket open. */
export function keyOf(vector: Vector, direction: Direction): SortKey {
  const { descending } = direction;
  if (vector.kind === 'codes') {
    const ranks = ranksOf(vector.values, vector.storage, direction);
    const { codes } = vector;
    const key = new Uint16Array(codes.length);
    for (let row = 0; row < codes.length; row++) key[row] = ranks[codes[row]!]!;
    return key;
  }
  if (vector.kind === 'buckets') {
    const { buckets } = vector;
    return descending
      ? buckets.map((bucket) => (bucket === NULL_BUCKET ? bucket : NULL_BUCKET - 1 - bucket))
      : buckets;
  }
  const { values } = vector;
  const key = new Float64Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    key[row] = Number.isNaN(value) ? Number.POSITIVE_INFINITY : descending ? 0 - value : value;
  }
  return key;
}

const comparison =
  (keys: readonly SortKey[]) =>
  (a: number, b: number): number => {
    for (const key of keys) {
      const difference = key[a]! - key[b]!;
      // Subtracting infinities gives NaN: both values are null.
      if (difference > 0 || difference < 0) return difference;
    }
    return 0;
  };

/**
 * The indexes of the rows that sort before a row or equal to it, in ascending order, or null if there are more than
 * `limit`.
 */
export function rowsUpTo(
  keys: readonly SortKey[],
  mask: Uint8Array | null,
  rows: number,
  last: number,
  limit: number,
): Uint32Array | null {
  const compare = comparison(keys);
  const foundRows: number[] = [];
  for (let row = 0; row < rows; row++) {
    if ((mask !== null && mask[row] === 0) || compare(row, last) > 0) continue;
    if (foundRows.length === limit) return null;
    foundRows.push(row);
  }
  return Uint32Array.from(foundRows);
}

/** The indexes of the first `limit` rows in order, among those in the mask if there is one. */
export function firstRows(
  keys: readonly SortKey[],
  mask: Uint8Array | null,
  rows: number,
  limit: number,
): Uint32Array {
  const [first] = keys;
  if (first === undefined || limit > MAX_HEAP) return sortAll(keys, mask, rows).subarray(0, limit);
  if (limit === 0) return new Uint32Array(0);
  const compare = comparison(keys);
  const isAfter = (a: number, b: number): boolean => (compare(a, b) || a - b) > 0;
  // The last of the rows kept is at the top.
  const heap = new Uint32Array(limit);
  let size = 0;
  const sink = (row: number, end: number) => {
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= end) break;
      if (child + 1 < end && isAfter(heap[child + 1]!, heap[child]!)) child++;
      if (!isAfter(heap[child]!, row)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = row;
  };
  for (let row = 0; row < rows; row++) {
    if (mask !== null && mask[row] === 0) continue;
    if (size < limit) {
      let index = size++;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        if (!isAfter(row, heap[parent]!)) break;
        heap[index] = heap[parent]!;
        index = parent;
      }
      heap[index] = row;
      continue;
    }
    if (first[row]! > first[heap[0]!]!) continue;
    if (isAfter(heap[0]!, row)) sink(row, size);
  }
  for (let end = size - 1; end > 0; end--) {
    const last = heap[end]!;
    heap[end] = heap[0]!;
    sink(last, end);
  }
  return heap.subarray(0, size);
}

/** One pass of the radix sort: a stable sort by 16 bits of the keys. */
function pass(order: Uint32Array, digits: Uint16Array, stride: number, offset: number): Uint32Array {
  const counts = new Uint32Array(65_537);
  for (let index = 0; index < order.length; index++) {
    const digit = digits[order[index]! * stride + offset]!;
    counts[digit + 1] = counts[digit + 1]! + 1;
  }
  const [some = 0] = order;
  if (counts[digits[some * stride + offset]! + 1] === order.length) return order;
  for (let digit = 1; digit < counts.length; digit++) counts[digit] = counts[digit]! + counts[digit - 1]!;
  const next = new Uint32Array(order.length);
  for (let index = 0; index < order.length; index++) {
    const row = order[index]!;
    const digit = digits[row * stride + offset]!;
    const to = counts[digit]!;
    counts[digit] = to + 1;
    next[to] = row;
  }
  return next;
}

/** Doubles as integers with the same order, four 16-bit digits each, least significant first. */
function bitsOf(key: Float64Array): Uint16Array {
  const bits = new Uint32Array(key.slice().buffer);
  for (let index = 0; index < bits.length; index += 2) {
    const high = bits[index + 1]!;
    if (high >>> 31) {
      bits[index] = ~bits[index]!;
      bits[index + 1] = ~high;
    } else bits[index + 1] = high | 0x8000_0000;
  }
  return new Uint16Array(bits.buffer);
}

/**
 * The sorted indexes of all rows in the mask, or of all rows; yields between passes, which take some 50 ms per million
 * rows.
 */
export function* sortRows(
  keys: readonly SortKey[],
  mask: Uint8Array | null,
  rows: number,
): Generator<void, Uint32Array> {
  const all = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (mask === null || mask[row] !== 0) all[count++] = row;
  let order: Uint32Array = all.slice(0, count);
  if (count === 0) return order;
  for (const key of keys.toReversed()) {
    yield;
    if (key instanceof Uint16Array) order = pass(order, key, 1, 0);
    else {
      const bits = bitsOf(key);
      for (let digit = 0; digit < 4; digit++) {
        order = pass(order, bits, 4, digit);
        yield;
      }
    }
  }
  return order;
}

/** The same without yielding. */
export function sortAll(keys: readonly SortKey[], mask: Uint8Array | null, rows: number): Uint32Array {
  const work = sortRows(keys, mask, rows);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
