/** Impossible travel: the same user at two places sooner than an aeroplane could fly between them. */
import type { LoginTable } from './table.ts';

/** Ground speed of an airliner with a tail wind. */
export const AEROPLANE_KMH = 1000;
/** Addresses are located to a city at best, so nearer places may be the same. */
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

const cellOf = (column: Float64Array | Uint32Array, row: number) => column[row] ?? 0;

/**
 * Rows that show who was where and when, by user, then time. Failed logins are excluded: somebody else's wrong password
 * says nothing about the user. A login without a recorded outcome may have been the user's.
 */
export function journeysOf(table: LoginTable): Uint32Array {
  const { user, time, lat, failed } = table;
  const rows: number[] = [];
  for (let row = 0; row < table.size; row += 1) {
    const isUsable =
      user[row] !== 0 && failed[row] !== 1 && !Number.isNaN(time[row]) && !Number.isNaN(lat[row]);
    if (isUsable) rows.push(row);
  }
  return Uint32Array.from(rows).sort(
    (a, b) => cellOf(user, a) - cellOf(user, b) || cellOf(time, a) - cellOf(time, b),
  );
}

/** Consecutive pairs among the passing rows, fastest first. One pass. */
export function impossibleTravel(
  table: LoginTable,
  passes: (row: number) => boolean,
  journeys: Uint32Array = journeysOf(table),
): Travel[] {
  const travels: Travel[] = [];
  let from = -1;
  for (const to of journeys) {
    if (!passes(to)) continue;
    const before = from;
    from = to;
    if (before < 0 || table.user[before] !== table.user[to]) continue;
    const km = distanceKm(
      cellOf(table.lat, before),
      cellOf(table.lon, before),
      cellOf(table.lat, to),
      cellOf(table.lon, to),
    );
    if (km < NEAR_KM) continue;
    const hours = (cellOf(table.time, to) - cellOf(table.time, before)) / 3_600_000;
    const kmh = hours === 0 ? Number.POSITIVE_INFINITY : km / hours;
    if (kmh > AEROPLANE_KMH) travels.push({ from: before, to, km, hours, kmh });
  }
  return travels.sort((a, b) => b.kmh - a.kmh || b.km - a.km);
}
