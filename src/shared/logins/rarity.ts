/**
 * Rarity, which the map's colour means: how often this user was seen at this place within what is loaded. A user's
 * only login from a place stands out; the office where he logs in daily does not.
 */
import type { LoginTable } from './table.ts';

/** 0: every day … 4: the only login of this user from there. */
export type Rarity = 0 | 1 | 2 | 3 | 4;

/** Logins from the place above which a level no longer holds: 1, 2–4, 5–14, 15–49, 50 and more. */
const LIMITS = [1, 4, 14, 49] as const;

export const rarityOf = (seen: number): Rarity =>
  (4 - LIMITS.reduce((level, limit) => level + (seen > limit ? 1 : 0), 0)) as Rarity;

/** In words, for lists and tooltips; `seen` is the user's logins from the place. */
export const rarityWords = (seen: number): string =>
  seen <= 1
    ? 'Only login from here'
    : seen === 2
      ? '2 logins from here'
      : `${seen.toLocaleString('en-GB')} logins from here`;

/** Places closer than this are one: a hundredth of a degree, about a kilometre. */
const CELL = 100;
/** More columns than a circle has hundredths of a degree. */
const CELLS_AROUND = 36_001;

/** Where rows are and who was there, by numbers counted from 0: what any filter's counts are made of. */
export interface Whereabouts {
  /** Per row, the number of its place; -1: unplaced. */
  place: Int32Array;
  /** Per row, the number of its user at its place. */
  visitor: Uint32Array;
  /** Per row, the logins of its visitor. */
  seen: Float64Array;
  /** How many visitors there are. */
  visitors: number;
  /** Degrees of each place: those of its first row. */
  lat: Float64Array;
  lon: Float64Array;
}

/** Rows without a user count the place; unplaced rows their address. Time: one pass. */
export function whereaboutsOf(table: LoginTable): Whereabouts {
  const { size, user, ip } = table;
  const users = table.users.length;
  const places = new Map<number, number>();
  const visits = new Map<number, number>();
  const place = new Int32Array(size);
  const visitor = new Uint32Array(size);
  const totals: number[] = [];
  const lat: number[] = [];
  const lon: number[] = [];
  for (let row = 0; row < size; row += 1) {
    const rowLat = table.lat[row] ?? Number.NaN;
    const rowLon = table.lon[row] ?? 0;
    let number = -1;
    if (!Number.isNaN(rowLat)) {
      const cell = Math.round((rowLat + 90) * CELL) * CELLS_AROUND + Math.round((rowLon + 180) * CELL);
      number = places.get(cell) ?? -1;
      if (number < 0) {
        number = lat.length;
        places.set(cell, number);
        lat.push(rowLat);
        lon.push(rowLon);
      }
    }
    place[row] = number;
    const where = number < 0 ? -1 - (ip[row] ?? 0) : number;
    const key = where * users + (user[row] ?? 0);
    let visit = visits.get(key);
    if (visit === undefined) {
      visit = totals.length;
      visits.set(key, visit);
      totals.push(0);
    }
    visitor[row] = visit;
    totals[visit] = (totals[visit] ?? 0) + (table.logins[row] ?? 0);
  }
  return {
    place,
    visitor,
    seen: Float64Array.from(visitor, (visit) => totals[visit] ?? 0),
    visitors: totals.length,
    lat: Float64Array.from(lat),
    lon: Float64Array.from(lon),
  };
}
