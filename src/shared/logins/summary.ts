/**
 * The linked views of the login map: one filter of several parts, and for each view the counts under all parts but its
 * own, so that a brush shows what else could be selected. One numeric pass over the rows.
 */
import { BOX, COUNTRY, failingBits, IP, type LoginFilter, TIME, USER, WEEK } from './login-filter.ts';
import { type LoginIndex, NO_HOUR } from './login-index.ts';

export interface Ranked {
  value: string;
  logins: number;
  rarest: number;
}

/** Places drawn on the map, as columns; a table row provides the texts of each. */
export interface Places {
  size: number;
  /** Its number among the index's places. */
  number: Uint32Array;
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
  /** Rows, and the logins they stand for, that pass the filter. */
  rows: number;
  logins: number;
  /** Passing rows without coordinates. */
  unplaced: number;
  /** Passing rows, rarest first, then newest. */
  order: Uint32Array;
  places: Places;
  /** `edges` are the starts of the bars, and the end of the last one. */
  histogram: { edges: readonly number[]; logins: Float64Array };
  /** Logins by hour of the week, Monday first. */
  week: Float64Array;
  countries: Ranking;
  users: Ranking;
  ips: Ranking;
}

/** Logins and highest rarity for every passing value of a column. */
export class Ranking {
  private readonly logins: Float64Array;
  private readonly rarest: Uint8Array;
  private readonly list: readonly string[];
  private ordered: Uint32Array | null = null;
  constructor(list: readonly string[]) {
    this.list = list;
    this.logins = new Float64Array(list.length);
    this.rarest = new Uint8Array(list.length);
  }
  add(index: number, logins: number, rarity: number): void {
    this.logins[index] = (this.logins[index] ?? 0) + logins;
    if (rarity > (this.rarest[index] ?? 0)) this.rarest[index] = rarity;
    this.ordered = null;
  }
  /** Number of distinct passing values; missing values do not count. */
  get distinct(): number {
    let count = 0;
    for (let index = 0; index < this.list.length; index += 1)
      if ((this.logins[index] ?? 0) !== 0 && this.list[index] !== '') count += 1;
    return count;
  }
  /** The values from `start` to `end` (exclusive), most logins first. Sorted on first use. */
  slice(start: number, end: number): Ranked[] {
    const { logins, rarest, list } = this;
    this.ordered ??= Uint32Array.from(list.keys())
      .filter((index) => (logins[index] ?? 0) !== 0 && list[index] !== '')
      .sort((a, b) => (logins[b] ?? 0) - (logins[a] ?? 0) || ((list[a] ?? '') < (list[b] ?? '') ? -1 : 1));
    return Array.from(this.ordered.subarray(start, end), (index) => ({
      value: list[index] ?? '',
      logins: logins[index] ?? 0,
      rarest: rarest[index] ?? 0,
    }));
  }
}

export function picked(column: Float64Array, numbers: Uint32Array): Float64Array {
  const list = new Float64Array(numbers.length);
  for (let index = 0; index < list.length; index += 1) list[index] = column[numbers[index] ?? 0] ?? 0;
  return list;
}

/** Groups rows by place; the first row of a place represents it. */
class PlaceCounts {
  private readonly index: LoginIndex;
  private size = 0;
  /** Per place of the index, its position among those found, plus 1. */
  private readonly slots: Uint32Array;
  private readonly seen: Uint8Array;
  private readonly number: Uint32Array;
  private readonly logins: Float64Array;
  private readonly users: Uint32Array;
  private readonly rarest: Uint8Array;
  private readonly row: Uint32Array;
  constructor(index: LoginIndex) {
    this.index = index;
    const most = index.where.lat.length;
    this.slots = new Uint32Array(most);
    this.seen = new Uint8Array(index.where.visitors);
    this.number = new Uint32Array(most);
    this.logins = new Float64Array(most);
    this.users = new Uint32Array(most);
    this.rarest = new Uint8Array(most);
    this.row = new Uint32Array(most);
  }
  add(index: number, place: number): void {
    const { columns, order } = this.index;
    let slot = (this.slots[place] ?? 0) - 1;
    if (slot < 0) {
      slot = this.size;
      this.size += 1;
      this.slots[place] = this.size;
      this.number[slot] = place;
      this.row[slot] = order[index] ?? 0;
      // Rows come rarest first.
      this.rarest[slot] = columns.rarity[index] ?? 0;
    }
    this.logins[slot] = (this.logins[slot] ?? 0) + (columns.logins[index] ?? 0);
    const visitor = columns.visitor[index] ?? 0;
    if (this.seen[visitor] === 1) return;
    this.seen[visitor] = 1;
    this.users[slot] = (this.users[slot] ?? 0) + 1;
  }
  places(): Places {
    const { size, index } = this;
    const number = this.number.slice(0, size);
    return {
      size,
      number,
      lat: picked(index.where.lat, number),
      lon: picked(index.where.lon, number),
      logins: this.logins.slice(0, size),
      users: this.users.slice(0, size),
      rarest: this.rarest.slice(0, size),
      row: this.row.slice(0, size),
    };
  }
}

/** All linked views under a filter, in one pass. */
export function summarise(index: LoginIndex, filter: LoginFilter): LoginSummary {
  const { table, columns, edges, order } = index;
  const bits = failingBits(index, filter);
  const histogram = new Float64Array(Math.max(0, edges.length - 1));
  const week = new Float64Array(168);
  const countries = new Ranking(table.countries);
  const users = new Ranking(table.users);
  const ips = new Ranking(table.ips);
  const places = new PlaceCounts(index);
  const passed = new Uint32Array(table.size);
  let rows = 0;
  let total = 0;
  let unplaced = 0;
  for (let index = 0; index < bits.length; index += 1) {
    const failed = bits[index] ?? 0;
    // It fails two parts, so no view counts it.
    if ((failed & (failed - 1)) !== 0) continue;
    const logins = columns.logins[index] ?? 0;
    const rarity = columns.rarity[index] ?? 0;
    if (failed === 0) {
      passed[rows] = order[index] ?? 0;
      rows += 1;
      total += logins;
    }
    if (failed === 0 || failed === TIME) {
      const bar = columns.bar[index] ?? -1;
      if (bar >= 0) histogram[bar] = (histogram[bar] ?? 0) + logins;
    }
    if (failed === 0 || failed === WEEK) {
      const hour = columns.hour[index] ?? NO_HOUR;
      if (hour !== NO_HOUR) week[hour] = (week[hour] ?? 0) + logins;
    }
    if (failed === 0 || failed === COUNTRY) countries.add(columns.country[index] ?? 0, logins, rarity);
    if (failed === 0 || failed === USER) users.add(columns.user[index] ?? 0, logins, rarity);
    if (failed === 0 || failed === IP) ips.add(columns.ip[index] ?? 0, logins, rarity);
    if (failed === 0 || failed === BOX) {
      const place = columns.place[index] ?? -1;
      if (place >= 0) places.add(index, place);
      else if (failed === 0) unplaced += 1;
    }
  }
  return {
    rows,
    logins: total,
    unplaced,
    order: passed.slice(0, rows),
    places: places.places(),
    histogram: { edges, logins: histogram },
    week,
    countries,
    users,
    ips,
  };
}
