/** Impossible travel: the same user at two places, sooner than an aeroplane would take from one to the other. */
import type { LoginTable } from './table.ts';

/** Ground speed of an airliner with a tail wind; nobody outruns it. */
export const AEROPLANE_KMH = 1000;
/** Addresses are placed to a city at best: nearer than this, two places may be one. */
export const NEAR_KM = 200;

export interface Travel {
  /** Rows of the table, earlier and later. */
  from: number;
  to: number;
  /** Great circle. */
  km: number;
  hours: number;
  /** Infinity: at the same moment. */
  kmh: number;
}

const EARTH_KM = 6371.0088;
const rad = (degrees: number) => (degrees * Math.PI) / 180;

/** Great-circle distance in km by the haversine formula, on a sphere of the mean radius: within 0.5 %. */
export function distanceKm(latA: number, lonA: number, latB: number, lonB: number): number {
  const half =
    Math.sin(rad(latB - latA) / 2) ** 2 +
    Math.cos(rad(latA)) * Math.cos(rad(latB)) * Math.sin(rad(lonB - lonA) / 2) ** 2;
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(half)));
}

/**
 * Pairs of neighbours in time, fastest first. Failed logins are left out: somebody else's wrong password says
 * nothing of where the user is.
 */
export function impossibleTravel(table: LoginTable, passes: (row: number) => boolean): Travel[] {
  const rows: number[] = [];
  for (let row = 0; row < table.size; row += 1) {
    const usable =
      table.user[row] !== 0 &&
      table.failed[row] === 0 &&
      !Number.isNaN(table.time[row]) &&
      !Number.isNaN(table.lat[row]);
    if (usable && passes(row)) rows.push(row);
  }
  const at = (column: Float64Array | Uint32Array, row: number) => column[row] ?? 0;
  rows.sort((a, b) => at(table.user, a) - at(table.user, b) || at(table.time, a) - at(table.time, b));
  const found: Travel[] = [];
  for (let index = 1; index < rows.length; index += 1) {
    const from = rows[index - 1] ?? 0;
    const to = rows[index] ?? 0;
    if (table.user[from] !== table.user[to]) continue;
    const km = distanceKm(at(table.lat, from), at(table.lon, from), at(table.lat, to), at(table.lon, to));
    if (km < NEAR_KM) continue;
    const hours = (at(table.time, to) - at(table.time, from)) / 3_600_000;
    const kmh = hours === 0 ? Number.POSITIVE_INFINITY : km / hours;
    if (kmh > AEROPLANE_KMH) found.push({ from, to, km, hours, kmh });
  }
  return found.sort((a, b) => b.kmh - a.kmh || b.km - a.km);
}
