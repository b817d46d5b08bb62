/**
 * The view of the map: zoom and offset on the Natural Earth projection, hit testing, and clustering of places into
 * marks. Pure. Plane coordinates are radians as the worker delivers them, y downwards.
 */
import type { MapPlaces } from './engine.ts';

export interface View {
  /** Pixels per unit of the plane. */
  scale: number;
  /** The point of the plane at the centre of the picture. */
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** Units of the outlines' paths per radian of the plane. */
export const LAND_UNITS = 1000;

/** Half of the plane's width, and the part of its height that people live in. */
const HALF_WIDTH = 2.736;
const TOP = -1.33;
const BOTTOM = 1.02;
const ZOOM_MOST = 160;
/** Zoom level from which the detailed outlines are used. */
export const FINE_FROM = 4;

/** The whole inhabited world in the picture. */
export function wholeWorld({ width, height }: Size): View {
  const scale = Math.max(1, Math.min(width / (2 * HALF_WIDTH), height / (BOTTOM - TOP)));
  return { scale, x: 0, y: (TOP + BOTTOM) / 2 };
}

export const zoomOf = (view: View, size: Size): number => view.scale / wholeWorld(size).scale;

const between = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** Keeps the view inside the world and limits the zoom to the precision of IP locations. */
export function clampView(view: View, size: Size): View {
  const whole = wholeWorld(size).scale;
  const scale = between(view.scale, whole, whole * ZOOM_MOST);
  const spareX = Math.max(0, HALF_WIDTH - size.width / 2 / scale);
  const spareY = Math.max(0, (BOTTOM - TOP) / 2 - size.height / 2 / scale);
  const middle = (TOP + BOTTOM) / 2;
  return { scale, x: between(view.x, -spareX, spareX), y: between(view.y, middle - spareY, middle + spareY) };
}

/** Zooms by a factor, keeping the plane's point under (px, py) where it is. */
export function zoomAt(view: View, size: Size, factor: number, px: number, py: number): View {
  const whole = wholeWorld(size).scale;
  const scale = between(view.scale * factor, whole, whole * ZOOM_MOST);
  const x = view.x + (px - size.width / 2) / view.scale;
  const y = view.y + (py - size.height / 2) / view.scale;
  return clampView(
    { scale, x: x - (px - size.width / 2) / scale, y: y - (py - size.height / 2) / scale },
    size,
  );
}

export const panBy = (view: View, size: Size, dx: number, dy: number): View =>
  clampView({ ...view, x: view.x + dx / view.scale, y: view.y + dy / view.scale }, size);

export const toPixels = (view: View, { width, height }: Size, x: number, y: number) =>
  [(x - view.x) * view.scale + width / 2, (y - view.y) * view.scale + height / 2] as const;

export interface Mark {
  x: number;
  y: number;
  radius: number;
  /** Number of clustered places, 1 for a point. */
  places: number;
  logins: number;
  rarest: number;
  /** The rarest place, which represents the mark: its newest row and its number of users. */
  place: number;
  row: number;
  users: number;
  /** Bounding box of its places on the plane: west, north, east, south. */
  box: [number, number, number, number];
  /** The same in degrees: west, south, east, north. */
  degrees: [number, number, number, number];
}

const CELL_PX = 22;
const POINT_PX = 4;
const RADIUS_MOST = 15;

/** The size grows with the logarithm of the logins: ten times as many add about three pixels. */
export const radiusOf = (logins: number): number =>
  Math.min(RADIUS_MOST, POINT_PX + 2.4 * Math.log10(Math.max(1, logins)));

function widen(box: [number, number, number, number], x: number, y: number): void {
  if (x < box[0]) box[0] = x;
  if (y < box[1]) box[1] = y;
  if (x > box[2]) box[2] = x;
  if (y > box[3]) box[3] = y;
}

/**
 * Clusters places into marks: places within one screen cell share a mark, except that the rarest are never merged
 * with others, because outliers must stay visible. One pass over the places.
 */
export function marksOf(places: MapPlaces, view: View, size: Size): Mark[] {
  const across = Math.ceil(size.width / CELL_PX) + 2;
  const cells = new Map<number, Mark>();
  const halfWidth = size.width / 2;
  const halfHeight = size.height / 2;
  for (let index = 0; index < places.size; index += 1) {
    const x = places.x[index] ?? 0;
    const y = places.y[index] ?? 0;
    const px = (x - view.x) * view.scale + halfWidth;
    const py = (y - view.y) * view.scale + halfHeight;
    if (
      px < -RADIUS_MOST ||
      py < -RADIUS_MOST ||
      px > size.width + RADIUS_MOST ||
      py > size.height + RADIUS_MOST
    )
      continue;
    const rarest = places.rarest[index] ?? 0;
    const cell =
      ((Math.floor(py / CELL_PX) + 1) * across + Math.floor(px / CELL_PX) + 1) * 2 + (rarest === 4 ? 1 : 0);
    const mark = cells.get(cell);
    const logins = places.logins[index] ?? 0;
    const lon = places.lon[index] ?? 0;
    const lat = places.lat[index] ?? 0;
    if (mark === undefined) {
      const degrees: Mark['degrees'] = [lon, lat, lon, lat];
      cells.set(cell, {
        x: px,
        y: py,
        radius: 0,
        places: 1,
        logins,
        rarest,
        place: index,
        row: 0,
        users: 0,
        box: [x, y, x, y],
        degrees,
      });
      continue;
    }
    mark.places += 1;
    mark.logins += logins;
    if (rarest > mark.rarest) {
      mark.rarest = rarest;
      mark.place = index;
    }
    widen(mark.box, x, y);
    widen(mark.degrees, lon, lat);
  }
  const marks = [...cells.values()];
  for (const mark of marks) {
    mark.radius = radiusOf(mark.logins);
    mark.row = places.row[mark.place] ?? 0;
    mark.users = places.users[mark.place] ?? 1;
    if (mark.places === 1) continue;
    const [x, y] = toPixels(view, size, (mark.box[0] + mark.box[2]) / 2, (mark.box[1] + mark.box[3]) / 2);
    mark.x = x;
    mark.y = y;
  }
  // Rare marks are drawn above common ones, and small ones above large ones.
  return marks.sort((a, b) => a.rarest - b.rarest || b.logins - a.logins);
}

/** The topmost mark within reach of a pointer, or null if there is none. */
export function markAt(marks: readonly Mark[], px: number, py: number): Mark | null {
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const mark = marks[index];
    if (mark && Math.hypot(mark.x - px, mark.y - py) <= Math.max(8, mark.radius + 3)) return mark;
  }
  return null;
}

/** A view in which the places of a cluster are separate marks. */
export function openMark(mark: Mark, size: Size): View {
  const [west, north, east, south] = mark.box;
  const span = Math.max((east - west) / size.width, (south - north) / size.height, 1e-4);
  return clampView({ scale: 0.6 / span, x: (west + east) / 2, y: (north + south) / 2 }, size);
}

/**
 * Density cells; the busiest one has level 1. Levels are logarithmic, so that one large office does not hide the
 * others.
 */
export interface DensityCell {
  x: number;
  y: number;
  level: number;
}
export const DENSITY_PX = 10;

export function densityOf(places: MapPlaces, view: View, size: Size): DensityCell[] {
  const across = Math.ceil(size.width / DENSITY_PX);
  const down = Math.ceil(size.height / DENSITY_PX);
  const counts = new Float64Array(across * down);
  let most = 0;
  for (let index = 0; index < places.size; index += 1) {
    const [px, py] = toPixels(view, size, places.x[index] ?? 0, places.y[index] ?? 0);
    const column = Math.floor(px / DENSITY_PX);
    const row = Math.floor(py / DENSITY_PX);
    if (column < 0 || row < 0 || column >= across || row >= down) continue;
    const cell = row * across + column;
    const count = (counts[cell] ?? 0) + (places.logins[index] ?? 0);
    counts[cell] = count;
    if (count > most) most = count;
  }
  const cells: DensityCell[] = [];
  for (let cell = 0; cell < counts.length; cell += 1) {
    const count = counts[cell] ?? 0;
    if (count > 0)
      cells.push({
        x: (cell % across) * DENSITY_PX,
        y: Math.floor(cell / across) * DENSITY_PX,
        level: Math.log1p(count) / Math.log1p(most),
      });
  }
  return cells;
}
