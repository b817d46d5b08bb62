/**
 * Login events as columns: 200 000 of them are read, filtered and counted in a worker without an object per row. Rows
 * come as `[lat, lon, count, country?, ip?, user?, time?, city?, id?]` or equivalent objects (product.md, section 1; the
 * city and the id are additions of this service). Invalid rows are counted by reason and never guessed.
 */

import { sentInstant } from '../model/clock.ts';
import { EARLIEST } from '../model/constants.ts';
import { isRecord } from '../model/narrow.ts';
import { placeOf } from './place.ts';

/** Why a row was dropped, or which part of it was ignored. */
export type DropReason = 'shape' | 'latitude' | 'longitude' | 'count';
/**
 * `past` is before any sign-in. `clock` counts times kept although they are ahead of this machine's clock, which must be wrong.
 */
type DoubtReason = 'time' | 'past' | 'future' | 'clock';

export interface LoginTable {
  /** Rows; every column has this length. */
  size: number;
  /** Degrees; NaN: unplaced, the row has no coordinates. */
  lat: Float64Array;
  lon: Float64Array;
  /** Logins that the row stands for. */
  logins: Float64Array;
  /** Milliseconds since 1970; NaN: unknown. */
  time: Float64Array;
  /** Indexes into the lists below; 0 stands for missing. */
  country: Uint32Array;
  user: Uint32Array;
  ip: Uint32Array;
  city: Uint32Array;
  /** By which the service names the places of a login in logs; 0 if it comes from none. */
  id: Float64Array;
  /** Index of the layer, as numbered by the caller. */
  layer: Uint16Array;
  /** 0: successful, 1: failed, 2: not recorded. */
  failed: Uint8Array;
  countries: string[];
  users: string[];
  ips: string[];
  cities: string[];
  dropped: Record<DropReason, number>;
  doubts: Record<DoubtReason, number>;
  unplaced: number;
}

/** Clocks differ a little: a time this far in the future is still accepted. */
const AHEAD_MS = 24 * 3_600_000;

class Words {
  readonly list: string[] = [''];
  private readonly indexes = new Map<string, number>([['', 0]]);
  private readonly folds: boolean;
  /** What `folds` ignores case, and is stored in lower case. */
  constructor(folds = false) {
    this.folds = folds;
  }
  at(value: unknown): number {
    if (typeof value !== 'string' && typeof value !== 'number') return 0;
    const text = String(value).trim();
    const word = this.folds ? text.toLowerCase() : text;
    const index = this.indexes.get(word);
    if (index !== undefined) return index;
    this.indexes.set(word, this.list.length);
    return this.list.push(word) - 1;
  }
}

type Cells = readonly unknown[];

/** The cells of a row in either form, or null if invalid. */
function cellsOf(row: unknown): Cells | null {
  if (Array.isArray(row)) return row.length >= 3 ? row : null;
  if (!isRecord(row)) return null;
  const { lat, latitude, lon, lng, longitude, count, country, ip, user, time, city } = row;
  const cells = [
    lat ?? latitude ?? null,
    lon ?? lng ?? longitude ?? null,
    count ?? 1,
    country,
    ip,
    user,
    time,
    city,
  ];
  return cells.slice(3).some((cell) => cell !== undefined) || cells[0] !== null ? cells : null;
}

const within = (value: unknown, limit: number): value is number =>
  typeof value === 'number' && Math.abs(value) <= limit;

export class LoginTableBuilder {
  private readonly rows: Record<'lat' | 'lon' | 'logins' | 'time' | 'id', number[]> = {
    lat: [],
    lon: [],
    logins: [],
    time: [],
    id: [],
  };
  private readonly indexes: Record<'country' | 'user' | 'ip' | 'city', number[]> = {
    country: [],
    user: [],
    ip: [],
    city: [],
  };
  private readonly layers: number[] = [];
  private readonly outcomes: number[] = [];
  private readonly countries = new Words();
  private readonly users = new Words(true);
  private readonly ips = new Words(true);
  private readonly cities = new Words();
  private readonly dropped = { shape: 0, latitude: 0, longitude: 0, count: 0 };
  private unreadable = 0;
  private past = 0;
  private unplaced = 0;
  private readonly now: number;

  /** `now` in ms: later times are rejected, unless most are later. */
  constructor(now: number) {
    this.now = now;
  }

  /**
   * Adds the rows of one answer; `failed` is null for an outcome not recorded. Returns how many were accepted; the others are
   * counted in `dropped`.
   */
  add(rows: readonly unknown[], layer: number, failed: boolean | null): number {
    let count = 0;
    for (const row of rows) if (this.addRow(row, layer, failed)) count += 1;
    return count;
  }

  private addRow(row: unknown, layer: number, failed: boolean | null): boolean {
    const cells = cellsOf(row);
    if (cells === null) return this.drop('shape');
    const [lat, lon, count, country, ip, user, time, city, id] = cells;
    const hasCoordinates = lat !== null && lon !== null;
    if (hasCoordinates && !within(lat, 90)) return this.drop('latitude');
    if (hasCoordinates && !within(lon, 180)) return this.drop('longitude');
    const place = hasCoordinates ? placeOf(lat as number, lon as number) : null;
    if (typeof count !== 'number' || !(count > 0) || !Number.isFinite(count)) return this.drop('count');
    if (place === null) this.unplaced += 1;
    this.rows.lat.push(place?.lat ?? Number.NaN);
    this.rows.lon.push(place?.lon ?? Number.NaN);
    this.rows.logins.push(count);
    this.rows.time.push(this.timeOf(time));
    this.rows.id.push(Number.isSafeInteger(id) ? Number(id) : 0);
    this.indexes.country.push(this.countries.at(country));
    this.indexes.user.push(this.users.at(user));
    this.indexes.ip.push(this.ips.at(ip));
    this.indexes.city.push(this.cities.at(city));
    this.layers.push(layer);
    this.outcomes.push(failed === null ? 2 : failed ? 1 : 0);
    return true;
  }

  private timeOf(value: unknown): number {
    if (value === undefined || value === null || value === '') return Number.NaN;
    const time = sentInstant(value);
    if (time !== null && time >= EARLIEST) return time;
    // A time before any sign-in would stretch every view over time, as one in the future would.
    if (time === null) this.unreadable += 1;
    else this.past += 1;
    return Number.NaN;
  }

  /**
   * The times, and how many of them are in doubt. A login in the future would stretch every view over time, so its time
   * is left out. If most logins are in the future, it is the clock of this machine that is wrong, as with an empty
   * battery.
   */
  private timesOf(): { time: Float64Array; future: number; clock: number } {
    const time = Float64Array.from(this.rows.time);
    const isAhead = (instant: number) => instant > this.now + AHEAD_MS;
    let count = 0;
    let ahead = 0;
    for (const instant of time) {
      count += Number(!Number.isNaN(instant));
      ahead += Number(isAhead(instant));
    }
    if (ahead > 1 && ahead > count / 2) return { time, future: 0, clock: ahead };
    if (ahead > 0) for (const [row, instant] of time.entries()) if (isAhead(instant)) time[row] = Number.NaN;
    return { time, future: ahead, clock: 0 };
  }

  private drop(reason: DropReason): false {
    this.dropped[reason] += 1;
    return false;
  }

  build(): LoginTable {
    const { time, future, clock } = this.timesOf();
    return {
      size: this.layers.length,
      lat: Float64Array.from(this.rows.lat),
      lon: Float64Array.from(this.rows.lon),
      logins: Float64Array.from(this.rows.logins),
      time,
      id: Float64Array.from(this.rows.id),
      country: Uint32Array.from(this.indexes.country),
      user: Uint32Array.from(this.indexes.user),
      ip: Uint32Array.from(this.indexes.ip),
      city: Uint32Array.from(this.indexes.city),
      layer: Uint16Array.from(this.layers),
      failed: Uint8Array.from(this.outcomes),
      // Copies: rows may be added afterwards.
      countries: [...this.countries.list],
      users: [...this.users.list],
      ips: [...this.ips.list],
      cities: [...this.cities.list],
      dropped: { ...this.dropped },
      doubts: { time: this.unreadable, past: this.past, future, clock },
      unplaced: this.unplaced,
    };
  }
}
