/**
 * Rarity, shown as colour on the map: how often this user was seen at this place within the loaded rows. A user's only
 * login from a place stands out; the office with daily logins does not.
 */
import type { LoginTable } from './table.ts';

/** 0: daily … 4: this user's only login from there. */
export type Rarity = 0 | 1 | 2 | 3 | 4;

/** Upper limits of logins per level: 1, 2–4, 5–14, 15–49, 50 and more. */
const LIMITS = [1, 4, 14, 49] as const;

export const rarityOf = (count: number): Rarity =>
  (4 - LIMITS.reduce((level, limit) => level + (count > limit ? 1 : 0), 0)) as Rarity;

/** In words, for lists and tooltips; `seen` is the user’s logins from the place, provisional while more may follow. */
export const rarityWords = ({ seen, isProvisional }: { seen: number; isProvisional: boolean }): string => {
  const words = seen <= 1 ? 'Only login from here' : `${seen.toLocaleString('en-GB')} logins from here`;
  return isProvisional ? `${words} so far` : words;
};

/** Coordinates are rounded to hundredths of a degree, about a kilometre. */
const CELL = 100;
/** More than the hundredths of a degree in a full circle. */
const CELLS_AROUND = 36_001;

/** Locations and visitors (a user at a place) as numbers from 0, on which all counts are based. */
export interface Whereabouts {
  /** Per row, its place; -1 if unplaced. */
  place: Int32Array;
  visitor: Uint32Array;
  /** Per row, the number of logins of its visitor. */
  seen: Float64Array;
  visitors: number;
  /** Coordinates of each place: those of its first row. */
  lat: Float64Array;
  lon: Float64Array;
}

/** Rows without a user count by place; unplaced rows by address. One pass. */
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
