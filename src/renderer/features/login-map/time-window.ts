/** The time range of the histogram: where playback starts, and how a step moves it. Pure. */
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import { type ClockSetting, instantOfWall, profileTime, zoneOffsetMs } from '#shared/model/clock.ts';
import { DAYS } from './labels.ts';

export type TimeWindow = NonNullable<LoginFilter['time']>;

const DAY = 24 * 3_600_000;

/** Starts of the bars of the histogram, followed by the end of the last one; empty without bars. */
export type BarEdges = readonly number[];

/** Share of the bars that playback starts with, in percent. */
const OWN_SHARE = 10;

/** The edge that many bars after an instant, or before it. */
export function edgeBeside(edges: BarEdges, position: number, by: number): number {
  const after = edges.findIndex((edge) => edge > position);
  const before = edges.findLastIndex((edge) => edge < position);
  const place = by > 0 ? (after < 0 ? edges.length : after) + by - 1 : before + by + 1;
  return edges[Math.min(edges.length - 1, Math.max(0, place))] ?? position;
}

/** The range over a tenth of the bars from an edge on. */
function windowFrom(edges: BarEdges, isLast: boolean): TimeWindow {
  const width = Math.max(1, Math.round(((edges.length - 1) * OWN_SHARE) / 100));
  const first = isLast ? edges.length - 1 - width : 0;
  return { from: edges[first] ?? 0, to: edges[first + width] ?? 0 };
}

export const firstWindow = (edges: BarEdges): TimeWindow => windowFrom(edges, false);

/**
 * Moves both ends of the window by one bar. Without a window: the first one, or when moving back the last one. Null
 * for the end is reached.
 */
export function stepWindow(window: TimeWindow | undefined, edges: BarEdges, by: 1 | -1): TimeWindow | null {
  const [start, end] = [edges[0], edges.at(-1)];
  if (start === undefined || end === undefined) return null;
  if (!window) return windowFrom(edges, by === -1);
  if (by === 1 ? window.to >= end : window.from <= start) return null;
  return { from: edgeBeside(edges, window.from, by), to: edgeBeside(edges, window.to, by) };
}

/** Midnights within the span, thinned so that their labels do not overlap. */
export function midnights(start: number, end: number, width: number, clock: ClockSetting): number[] {
  const days = (end - start) / DAY;
  const every = Math.max(1, Math.ceil((days * 56) / Math.max(1, width)));
  const marks: number[] = [];
  for (let wall = Math.ceil((start + zoneOffsetMs(start, clock)) / DAY) * DAY; ; wall += every * DAY) {
    const instant = instantOfWall(wall, clock);
    if (!(instant < end)) return marks;
    marks.push(instant);
  }
}

const MINUTE = 60_000;
/** Distances between marks, in minutes. */
const DISTANCES = [1, 5, 15, 30, 60, 180, 360, 720];

/**
 * Marks of the time axis: midnights, or, of a span in which fewer than two lie, round times of the day. Thinned so that
 * their labels do not overlap.
 */
export function axisMarks(start: number, end: number, width: number, clock: ClockSetting): number[] {
  const days = midnights(start, end, width, clock);
  if (days.length > 1) return days;
  const fits = (minutes: number) => ((end - start) / (minutes * MINUTE)) * 56 <= width;
  const every = (DISTANCES.find(fits) ?? 720) * MINUTE;
  const marks: number[] = [];
  for (let wall = Math.ceil((start + zoneOffsetMs(start, clock)) / every) * every; ; wall += every) {
    const instant = instantOfWall(wall, clock);
    if (!(instant < end)) return marks;
    // A time that clocks skip falls on the next one.
    if (instant !== marks.at(-1)) marks.push(instant);
  }
}

/** Marks within one month are named by their weekday, within a year by month and day, beyond that by year and month. */
const YEAR_MS = 300 * DAY;

/** The label of a mark: what tells it from the others of an axis from `start` to `end`. */
export function markLabel(time: number, start: number, end: number, clock: ClockSetting): string {
  const wall = profileTime(time, clock);
  const clockTime = wall.slice(11, 16);
  if (clockTime !== '00:00') return clockTime;
  if (end - start > YEAR_MS) return wall.slice(0, 7);
  if (profileTime(start, clock).slice(0, 7) !== profileTime(end - 1, clock).slice(0, 7))
    return wall.slice(5, 10);
  const date = new Date(time + zoneOffsetMs(time, clock));
  return `${DAYS[(date.getUTCDay() + 6) % 7]} ${date.getUTCDate()}`;
}
