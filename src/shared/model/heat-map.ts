import { HEAT_MAP_ZOOM_MAX } from './constants.ts';

/** "Heat map zoom-in: allowed when each app has at most 3000 points." More are drawn, but not zoomed. */
export function heatMapZoomAllowed(pointsPerApp: Iterable<number>): boolean {
  for (const points of pointsPerApp) if (!(points <= HEAT_MAP_ZOOM_MAX)) return false;
  return true;
}
