/** State of the map's worker: the decoded rows of the visible layers. Answers the window's requests. */

import { geoNaturalEarth1Raw } from 'd3-geo';
import { type LoginFilter, passing } from '#shared/logins/login-filter.ts';
import { indexLogins, type LoginIndex } from '#shared/logins/login-index.ts';
import {
  type LoginSummary,
  type Places,
  picked,
  type Ranked,
  type Ranking,
  summarise,
} from '#shared/logins/summary.ts';
import { LoginTableBuilder } from '#shared/logins/table.ts';
import { impossibleTravel, journeysOf } from '#shared/logins/travel.ts';
import { type ClockSetting, exportTime } from '#shared/model/clock.ts';
import { outcomeWord } from './choices.ts';
import { DecodeError, decodeRows } from './decode.ts';
import type { Part } from './filter-state.ts';

/** One answer of `get_cache_query`; without `data` it failed, and its layer is empty. */
export interface LayerInput {
  module: string;
  /** Null if the outcome is unknown. */
  failed: boolean | null;
  data: string | null;
}

export interface LayerState {
  module: string;
  failed: boolean | null;
  /** Rows taken. */
  points: number;
  /** Why it is empty although it was answered: the decompression error. */
  error: string | null;
}

export interface LoadAsk {
  clock: ClockSetting;
  /** All pages are here; otherwise more follow. */
  isWhole: boolean;
  /** The users whose logins alone are whole then, or null for everybody's. */
  users: readonly string[] | null;
}

export interface Loaded {
  layers: LayerState[];
  rows: number;
  dropped: Record<string, number>;
  doubts: Record<string, number>;
  unplaced: number;
  /** First and last known time in ms, or null if no row has one. */
  span: [number, number] | null;
}

/** One login row for a list, a tooltip or a file. */
export interface LoginRow {
  row: number;
  /** By which the service names its places in logs; 0 if it comes from none. */
  id: number;
  user: string;
  ip: string;
  country: string;
  city: string;
  lat: number | null;
  lon: number | null;
  /** Milliseconds since 1970. */
  time: number | null;
  logins: number;
  /** Logins of the user from the place. */
  seen: number;
  rarity: number;
  /** More logins of the user may follow, so `seen` and `rarity` are provisional. */
  isProvisional: boolean;
  /** Null if unknown. */
  failed: boolean | null;
  module: string;
}

export interface TravelPair {
  from: LoginRow;
  to: LoginRow;
  km: number;
  hours: number;
  kmh: number;
}

/** Places with their positions on the plane of the map: Natural Earth, radians, y downwards. */
export interface MapPlaces extends Places {
  x: Float64Array;
  y: Float64Array;
}

/** The summary without what stays in the worker: the order for `rows`, the rankings for `ranked`, the places to draw. */
export interface MapSummary extends Omit<LoginSummary, 'order' | 'places' | Part> {
  placeCount: number;
  /** Rows of each module that pass the filter. */
  points: ReadonlyMap<string, number>;
  /** How many different values there are; `ranked` gives them. */
  distinct: Readonly<Record<Part, number>>;
}

export interface TravelAnswer {
  total: number;
  pairs: TravelPair[];
}

const RADIANS = Math.PI / 180;

/** Projected positions of all places, computed once for all filters. */
function planeOf({ where: { lat, lon } }: LoginIndex): { x: Float64Array; y: Float64Array } {
  const x = new Float64Array(lat.length);
  const y = new Float64Array(lat.length);
  for (let index = 0; index < lat.length; index += 1) {
    const [px, py] = geoNaturalEarth1Raw((lon[index] ?? 0) * RADIANS, (lat[index] ?? 0) * RADIANS);
    x[index] = px;
    y[index] = -py;
  }
  return { x, y };
}

const orNull = (value: number) => (Number.isNaN(value) ? null : value);

const NO_LOGINS = indexLogins(new LoginTableBuilder(0).build(), 'utc');

export class LoginEngine {
  index: LoginIndex = NO_LOGINS;
  layers: LayerState[] = [];
  private order: Uint32Array = new Uint32Array();
  private pending: { builder: LoginTableBuilder; layers: LayerState[] } = {
    builder: new LoginTableBuilder(0),
    layers: [],
  };
  /** Places and row count of the last summary, or null if there is none yet. */
  shown: { places: MapPlaces; rows: number } | null = null;
  private rankings: Readonly<Record<Part, Ranking>> | null = null;
  private plane = planeOf(this.index);
  /** Users whose logins are all here, or null for everybody's. */
  private complete: ReadonlySet<string> | null = null;
  private journeys: Uint32Array | null = null;
  /** Snapshot for an export in progress, independent of later loads and filters. */
  private frozen: { order: Uint32Array; index: LoginIndex; layers: LayerState[] } | null = null;

  /** Begins another load, `now` in ms; the current data stays until its `load`. */
  begin(now: number): void {
    this.pending = { builder: new LoginTableBuilder(now), layers: [] };
  }

  /** Decodes one answer of the current load. An undecodable answer becomes an empty layer with its reason. */
  page({ module, failed, data }: LayerInput): void {
    const { builder, layers } = this.pending;
    let points = 0;
    let error: string | null = null;
    try {
      if (data !== null) points = builder.add(decodeRows(data), layers.length, failed);
    } catch (reason) {
      if (!(reason instanceof DecodeError)) throw reason;
      error = reason.message;
    }
    layers.push({ module, failed, points, error });
  }

  /** Replaces the current data with the pages added since `begin`; further pages add to them until the load is whole. */
  load({ clock, isWhole, users }: LoadAsk): Loaded {
    const table = this.pending.builder.build();
    this.layers = [...this.pending.layers];
    this.complete = isWhole ? users && new Set(users) : new Set();
    if (isWhole) this.begin(0);
    // The previous rows make room before the new ones are prepared.
    this.index = NO_LOGINS;
    this.index = indexLogins(table, clock);
    this.plane = planeOf(this.index);
    this.journeys = null;
    const { first, last } = this.index;
    return {
      layers: this.layers,
      rows: table.size,
      dropped: table.dropped,
      doubts: table.doubts,
      unplaced: table.unplaced,
      span: Number.isFinite(first) ? [first, last] : null,
    };
  }

  /** Computes all linked views for a filter; its order applies to `rows` and `records` until the next call. */
  summary(filter: LoginFilter): MapSummary {
    const { order, places, users, countries, ips, ...views } = summarise(this.index, filter);
    this.order = order;
    this.rankings = { users, countries, ips };
    const distinct = { users: users.distinct, countries: countries.distinct, ips: ips.distinct };
    const x = picked(this.plane.x, places.number);
    const y = picked(this.plane.y, places.number);
    this.shown = { places: { ...places, x, y }, rows: views.rows };
    return { ...views, distinct, placeCount: places.size, points: this.pointsOf(order) };
  }

  private pointsOf(order: Uint32Array): Map<string, number> {
    const points = new Map<string, number>();
    for (const row of order) {
      const { module = '' } = this.layers[this.index.table.layer[row] ?? 0] ?? {};
      points.set(module, (points.get(module) ?? 0) + 1);
    }
    return points;
  }

  /** Values start to end (exclusive) of one column under the last summary's filter, most logins first. */
  ranked(part: Part, start: number, end: number): Ranked[] {
    return this.rankings?.[part].slice(start, end) ?? [];
  }

  /** Rows start to end (exclusive) of the last summary's order. */
  rows(start: number, end: number): LoginRow[] {
    return Array.from(this.order.subarray(start, end), (row) => this.row(row));
  }

  row(row: number, { index, layers }: { index: LoginIndex; layers: LayerState[] } = this): LoginRow {
    const { table, rarity } = index;
    return {
      row,
      id: table.id[row] ?? 0,
      user: table.users[table.user[row] ?? 0] ?? '',
      ip: table.ips[table.ip[row] ?? 0] ?? '',
      country: table.countries[table.country[row] ?? 0] ?? '',
      city: table.cities[table.city[row] ?? 0] ?? '',
      lat: orNull(table.lat[row] ?? Number.NaN),
      lon: orNull(table.lon[row] ?? Number.NaN),
      time: orNull(table.time[row] ?? Number.NaN),
      logins: table.logins[row] ?? 0,
      seen: index.where.seen[row] ?? 0,
      rarity: rarity[row] ?? 0,
      isProvisional: !(this.complete?.has(table.users[table.user[row] ?? 0] ?? '') ?? true),
      failed: table.failed[row] === 2 ? null : table.failed[row] === 1,
      module: layers[table.layer[row] ?? 0]?.module ?? '',
    };
  }

  /** Rows of one user, newest first, whatever the filter says. */
  ofUser(user: string, limit: number): LoginRow[] {
    const { table } = this.index;
    const userIndex = table.users.indexOf(user);
    if (userIndex <= 0) return [];
    const rows: number[] = [];
    for (let row = 0; row < table.size; row += 1) if (table.user[row] === userIndex) rows.push(row);
    const time = (row: number) => orNull(table.time[row] ?? Number.NaN) ?? 0;
    return rows
      .sort((a, b) => time(b) - time(a))
      .slice(0, limit)
      .map((row) => this.row(row));
  }

  travel(filter: LoginFilter, limit: number): TravelAnswer {
    this.journeys ??= journeysOf(this.index.table);
    const travels = impossibleTravel(this.index.table, passing(this.index, filter), this.journeys);
    return {
      total: travels.length,
      pairs: travels
        .slice(0, limit)
        .map(({ from, to, ...figures }) => ({ from: this.row(from), to: this.row(to), ...figures })),
    };
  }

  /** Records for a file, in the order that the last summary had when the first were asked for; times as RFC 3339. */
  records(start: number, end: number, clock: ClockSetting): (string | number | null)[][] {
    if (start === 0 || this.frozen === null)
      this.frozen = { order: this.order, index: this.index, layers: this.layers };
    const { frozen } = this;
    const rows = Array.from(frozen.order.subarray(start, end), (row) => this.row(row, frozen));
    return rows.map((row) => [
      row.time === null ? null : exportTime(row.time, clock),
      row.user,
      row.ip,
      row.country,
      row.city,
      row.lat,
      row.lon,
      row.logins,
      outcomeWord(row.failed),
      row.module,
      row.seen,
    ]);
  }
}
