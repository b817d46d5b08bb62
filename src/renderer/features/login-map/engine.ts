/** What the map's worker holds: the decoded rows of the layers in front, and answers to the window's questions. */

import { seenPerRow } from '#shared/logins/rarity.ts';
import {
  indexLogins,
  type LoginFilter,
  type LoginIndex,
  type LoginSummary,
  passing,
  summarise,
} from '#shared/logins/summary.ts';
import { LoginTableBuilder } from '#shared/logins/table.ts';
import { impossibleTravel } from '#shared/logins/travel.ts';
import { type ClockSetting, exportTime } from '#shared/model/clock.ts';
import { DecodeError, decodeRows } from './decode.ts';

/** One answer of `get_cache_query`; `data` null: it failed, and its layer is empty. */
export interface LayerInput {
  module: string;
  failed: boolean;
  data: string | null;
}

export interface LayerState {
  module: string;
  failed: boolean;
  /** Rows taken. */
  points: number;
  /** Why it is empty although it was answered: a decompression error's own message. */
  error: string | null;
}

export interface Loaded {
  layers: LayerState[];
  rows: number;
  dropped: Record<string, number>;
  doubts: Record<string, number>;
  unplaced: number;
  /** First and last known time in ms; null: no row has one. */
  span: [number, number] | null;
}

/** One login row for a list, a tooltip or a file. */
export interface LoginRow {
  row: number;
  user: string;
  ip: string;
  country: string;
  lat: number | null;
  lon: number | null;
  /** Milliseconds since 1970. */
  time: number | null;
  logins: number;
  /** Logins of the user from the place. */
  seen: number;
  rarity: number;
  failed: boolean;
  module: string;
}

export interface TravelPair {
  from: LoginRow;
  to: LoginRow;
  km: number;
  hours: number;
  kmh: number;
}

const orNull = (value: number) => (Number.isNaN(value) ? null : value);
const COLUMNS = [
  'time',
  'user',
  'ip',
  'country',
  'lat',
  'lon',
  'logins',
  'outcome',
  'app',
  'seen_from_place',
] as const;

export class LoginEngine {
  private index: LoginIndex = indexLogins(new LoginTableBuilder(0).build(), new Float64Array(), 'utc');
  private layers: LayerState[] = [];
  private order: Uint32Array = new Uint32Array();

  /** Replaces what is held. `now` in ms. An answer that cannot be decoded is an empty layer with its reason. */
  load(inputs: readonly LayerInput[], clock: ClockSetting, now: number): Loaded {
    const builder = new LoginTableBuilder(now);
    this.layers = inputs.map(({ module, failed, data }, number) => {
      try {
        const points = data === null ? 0 : builder.add(decodeRows(data), number, failed);
        return { module, failed, points, error: null };
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        return { module, failed, points: 0, error: error.message };
      }
    });
    const table = builder.build();
    this.index = indexLogins(table, seenPerRow(table), clock);
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

  summary(filter: LoginFilter): LoginSummary {
    const summary = summarise(this.index, filter);
    this.order = summary.order;
    return summary;
  }

  /** Rows start to end (exclusive) of the last summary's order. */
  rows(start: number, end: number): LoginRow[] {
    return Array.from(this.order.subarray(start, end), (row) => this.row(row));
  }

  row(row: number): LoginRow {
    const { table, seen, rarity } = this.index;
    return {
      row,
      user: table.users[table.user[row] ?? 0] ?? '',
      ip: table.ips[table.ip[row] ?? 0] ?? '',
      country: table.countries[table.country[row] ?? 0] ?? '',
      lat: orNull(table.lat[row] ?? Number.NaN),
      lon: orNull(table.lon[row] ?? Number.NaN),
      time: orNull(table.time[row] ?? Number.NaN),
      logins: table.logins[row] ?? 0,
      seen: seen[row] ?? 0,
      rarity: rarity[row] ?? 0,
      failed: table.failed[row] === 1,
      module: this.layers[table.layer[row] ?? 0]?.module ?? '',
    };
  }

  travel(filter: LoginFilter, limit: number): TravelPair[] {
    return impossibleTravel(this.index.table, passing(this.index, filter))
      .slice(0, limit)
      .map(({ from, to, ...figures }) => ({ from: this.row(from), to: this.row(to), ...figures }));
  }

  /** Records for a file, in the last summary's order; times as RFC 3339 on the clock. */
  records(start: number, end: number, clock: ClockSetting): (string | number | null)[][] {
    return this.rows(start, end).map((one) => [
      one.time === null ? null : exportTime(one.time, clock),
      one.user,
      one.ip,
      one.country,
      one.lat,
      one.lon,
      one.logins,
      one.failed ? 'failed' : 'successful',
      one.module,
      one.seen,
    ]);
  }
}

export const RECORD_COLUMNS: readonly string[] = COLUMNS;
