/** Orders over columns in memory: the first few by a heap, all of them by digits. Equal keys keep the order of places. */
import { foldText } from '#shared/query/text.ts';
import type { Storage } from '../../store/tasks.ts';
import { compareValues, type Value, type Vector } from './vectors.ts';

/** A key per place; the smaller comes first. */
export type Key = Float64Array | Uint16Array;
/** Beyond this many a heap is no longer the quicker way. */
const MOST_BY_HEAP = 5_000;

/** The place of every code in the order of its values: texts by their folds, then by their code points. */
function ranksOf(values: readonly Value[], storage: Storage, descending: boolean): Uint16Array {
  const folds = storage === 'text' || storage === 'any';
  const keys = values.map((value) => (folds && typeof value === 'string' ? foldText(value) : value));
  const order = keys
    .map((_, code) => code)
    .filter((code) => keys[code] !== null)
    .sort((a, b) => compareValues(keys[a]!, keys[b]!) || compareValues(values[a]!, values[b]!));
  const ranks = new Uint16Array(values.length).fill(order.length);
  for (const [rank, code] of order.entries()) ranks[code] = descending ? order.length - 1 - rank : rank;
  return ranks;
}

/** The keys of a column in one direction, nulls last. */
export function keyOf(vector: Vector, descending: boolean): Key {
  if (vector.kind === 'codes') {
    const ranks = ranksOf(vector.values, vector.storage, descending);
    const { codes } = vector;
    const key = new Uint16Array(codes.length);
    for (let at = 0; at < codes.length; at++) key[at] = ranks[codes[at]!]!;
    return key;
  }
  const { values } = vector;
  const key = new Float64Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    key[at] = Number.isNaN(value) ? Number.POSITIVE_INFINITY : descending ? 0 - value : value;
  }
  return key;
}

/** The first `most` places of an order, among those that the mask has (null: all). */
export function firstPlaces(
  keys: readonly Key[],
  mask: Uint8Array | null,
  rows: number,
  most: number,
): Uint32Array {
  const [first] = keys;
  if (first === undefined || most > MOST_BY_HEAP) return allPlaces(keys, mask, rows).subarray(0, most);
  if (most === 0) return new Uint32Array(0);
  const after = (a: number, b: number): boolean => {
    for (const key of keys) {
      const difference = key[a]! - key[b]!;
      // Two infinities: both are null.
      if (difference > 0) return true;
      if (difference < 0) return false;
    }
    return a > b;
  };
  // The last of those kept is on top.
  const heap = new Uint32Array(most);
  let size = 0;
  const sink = (place: number, end: number) => {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= end) break;
      if (child + 1 < end && after(heap[child + 1]!, heap[child]!)) child++;
      if (!after(heap[child]!, place)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = place;
  };
  for (let place = 0; place < rows; place++) {
    if (mask !== null && mask[place] === 0) continue;
    if (size < most) {
      let at = size++;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!after(place, heap[parent]!)) break;
        heap[at] = heap[parent]!;
        at = parent;
      }
      heap[at] = place;
      continue;
    }
    if (first[place]! > first[heap[0]!]!) continue;
    if (after(heap[0]!, place)) sink(place, size);
  }
  for (let end = size - 1; end > 0; end--) {
    const last = heap[end]!;
    heap[end] = heap[0]!;
    sink(last, end);
  }
  return heap.subarray(0, size);
}

/** One pass: places in the order of 16 bits of their keys, otherwise as they were. */
function pass(places: Uint32Array, digits: Uint16Array, stride: number, offset: number): Uint32Array {
  const counts = new Uint32Array(65_537);
  for (let at = 0; at < places.length; at++) {
    const digit = digits[places[at]! * stride + offset]!;
    counts[digit + 1] = counts[digit + 1]! + 1;
  }
  const [some = 0] = places;
  if (counts[digits[some * stride + offset]! + 1] === places.length) return places;
  for (let digit = 1; digit < counts.length; digit++) counts[digit] = counts[digit]! + counts[digit - 1]!;
  const next = new Uint32Array(places.length);
  for (let at = 0; at < places.length; at++) {
    const place = places[at]!;
    const digit = digits[place * stride + offset]!;
    const to = counts[digit]!;
    counts[digit] = to + 1;
    next[to] = place;
  }
  return next;
}

/** Doubles as whole numbers that sort alike, four digits each, the lowest first. */
function bitsOf(key: Float64Array): Uint16Array {
  const bits = new Uint32Array(key.slice().buffer);
  for (let at = 0; at < bits.length; at += 2) {
    const high = bits[at + 1]!;
    if (high >>> 31) {
      bits[at] = ~bits[at]!;
      bits[at + 1] = ~high;
    } else bits[at + 1] = high | 0x8000_0000;
  }
  return new Uint16Array(bits.buffer);
}

/** All places of an order, among those that the mask has (null: all); rests between passes of some 50 ms a million. */
export function* placesInOrder(
  keys: readonly Key[],
  mask: Uint8Array | null,
  rows: number,
): Generator<void, Uint32Array> {
  let places = new Uint32Array(rows);
  let count = 0;
  for (let place = 0; place < rows; place++) if (mask === null || mask[place] !== 0) places[count++] = place;
  places = places.slice(0, count);
  if (count === 0) return places;
  for (const key of keys.toReversed()) {
    yield;
    if (key instanceof Uint16Array) places = pass(places, key, 1, 0) as typeof places;
    else {
      const bits = bitsOf(key);
      for (let digit = 0; digit < 4; digit++) {
        places = pass(places, bits, 4, digit) as typeof places;
        yield;
      }
    }
  }
  return places;
}

/** The same at once. */
export function allPlaces(keys: readonly Key[], mask: Uint8Array | null, rows: number): Uint32Array {
  const work = placesInOrder(keys, mask, rows);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
