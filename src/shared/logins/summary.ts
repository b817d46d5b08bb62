/**
 * The linked views of the login map: one filter of several parts, and per view the counts under all parts but its
 * own, so that a brush shows what else could be chosen. One pass over the rows.
 */
import { type ClockSetting, zoneOffsetMs } from '../model/clock.ts';
import { placeOf, rarityOf } from './rarity.ts';
import type { LoginTable } from './table.ts';

/** Every part given must hold; a list holds for any of its values. */
export interface LoginFilter {
  /** Milliseconds since 1970, to exclusive. */
  time?: { from: number; to: number } | undefined;
  /** Hours of the week, Monday 0:00 = 0 … 167, on the chosen clock. */
  hours?: readonly number[] | undefined;
  countries?: readonly string[] | undefined;
  users?: readonly string[] | undefined;
  ips?: readonly string[] | undefined;
  /** Values filtered out; none of them may be the row's. */
  not?: { countries?: readonly string[]; users?: readonly string[]; ips?: readonly string[] } | undefined;
  /** Words that user, address or country contain, any case. */
  text?: string | undefined;
  /** Degrees: west, south, east, north. */
  box?: readonly [number, number, number, number] | undefined;
}

export interface Ranked {
  value: string;
  logins: number;
  /** Highest rarity level among its rows. */
  rarest: number;
}

/** Places drawn on the map, in columns; one row of a table stands behind each for its words. */
export interface Places {
  size: number;
  lat: Float64Array;
  lon: Float64Array;
  logins: Float64Array;
  users: Uint32Array;
  /** Highest rarity level of the place's rows. */
  rarest: Uint8Array;
  /** The rarest, then newest, row of each. */
  row: Uint32Array;
}

export interface LoginSummary {
  /** Rows and logins that pass every part. */
  rows: number;
  logins: number;
  /** Passing rows, rarest first, then newest. */
  order: Uint32Array;
  places: Places;
  histogram: { start: number; width: number; logins: Float64Array };
  /** Logins by hour of the week, Monday first. */
  week: Float64Array;
  countries: Ranked[];
  users: Ranked[];
  ips: Ranked[];
}

/** What does not change with the filter. */
export interface LoginIndex {
  table: LoginTable;
  seen: Float64Array;
  rarity: Uint8Array;
  /** Hour of the week per row; 255: time unknown. */
  hour: Uint8Array;
  /** All rows, rarest first, then newest: what passes a filter needs no sorting. */
  order: Uint32Array;
  /** First and last known time. */
  first: number;
  last: number;
}

const HOUR = 3_600_000;
/** Day 0 of the epoch was a Thursday. */
const THURSDAY = 3;
const NO_HOUR = 255;
const TOP = 200;

/** Hour of the week of an instant on a clock, Monday 0:00 = 0. */
export function hourOfWeek(instant: number, offsetMs: number): number {
  const hours = Math.floor((instant + offsetMs) / HOUR);
  return (((hours + THURSDAY * 24) % 168) + 168) % 168;
}

export function indexLogins(table: LoginTable, seen: Float64Array, clock: ClockSetting): LoginIndex {
  const rarity = new Uint8Array(table.size);
  const hour = new Uint8Array(table.size).fill(NO_HOUR);
  // A zone's offset changes on the hour or its half: looked up once per half hour seen.
  const offsets = new Map<number, number>();
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < table.size; row += 1) {
    rarity[row] = rarityOf(seen[row] ?? 0);
    const time = table.time[row] ?? Number.NaN;
    if (Number.isNaN(time)) continue;
    first = Math.min(first, time);
    last = Math.max(last, time);
    const slot = Math.floor(time / (HOUR / 2));
    let offset = offsets.get(slot);
    if (offset === undefined) {
      offset = zoneOffsetMs(time, clock);
      offsets.set(slot, offset);
    }
    hour[row] = hourOfWeek(time, offset);
  }
  const timeAt = (row: number) => {
    const time = table.time[row] ?? Number.NaN;
    return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
  };
  const byRarity = (a: number, b: number) => {
    const level = (rarity[b] ?? 0) - (rarity[a] ?? 0);
    if (level !== 0) return level;
    const [left, right] = [timeAt(a), timeAt(b)];
    return left === right ? a - b : right > left ? 1 : -1;
  };
  const order = Uint32Array.from(rarity, (_, row) => row).sort(byRarity);
  return { table, seen, rarity, hour, order, first, last };
}

/** Bits of the filter's parts, as a row fails them. */
const TIME = 1;
const WEEK = 2;
const COUNTRY = 4;
const USER = 8;
const IP = 16;
const BOX = 32;
const TEXT = 64;
const NOT = 128;

function marks(list: readonly string[], wanted: readonly string[] | undefined): Uint8Array | null {
  if (!wanted || wanted.length === 0) return null;
  const set = new Set(wanted);
  return Uint8Array.from(list, (word) => (set.has(word) ? 1 : 0));
}

function textMarks(list: readonly string[], text: string): Uint8Array {
  return Uint8Array.from(list, (word) => (word.toLowerCase().includes(text) ? 1 : 0));
}

type Failing = (row: number) => number;

/** Which parts of a filter a row fails, as bits. */
function failing({ table, hour }: LoginIndex, filter: LoginFilter): Failing {
  const { time, box } = filter;
  const hours = filter.hours?.length ? new Set(filter.hours) : null;
  const countries = marks(table.countries, filter.countries);
  const users = marks(table.users, filter.users);
  const ips = marks(table.ips, filter.ips);
  const no = [
    marks(table.countries, filter.not?.countries),
    marks(table.users, filter.not?.users),
    marks(table.ips, filter.not?.ips),
  ] as const;
  const text = filter.text?.trim().toLowerCase() ?? '';
  const inText = text
    ? [textMarks(table.countries, text), textMarks(table.users, text), textMarks(table.ips, text)]
    : null;
  return (row) => {
    const country = table.country[row] ?? 0;
    const user = table.user[row] ?? 0;
    const ip = table.ip[row] ?? 0;
    let bits = 0;
    if (time) {
      const at = table.time[row] ?? Number.NaN;
      if (!(at >= time.from && at < time.to)) bits |= TIME;
    }
    if (hours && !hours.has(hour[row] ?? NO_HOUR)) bits |= WEEK;
    if (countries && countries[country] === 0) bits |= COUNTRY;
    if (users && users[user] === 0) bits |= USER;
    if (ips && ips[ip] === 0) bits |= IP;
    if (no[0]?.[country] || no[1]?.[user] || no[2]?.[ip]) bits |= NOT;
    if (inText && !(inText[0]?.[country] || inText[1]?.[user] || inText[2]?.[ip])) bits |= TEXT;
    if (box) {
      const lat = table.lat[row] ?? Number.NaN;
      const lon = table.lon[row] ?? Number.NaN;
      if (!(lon >= box[0] && lat >= box[1] && lon <= box[2] && lat <= box[3])) bits |= BOX;
    }
    return bits;
  };
}

/** Whether a row passes every part of a filter. */
export function passing(index: LoginIndex, filter: LoginFilter): (row: number) => boolean {
  const fails = failing(index, filter);
  return (row) => fails(row) === 0;
}

class Ranking {
  private readonly logins: Float64Array;
  private readonly rarest: Uint8Array;
  private readonly list: readonly string[];
  constructor(list: readonly string[]) {
    this.list = list;
    this.logins = new Float64Array(list.length);
    this.rarest = new Uint8Array(list.length);
  }
  add(at: number, logins: number, rarity: number): void {
    this.logins[at] = (this.logins[at] ?? 0) + logins;
    if (rarity > (this.rarest[at] ?? 0)) this.rarest[at] = rarity;
  }
  /** Most logins first; what is not said is left out. */
  top(): Ranked[] {
    return this.list
      .map((value, at) => ({ value, logins: this.logins[at] ?? 0, rarest: this.rarest[at] ?? 0 }))
      .filter(({ value, logins }) => value !== '' && logins > 0)
      .sort((a, b) => b.logins - a.logins || (a.value < b.value ? -1 : 1))
      .slice(0, TOP);
  }
}

/** Widths that a reader can name, so that some 100 to 200 bars cover the span. */
const WIDTHS = [
  60e3,
  5 * 60e3,
  15 * 60e3,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  24 * HOUR,
  7 * 24 * HOUR,
  28 * 24 * HOUR,
];
const BARS = 200;

function bars({ first, last }: LoginIndex): { start: number; width: number; count: number } {
  if (!Number.isFinite(first)) return { start: 0, width: HOUR, count: 0 };
  const span = last - first;
  const width = WIDTHS.find((each) => span / each <= BARS) ?? Math.ceil(span / BARS);
  const start = Math.floor(first / width) * width;
  return { start, width, count: Math.floor((last - start) / width) + 1 };
}

/** `rows` in the index's order: the first of a place speaks for it. */
function gatherPlaces(index: LoginIndex, rows: readonly number[]) {
  const { table, rarity } = index;
  const at = new Map<number, number>();
  const users = new Map<number, Set<number>>();
  const places = { lat: [] as number[], lon: [] as number[], logins: [] as number[], row: [] as number[] };
  const rarest: number[] = [];
  for (const row of rows) {
    const place = placeOf(table, row);
    if (place < 0) continue;
    let number = at.get(place);
    if (number === undefined) {
      number = places.row.length;
      at.set(place, number);
      users.set(number, new Set());
      places.lat.push(table.lat[row] ?? 0);
      places.lon.push(table.lon[row] ?? 0);
      places.logins.push(0);
      places.row.push(row);
      rarest.push(0);
    }
    places.logins[number] = (places.logins[number] ?? 0) + (table.logins[row] ?? 0);
    users.get(number)?.add(table.user[row] ?? 0);
    rarest[number] = Math.max(rarest[number] ?? 0, rarity[row] ?? 0);
  }
  return {
    size: places.row.length,
    lat: Float64Array.from(places.lat),
    lon: Float64Array.from(places.lon),
    logins: Float64Array.from(places.logins),
    users: Uint32Array.from(places.row, (_, number) => users.get(number)?.size ?? 0),
    rarest: Uint8Array.from(rarest),
    row: Uint32Array.from(places.row),
  };
}

/** All linked views under a filter. Time: one pass. */
export function summarise(index: LoginIndex, filter: LoginFilter): LoginSummary {
  const { table, rarity, hour } = index;
  const fails = failing(index, filter);
  const { start, width, count } = bars(index);
  const histogram = new Float64Array(count);
  const week = new Float64Array(168);
  const countries = new Ranking(table.countries);
  const users = new Ranking(table.users);
  const ips = new Ranking(table.ips);
  const onMap: number[] = [];
  const passed: number[] = [];
  let total = 0;
  for (const row of index.order) {
    const bits = fails(row);
    const logins = table.logins[row] ?? 0;
    const level = rarity[row] ?? 0;
    const time = table.time[row] ?? Number.NaN;
    if ((bits & ~TIME) === 0 && !Number.isNaN(time)) {
      const bar = Math.floor((time - start) / width);
      histogram[bar] = (histogram[bar] ?? 0) + logins;
    }
    const slot = hour[row] ?? NO_HOUR;
    if ((bits & ~WEEK) === 0 && slot !== NO_HOUR) week[slot] = (week[slot] ?? 0) + logins;
    if ((bits & ~COUNTRY) === 0) countries.add(table.country[row] ?? 0, logins, level);
    if ((bits & ~USER) === 0) users.add(table.user[row] ?? 0, logins, level);
    if ((bits & ~IP) === 0) ips.add(table.ip[row] ?? 0, logins, level);
    if ((bits & ~BOX) === 0) onMap.push(row);
    if (bits !== 0) continue;
    passed.push(row);
    total += logins;
  }
  return {
    rows: passed.length,
    logins: total,
    order: Uint32Array.from(passed),
    places: gatherPlaces(index, onMap),
    histogram: { start, width, logins: histogram },
    week,
    countries: countries.top(),
    users: users.top(),
    ips: ips.top(),
  };
}
