/**
 * Sort keys as bytes, encoded so that comparing bytes compares rows as SQLite would (the rule is in
 * results/local-query.ts). Rows can be partitioned and sorted by their keys without a sort over all rows.
 */
import { sortAll } from '../../results/columnar/sort.ts';
import type { SortLists } from '../protocol.ts';

/** Keys, concatenated. */
export interface Keys {
  bytes: Uint8Array;
  /** End offset of each key, where the next begins. */
  ends: Uint32Array;
}

/**
 * First byte of an encoded value: SQLite orders numbers before texts, and missing values come last in both directions.
 */
const NUMBER = 1;
const TEXT = 2;
const MISSING = 0xff;
/** An encoded number: its type byte, a double, and the integer's difference from that double. */
const NUMBER_BYTES = 11;
export const ROW_INDEX_BYTES = 4;
/** Midpoint of 16 bits; the largest difference is 512, half the distance between doubles at 2^63. */
const NO_DIFFERENCE = 0x8000;

type Value = string | number | bigint | null;

const WHOLE = /^-?\d+$/;
/** Keeps integers exact that a double cannot represent. */
const exact = (_: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && WHOLE.test(source) ? BigInt(source) : value;
const isInexact = (value: Value): boolean =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
function valuesOf(list: string): Value[] {
  const values = JSON.parse(list) as Value[];
  return values.some(isInexact) ? (JSON.parse(list, exact) as Value[]) : values;
}

/** Stands for NULL in a list of texts. No UTF-8 contains this byte. */
export const NULL_TEXT = 0xff;

/**
 * The sort keys of the rows with these row indexes. `lists` holds the values of each sort column, the primary one
 * first: a JSON list, or texts ended by NUL. The row index ends the key, so equal rows keep the order of arrival.
 */
export function keysOf(
  lists: SortLists,
  descending: readonly boolean[],
  rowIndexes: ArrayLike<number>,
): Keys {
  // A UTF-16 unit takes at most three bytes of UTF-8.
  const most = lists.reduce((sum, { length }) => sum + 3 * length + NUMBER_BYTES * rowIndexes.length, 0);
  const bytes = Buffer.allocUnsafeSlow(most + ROW_INDEX_BYTES * rowIndexes.length);
  const view = new DataView(bytes.buffer);
  const ends = new Uint32Array(rowIndexes.length);
  let offset = 0;
  const number = (value: number, difference: number) => {
    bytes[offset] = NUMBER;
    // `+ 0` turns -0 into 0, which SQLite does not distinguish.
    view.setFloat64(offset + 1, value + 0);
    if (value < 0) for (let byte = offset + 1; byte < offset + 9; byte++) bytes[byte] = ~bytes[byte]!;
    else bytes[offset + 1] = bytes[offset + 1]! ^ 0x80;
    view.setUint16(offset + 9, NO_DIFFERENCE + difference);
    offset += NUMBER_BYTES;
  };
  /** Encodes the text at `begin`; returns where the next one begins. */
  const putText = (texts: Uint8Array, begin: number): number => {
    if (texts[begin] === NULL_TEXT) {
      bytes[offset++] = MISSING;
      return begin + 2;
    }
    bytes[offset++] = TEXT;
    let from = begin;
    while (from < texts.length && texts[from] !== 0) bytes[offset++] = texts[from++]!;
    // No text here contains NUL, so a text sorts before every longer one that it is a prefix of.
    bytes[offset++] = 0;
    return from + 1;
  };
  const put = (value: Value) => {
    if (value === null) bytes[offset++] = MISSING;
    else if (typeof value === 'number') number(value, 0);
    else if (typeof value === 'bigint') number(Number(value), Number(value - BigInt(Number(value))));
    else putText(Buffer.from(value), 0);
  };
  const columns = lists.map((list) => (typeof list === 'string' ? valuesOf(list) : list));
  const next = new Uint32Array(columns.length);
  for (let row = 0; row < rowIndexes.length; row++) {
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index]!;
      const from = offset;
      if (column instanceof Uint8Array) next[index] = putText(column, next[index]!);
      else put(column[row] ?? null);
      if (descending[index] && bytes[from] !== MISSING)
        for (let byte = from; byte < offset; byte++) bytes[byte] = ~bytes[byte]!;
    }
    view.setUint32(offset, rowIndexes[row]!);
    offset += ROW_INDEX_BYTES;
    ends[row] = offset;
  }
  return { bytes: bytes.subarray(0, offset), ends };
}

/** Copies a key and returns its end. Keys are so short that a loop beats a call of Buffer.copy. */
export function copyKey(
  target: Uint8Array,
  position: number,
  source: Uint8Array,
  from: number,
  end: number,
): number {
  let to = position;
  for (let byte = from; byte < end; byte++) target[to++] = source[byte]!;
  return to;
}

/** Keys made of the number alone; a negative number gets an empty key. */
export function numberKeys(numbers: ArrayLike<number>): Keys {
  const bytes = new Uint8Array(numbers.length * ROW_INDEX_BYTES);
  const view = new DataView(bytes.buffer);
  const ends = new Uint32Array(numbers.length);
  let position = 0;
  for (let row = 0; row < numbers.length; row++) {
    if (numbers[row]! >= 0) {
      view.setUint32(position, numbers[row]!);
      position += ROW_INDEX_BYTES;
    }
    ends[row] = position;
  }
  return { bytes, ends };
}

/** Bytes compared at a time as one number; six fit a double exactly. */
const HEAD_BYTES = 6;
function headOf(bytes: Uint8Array, from: number, end: number): number {
  let head = 0;
  for (let offset = from; offset < from + HEAD_BYTES; offset++)
    head = head * 256 + (offset < end ? bytes[offset]! : 0);
  return head;
}

/** Compares two byte ranges lexicographically. */
export function compare(
  a: Uint8Array,
  fromA: number,
  endA: number,
  b: Uint8Array,
  fromB: number,
  endB: number,
): number {
  const length = Math.min(endA - fromA, endB - fromB);
  for (let index = 0; index < length; index++) {
    const difference = a[fromA + index]! - b[fromB + index]!;
    if (difference !== 0) return difference;
  }
  return endA - fromA - (endB - fromB);
}

export const compareKeys = (a: Uint8Array, b: Uint8Array): number => compare(a, 0, a.length, b, 0, b.length);

/** Length of the common prefix, at most `most`. */
function commonPrefix(a: Uint8Array, fromA: number, b: Uint8Array, fromB: number, most: number): number {
  let position = 0;
  while (position < most && a[fromA + position] === b[fromB + position]) position++;
  return position;
}

/** Finds the partition of a key: the number of splitters that are not greater than it. */
export function partitionFinder(
  splitters: readonly Uint8Array[],
): (bytes: Uint8Array, from: number, end: number) => number {
  const [first] = splitters;
  if (first === undefined) return () => 0;
  const depth = splitters.reduce(
    (least, splitter) => commonPrefix(first, 0, splitter, 0, Math.min(least, splitter.length)),
    first.length,
  );
  const heads = Float64Array.from(splitters, (splitter) => headOf(splitter, depth, splitter.length));
  return (bytes, from, end) => {
    const same = commonPrefix(bytes, from, first, 0, Math.min(depth, end - from));
    if (same < depth) return from + same < end && bytes[from + same]! > first[same]! ? splitters.length : 0;
    const head = headOf(bytes, from + depth, end);
    let low = 0;
    let high = splitters.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = heads[middle]!;
      const splitter = splitters[middle]!;
      const isAbove =
        other === head ? compare(splitter, 0, splitter.length, bytes, from, end) > 0 : other > head;
      if (isAbove) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** Up to this many keys, insertion sort. */
const INSERTION_SORT_MAX = 16;
/** From this many keys on, radix sort is faster than comparing. */
const RADIX_SORT_MIN = 4_096;

/** The indexes of the keys in ascending order. Keys must be distinct, and none may be a prefix of another. */
export function sortedOrder({ bytes, ends }: Keys): Uint32Array {
  const starts = new Uint32Array(ends.length);
  starts.set(ends.subarray(0, -1), 1);
  const order = Uint32Array.from(starts.keys());
  const pending: Run[] = [[0, order.length, 0]];
  for (let run = pending.pop(); run !== undefined; run = pending.pop()) {
    const [from, to, above] = run;
    if (to - from <= INSERTION_SORT_MAX) {
      insertionSort(bytes, starts, ends, order, run);
      continue;
    }
    const depth = above + commonPrefixBeyond(bytes, starts, ends, order, run);
    const heads = new Float64Array(to - from);
    for (let index = from; index < to; index++)
      heads[index - from] = headOf(bytes, starts[order[index]!]! + depth, ends[order[index]!]!);
    const sorted =
      heads.length >= RADIX_SORT_MIN
        ? sortAll([heads], null, heads.length)
        : Uint32Array.from(heads.keys()).sort((a, b) => heads[a]! - heads[b]!);
    const before = order.slice(from, to);
    let first = 0;
    for (let index = 0; index < sorted.length; index++) {
      order[from + index] = before[sorted[index]!]!;
      const isLast = index + 1 === sorted.length;
      if (!isLast && heads[sorted[index + 1]!] === heads[sorted[first]!]) continue;
      if (index > first) pending.push([from + first, from + index + 1, depth + HEAD_BYTES]);
      first = index + 1;
    }
  }
  return order;
}

/** A range of keys (`to` exclusive) with a common prefix of `depth` bytes. */
type Run = readonly [from: number, to: number, depth: number];

/** Insertion sort of a run. */
function insertionSort(
  bytes: Uint8Array,
  starts: Uint32Array,
  ends: Uint32Array,
  order: Uint32Array,
  [from, to, depth]: Run,
): void {
  for (let index = from + 1; index < to; index++) {
    const key = order[index]!;
    const begin = starts[key]! + depth;
    const end = ends[key]!;
    let hole = index;
    while (hole > from) {
      const other = order[hole - 1]!;
      if (compare(bytes, starts[other]! + depth, ends[other]!, bytes, begin, end) <= 0) break;
      order[hole--] = other;
    }
    order[hole] = key;
  }
}

/** How far the common prefix of a run extends beyond `depth`. */
function commonPrefixBeyond(
  bytes: Uint8Array,
  starts: Uint32Array,
  ends: Uint32Array,
  order: Uint32Array,
  [from, to, depth]: Run,
): number {
  const first = starts[order[from]!]! + depth;
  let most = ends[order[from]!]! - first;
  for (let index = from + 1; index < to && most > 0; index++) {
    const start = starts[order[index]!]! + depth;
    most = commonPrefix(bytes, first, bytes, start, Math.min(most, ends[order[index]!]! - start));
  }
  return most;
}
