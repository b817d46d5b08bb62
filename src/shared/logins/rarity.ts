/**
 * Rarity, which the map's colour means: how often this user was seen at this place within what is loaded. A user's
 * only login from a place stands out; the office where he logs in daily does not.
 */
import type { LoginTable } from './table.ts';

/** 0: every day … 4: the only login of this user from there. */
export type Rarity = 0 | 1 | 2 | 3 | 4;
export const RAREST: Rarity = 4;

/** Logins from the place above which a level no longer holds: 1, 2–4, 5–14, 15–49, 50 and more. */
const LIMITS = [1, 4, 14, 49] as const;

export const rarityOf = (seen: number): Rarity =>
  (4 - LIMITS.reduce((level, limit) => level + (seen > limit ? 1 : 0), 0)) as Rarity;

/** In words, for lists and tooltips; `seen` is the user's logins from the place. */
export const rarityWords = (seen: number): string =>
  seen <= 1
    ? 'Only login from here'
    : seen === 2
      ? 'Seen twice here'
      : `${seen.toLocaleString('en-GB')} from here`;

/** Places closer than this are one: a hundredth of a degree, about a kilometre. */
const CELL = 100;
/** More columns than a circle has hundredths of a degree. */
const CELLS_AROUND = 36_001;

/** The number of a row's place; -1: unplaced. */
export function placeOf(table: LoginTable, row: number): number {
  const lat = table.lat[row] ?? Number.NaN;
  if (Number.isNaN(lat)) return -1;
  return Math.round((lat + 90) * CELL) * CELLS_AROUND + Math.round(((table.lon[row] ?? 0) + 180) * CELL);
}

/** Per row, the logins of its user from its place; rows without a user count the place, unplaced rows their address. */
export function seenPerRow(table: LoginTable): Float64Array {
  const users = table.users.length;
  const places = new Map<number, number>();
  const keys = new Float64Array(table.size);
  const totals = new Map<number, number>();
  for (let row = 0; row < table.size; row += 1) {
    const place = placeOf(table, row);
    const where = place < 0 ? -1 - (table.ip[row] ?? 0) : place;
    let number = places.get(where);
    if (number === undefined) {
      number = places.size;
      places.set(where, number);
    }
    const key = number * users + (table.user[row] ?? 0);
    keys[row] = key;
    totals.set(key, (totals.get(key) ?? 0) + (table.logins[row] ?? 0));
  }
  return keys.map((key) => totals.get(key) ?? 0);
}
