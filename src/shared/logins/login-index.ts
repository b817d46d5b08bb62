/** Logins prepared for filtering: columns in display order, and everything that does not depend on the filter. */
import { type ClockSetting, zoneOffsetMs } from '../model/clock.ts';
import { spanOf, timeBuckets } from '../model/time-buckets.ts';
import { rarityOf, type Whereabouts, whereaboutsOf } from './rarity.ts';
import type { LoginTable } from './table.ts';

/** By position in the order, so that a pass reads memory sequentially. */
interface OrderedColumns {
  time: Float64Array;
  /** Bar of the histogram; -1 if the time is unknown. */
  bar: Int32Array;
  /** Hour of the week; 255: time unknown. */
  hour: Uint8Array;
  lat: Float64Array;
  lon: Float64Array;
  logins: Float64Array;
  rarity: Uint8Array;
  country: Uint32Array;
  user: Uint32Array;
  ip: Uint32Array;
  /** -1 if unplaced. */
  place: Int32Array;
  visitor: Uint32Array;
}

export interface LoginIndex {
  table: LoginTable;
  /** By row. */
  where: Whereabouts;
  rarity: Uint8Array;
  /** All rows, rarest first, then newest: filtered rows need no sorting. */
  order: Uint32Array;
  columns: OrderedColumns;
  /** Starts of the bars of the time axis, followed by the end of the last one; empty: no time is known. */
  edges: readonly number[];
  first: number;
  last: number;
}

const HOUR = 3_600_000;
/** Day 0 of the epoch was a Thursday. */
const THURSDAY = 3;
export const NO_HOUR = 255;

/** Hour of the week of an instant in a time zone, Monday 0:00 = 0. */
export function hourOfWeek(instant: number, offsetMs: number): number {
  const hours = Math.floor((instant + offsetMs) / HOUR);
  return (((hours + THURSDAY * 24) % 168) + 168) % 168;
}

const BARS = 200;

/** First and last known time; infinite where there is none. */
function extentOf({ time }: LoginTable): [first: number, last: number] {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const instant of time) {
    if (instant < first) first = instant;
    if (instant > last) last = instant;
  }
  return [first, last];
}

function hoursOf({ size, time }: LoginTable, clock: ClockSetting): Uint8Array {
  const hour = new Uint8Array(size).fill(NO_HOUR);
  // A zone's offset changes on the hour or half hour, so it is looked up once per half hour.
  const offsets = new Map<number, number>();
  for (let row = 0; row < size; row += 1) {
    const instant = time[row] ?? Number.NaN;
    if (Number.isNaN(instant)) continue;
    const slot = Math.floor(instant / (HOUR / 2));
    let offset = offsets.get(slot);
    if (offset === undefined) {
      offset = zoneOffsetMs(instant, clock);
      offsets.set(slot, offset);
    }
    hour[row] = hourOfWeek(instant, offset);
  }
  return hour;
}

/** Rarest first, then newest, then in order of arrival; rows without a time last within their level. */
function orderOf({ size, time }: LoginTable, rarity: Uint8Array, first: number, last: number): Uint32Array {
  const span = Number.isFinite(first) ? last - first : 0;
  const keys = new Float64Array(size);
  const ends = [0, 0, 0, 0, 0];
  for (const level of rarity) ends[4 - level] = (ends[4 - level] ?? 0) + 1;
  let before = 0;
  const starts = ends.map((count) => {
    before += count;
    return before - count;
  });
  const next = [...starts];
  for (let row = 0; row < size; row += 1) {
    const instant = time[row] ?? Number.NaN;
    const age = Number.isNaN(instant) ? span + 1 : last - instant;
    const level = 4 - (rarity[row] ?? 0);
    const position = next[level] ?? 0;
    next[level] = position + 1;
    keys[position] = age * size + row;
  }
  // Age and row packed in one number sort natively, unless they need more bits than a double has.
  const fits = (span + 2) * size < Number.MAX_SAFE_INTEGER;
  if (!fits) return Uint32Array.from(rarity, (_, row) => row).sort(slowly(time, rarity));
  for (const start of starts.keys()) keys.subarray(starts[start], starts[start + 1]).sort();
  return Uint32Array.from(keys, (key) => key % size);
}

/** The same order by comparison, for logs that span centuries. */
function slowly(time: Float64Array, rarity: Uint8Array): (a: number, b: number) => number {
  const timeAt = (row: number) => {
    const instant = time[row] ?? Number.NaN;
    return Number.isNaN(instant) ? Number.NEGATIVE_INFINITY : instant;
  };
  return (a, b) => {
    const level = (rarity[b] ?? 0) - (rarity[a] ?? 0);
    if (level !== 0) return level;
    const [left, right] = [timeAt(a), timeAt(b)];
    return left === right ? a - b : right > left ? 1 : -1;
  };
}

type Column = Float64Array | Uint32Array | Int32Array | Uint8Array;

function inOrder<C extends Column>(column: C, order: Uint32Array): C {
  const sorted = column.slice() as C;
  for (let position = 0; position < order.length; position += 1)
    sorted[position] = column[order[position] ?? 0] ?? 0;
  return sorted;
}

/** Sorts once; the result is valid for every filter until other rows are loaded. */
export function indexLogins(table: LoginTable, clock: ClockSetting): LoginIndex {
  const where = whereaboutsOf(table);
  const rarity = Uint8Array.from(where.seen, rarityOf);
  const [first, last] = extentOf(table);
  const edges = Number.isFinite(first) ? timeBuckets(first, last, clock, BARS).edges : [];
  const starts = edges.slice(0, -1);
  const order = orderOf(table, rarity, first, last);
  const time = inOrder(table.time, order);
  const columns: OrderedColumns = {
    time,
    bar: Int32Array.from(time, (instant) => (Number.isNaN(instant) ? -1 : spanOf(starts, instant))),
    hour: inOrder(hoursOf(table, clock), order),
    lat: inOrder(table.lat, order),
    lon: inOrder(table.lon, order),
    logins: inOrder(table.logins, order),
    rarity: inOrder(rarity, order),
    country: inOrder(table.country, order),
    user: inOrder(table.user, order),
    ip: inOrder(table.ip, order),
    place: inOrder(where.place, order),
    visitor: inOrder(where.visitor, order),
  };
  return { table, where, rarity, order, columns, edges, first, last };
}
