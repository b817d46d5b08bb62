/** The time range of the histogram: where playback starts, and how a step moves it. Pure. */
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import { type ClockSetting, instantOfWall, zoneOffsetMs } from '#shared/model/clock.ts';

export type TimeWindow = NonNullable<LoginFilter['time']>;

const DAY = 24 * 3_600_000;

/** The bars of the histogram. */
export interface TimeBars {
  start: number;
  /** Duration of one bar in ms. */
  step: number;
  count: number;
}

/** Share of the bars that playback starts with, in percent. */
const OWN_SHARE = 10;

const endOf = ({ start, step, count }: TimeBars): number => start + count * step;

/** The first range of a playback. */
export function firstWindow(bars: TimeBars): TimeWindow {
  const width = Math.max(1, Math.round((bars.count * OWN_SHARE) / 100)) * bars.step;
  return { from: bars.start, to: bars.start + width };
}

/**
 * Moves the window by one bar and keeps its width. Without a window: the first one, or when moving back the last one.
 * null: the end is reached.
 */
export function stepWindow(window: TimeWindow | undefined, bars: TimeBars, by: 1 | -1): TimeWindow | null {
  if (bars.count === 0) return null;
  const first = firstWindow(bars);
  const end = endOf(bars);
  if (!window) return by === 1 ? first : { from: end - (first.to - first.from), to: end };
  const move = by * bars.step;
  if (by === 1 ? window.to >= end : window.from <= bars.start) return null;
  const shift = by === 1 ? Math.min(move, end - window.to) : Math.max(move, bars.start - window.from);
  return { from: window.from + shift, to: window.to + shift };
}

/** Midnights within the span, thinned so that their labels do not overlap. */
export function midnights(start: number, end: number, width: number, clock: ClockSetting): number[] {
  const days = (end - start) / DAY;
  const every = Math.max(1, Math.ceil((days * 56) / Math.max(1, width)));
  const marks: number[] = [];
  for (let wall = Math.ceil((start + zoneOffsetMs(start, clock)) / DAY) * DAY; ; wall += every * DAY) {
    const at = instantOfWall(wall, clock);
    if (!(at < end)) return marks;
    marks.push(at);
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
    const at = instantOfWall(wall, clock);
    if (!(at < end)) return marks;
    // A time that clocks skip falls on the next one.
    if (at !== marks.at(-1)) marks.push(at);
  }
}
