/**
 * Sort keys as bytes: what a row is sorted by, written so that comparing bytes compares rows as SQLite does
 * (results/local-query.ts has the rule). Rows are then told apart, and put in order, by where they go, without a sort of
 * all of them before.
 */
import { sortAll } from '../../results/columnar/sort.ts';
import type { SortLists } from '../protocol.ts';

/** Keys one after another. */
export interface Keys {
  bytes: Uint8Array;
  /** Where each ends, and the next begins. */
  ends: Uint32Array;
}

/** What a value begins with: SQLite has numbers before texts; what is missing comes last in both directions. */
const NUMBER = 1;
const TEXT = 2;
const MISSING = 0xff;
/** A number: its kind, a double, and by how much it differs from that. */
const NUMBER_BYTES = 11;
export const PLACE_BYTES = 4;
/** Halves the range of 16 bits: half the distance of doubles at 2^63 is 512. */
const NO_DIFFERENCE = 0x8000;

type Value = string | number | bigint | null;

const WHOLE = /^-?\d+$/;
/** Whole numbers as they are written: doubles do not have all of them. */
const exact = (_: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && WHOLE.test(source) ? BigInt(source) : value;
const isInexact = (value: Value): boolean =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
function valuesOf(list: string): Value[] {
  const values = JSON.parse(list) as Value[];
  return values.some(isInexact) ? (JSON.parse(list, exact) as Value[]) : values;
}

/** In a list of texts: there is none. No UTF-8 has this byte. */
export const NO_TEXT = 0xff;

/**
 * The keys of rows at these places of the set. `lists` has the values of each column sorted by, the first column first:
 * a JSON list, or texts that are ended by NUL. Rows that are alike keep the order of their places.
 */
export function keysOf(lists: SortLists, descending: readonly boolean[], places: ArrayLike<number>): Keys {
  // A unit of UTF-16 takes up to three bytes of UTF-8.
  const most = lists.reduce((sum, { length }) => sum + 3 * length + NUMBER_BYTES * places.length, 0);
  const bytes = Buffer.allocUnsafeSlow(most + PLACE_BYTES * places.length);
  const view = new DataView(bytes.buffer);
  const ends = new Uint32Array(places.length);
  let at = 0;
  const number = (value: number, difference: number) => {
    bytes[at] = NUMBER;
    // `+ 0`: SQLite has one zero.
    view.setFloat64(at + 1, value + 0);
    if (value < 0) for (let byte = at + 1; byte < at + 9; byte++) bytes[byte] = ~bytes[byte]!;
    else bytes[at + 1] = bytes[at + 1]! ^ 0x80;
    view.setUint16(at + 9, NO_DIFFERENCE + difference);
    at += NUMBER_BYTES;
  };
  /** The text that begins there; answers where the next one does. */
  const putText = (texts: Uint8Array, begin: number): number => {
    if (texts[begin] === NO_TEXT) {
      bytes[at++] = MISSING;
      return begin + 2;
    }
    bytes[at++] = TEXT;
    let from = begin;
    while (from < texts.length && texts[from] !== 0) bytes[at++] = texts[from++]!;
    // No text here has a NUL: one that is the beginning of another comes first.
    bytes[at++] = 0;
    return from + 1;
  };
  const put = (value: Value) => {
    if (value === null) bytes[at++] = MISSING;
    else if (typeof value === 'number') number(value, 0);
    else if (typeof value === 'bigint') number(Number(value), Number(value - BigInt(Number(value))));
    else putText(Buffer.from(value), 0);
  };
  const columns = lists.map((list) => (typeof list === 'string' ? valuesOf(list) : list));
  const next = new Uint32Array(columns.length);
  for (let row = 0; row < places.length; row++) {
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index]!;
      const from = at;
      if (column instanceof Uint8Array) next[index] = putText(column, next[index]!);
      else put(column[row] ?? null);
      if (descending[index] && bytes[from] !== MISSING)
        for (let byte = from; byte < at; byte++) bytes[byte] = ~bytes[byte]!;
    }
    view.setUint32(at, places[row]!);
    at += PLACE_BYTES;
    ends[row] = at;
  }
  return { bytes: bytes.subarray(0, at), ends };
}

/** Copies a key; answers where it ends. Most are so short that a call of the platform would take longer. */
export function copyKey(
  target: Uint8Array,
  at: number,
  source: Uint8Array,
  from: number,
  end: number,
): number {
  let to = at;
  for (let byte = from; byte < end; byte++) target[to++] = source[byte]!;
  return to;
}

/** Keys that are places alone; a place below 0 has none. */
export function placeKeys(places: ArrayLike<number>): Keys {
  const bytes = new Uint8Array(places.length * PLACE_BYTES);
  const view = new DataView(bytes.buffer);
  const ends = new Uint32Array(places.length);
  let at = 0;
  for (let row = 0; row < places.length; row++) {
    if (places[row]! >= 0) {
      view.setUint32(at, places[row]!);
      at += PLACE_BYTES;
    }
    ends[row] = at;
  }
  return { bytes, ends };
}

/** So many bytes as one number, which a double holds exactly. */
const HEAD_BYTES = 6;
function headOf(bytes: Uint8Array, from: number, end: number): number {
  let head = 0;
  for (let at = from; at < from + HEAD_BYTES; at++) head = head * 256 + (at < end ? bytes[at]! : 0);
  return head;
}

/** Bytes from `from` to `end`, against others. */
export function compare(
  a: Uint8Array,
  fromA: number,
  endA: number,
  b: Uint8Array,
  fromB: number,
  endB: number,
): number {
  const length = Math.min(endA - fromA, endB - fromB);
  for (let at = 0; at < length; at++) {
    const difference = a[fromA + at]! - b[fromB + at]!;
    if (difference !== 0) return difference;
  }
  return endA - fromA - (endB - fromB);
}

export const compareKeys = (a: Uint8Array, b: Uint8Array): number => compare(a, 0, a.length, b, 0, b.length);

/** How many bytes two have alike, at most. */
function alike(a: Uint8Array, fromA: number, b: Uint8Array, fromB: number, most: number): number {
  let at = 0;
  while (at < most && a[fromA + at] === b[fromB + at]) at++;
  return at;
}

/** Which of the parts between rising `cuts` a key is in: how many of them are not above it. */
export function finder(
  cuts: readonly Uint8Array[],
): (bytes: Uint8Array, from: number, end: number) => number {
  const [first] = cuts;
  if (first === undefined) return () => 0;
  const depth = cuts.reduce(
    (least, cut) => alike(first, 0, cut, 0, Math.min(least, cut.length)),
    first.length,
  );
  const heads = Float64Array.from(cuts, (cut) => headOf(cut, depth, cut.length));
  return (bytes, from, end) => {
    const same = alike(bytes, from, first, 0, Math.min(depth, end - from));
    if (same < depth) return from + same < end && bytes[from + same]! > first[same]! ? cuts.length : 0;
    const head = headOf(bytes, from + depth, end);
    let low = 0;
    let high = cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = heads[middle]!;
      const cut = cuts[middle]!;
      const isAbove = other === head ? compare(cut, 0, cut.length, bytes, from, end) > 0 : other > head;
      if (isAbove) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** Fewer keys are put in order one by one. */
const FEW = 16;
/** From so many on, counting digits is quicker than comparing. */
const MANY = 4_096;

/** The numbers of keys in their order, which are not alike and of which none begins another. */
export function inOrder({ bytes, ends }: Keys): Uint32Array {
  const starts = new Uint32Array(ends.length);
  starts.set(ends.subarray(0, -1), 1);
  const order = Uint32Array.from(starts.keys());
  const todo: Run[] = [[0, order.length, 0]];
  for (let run = todo.pop(); run !== undefined; run = todo.pop()) {
    const [from, to, above] = run;
    if (to - from <= FEW) {
      insert(bytes, starts, ends, order, run);
      continue;
    }
    const depth = above + alikeBeyond(bytes, starts, ends, order, run);
    const heads = new Float64Array(to - from);
    for (let at = from; at < to; at++)
      heads[at - from] = headOf(bytes, starts[order[at]!]! + depth, ends[order[at]!]!);
    const places =
      heads.length >= MANY
        ? sortAll([heads], null, heads.length)
        : Uint32Array.from(heads.keys()).sort((a, b) => heads[a]! - heads[b]!);
    const before = order.slice(from, to);
    let first = 0;
    for (let at = 0; at < places.length; at++) {
      order[from + at] = before[places[at]!]!;
      const isLast = at + 1 === places.length;
      if (!isLast && heads[places[at + 1]!] === heads[places[first]!]) continue;
      if (at > first) todo.push([from + first, from + at + 1, depth + HEAD_BYTES]);
      first = at + 1;
    }
  }
  return order;
}

/** Keys from one to another (exclusive) that have so many bytes alike. */
type Run = readonly [from: number, to: number, depth: number];

/** A run put in order one by one. */
function insert(
  bytes: Uint8Array,
  starts: Uint32Array,
  ends: Uint32Array,
  order: Uint32Array,
  [from, to, depth]: Run,
): void {
  for (let at = from + 1; at < to; at++) {
    const key = order[at]!;
    const begin = starts[key]! + depth;
    const end = ends[key]!;
    let hole = at;
    while (hole > from) {
      const other = order[hole - 1]!;
      if (compare(bytes, starts[other]! + depth, ends[other]!, bytes, begin, end) <= 0) break;
      order[hole--] = other;
    }
    order[hole] = key;
  }
}

/** How many bytes more all keys of a run have alike. */
function alikeBeyond(
  bytes: Uint8Array,
  starts: Uint32Array,
  ends: Uint32Array,
  order: Uint32Array,
  [from, to, depth]: Run,
): number {
  const first = starts[order[from]!]! + depth;
  let most = ends[order[from]!]! - first;
  for (let at = from + 1; at < to && most > 0; at++) {
    const start = starts[order[at]!]! + depth;
    most = alike(bytes, first, bytes, start, Math.min(most, ends[order[at]!]! - start));
  }
  return most;
}
