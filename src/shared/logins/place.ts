/** Where a sign-in came from, as far as its log says so. */

export interface Place {
  lat: number;
  lon: number;
}

/**
 * The place of coordinates in degrees. 0, 0, a point in the Atlantic, is how logs write an unknown location, or null
 * if there is none.
 */
export const placeOf = (lat: number | null, lon: number | null): Place | null =>
  lat === null || lon === null || (lat === 0 && lon === 0) ? null : { lat, lon };
