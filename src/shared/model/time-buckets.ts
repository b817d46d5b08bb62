/** Time spans of one calendar length on the analyst's clock, for counting over time. Pure. */
import { type ClockSetting, instantOfWall, zoneOffsetMs } from './clock.ts';

export const SPANS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export type Span = (typeof SPANS)[number];

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** A length: milliseconds of the wall clock, or calendar months. */
export interface Step {
  ms?: number | undefined;
  months?: number | undefined;
}

const STEPS: readonly Step[] = [
  ...[1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200].map((s) => ({ ms: s * SECOND })),
  { ms: DAY },
  { ms: 7 * DAY },
  ...[1, 3, 12, 60, 120, 1_200, 12_000].map((months) => ({ months })),
];
const STEP_OF: Readonly<Record<Span, Step>> = {
  minute: { ms: 60 * SECOND },
  hour: { ms: 3_600 * SECOND },
  day: { ms: DAY },
  week: { ms: 7 * DAY },
  month: { months: 1 },
  year: { months: 12 },
};

const MONTH = 30.436875 * DAY;
const lengthOf = ({ ms = 0, months = 0 }: Step): number => ms + months * MONTH;
/** 1970 began on a Thursday; weeks begin on Monday. */
const WEEK_SHIFT = 3 * DAY;

/** Start of the step that contains this wall time. */
function beginOf(wall: number, { ms, months = 1 }: Step): number {
  if (ms !== undefined) {
    const shift = ms === 7 * DAY ? WEEK_SHIFT : 0;
    return Math.floor((wall + shift) / ms) * ms - shift;
  }
  const date = new Date(wall);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  return monthStart(Math.floor(month / months) * months);
}

/** `Date.UTC` reads years below 100 as 19xx. */
function monthStart(month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), ((month % 12) + 12) % 12, 1);
  return date.getTime();
}

function nextOf(wall: number, { ms, months = 1 }: Step): number {
  if (ms !== undefined) return wall + ms;
  const date = new Date(wall);
  return monthStart(date.getUTCFullYear() * 12 + date.getUTCMonth() + months);
}

export interface TimeBuckets {
  step: Step;
  /** Starts of the spans, followed by the end of the last one: epoch milliseconds, ascending. */
  edges: number[];
}

/**
 * The buckets from the first to the last instant. At most `most` of them, about: the finest length that needs no more,
 * and not finer than `every`.
 */
export function timeBuckets(
  first: number,
  last: number,
  clock: ClockSetting,
  most: number,
  every: Span | null = null,
): TimeBuckets {
  const least = every === null ? 0 : lengthOf(STEP_OF[every]);
  const step = STEPS.find((step) => lengthOf(step) >= least && (last - first) / lengthOf(step) < most) ?? {
    months: 12_000,
  };
  const { ms = Number.POSITIVE_INFINITY } = step;
  let wall = beginOf(first + zoneOffsetMs(first, clock), step);
  let before = instantOfWall(wall, clock);
  const edges = [before];
  while (edges.length === 1 || before <= last) {
    wall = nextOf(wall, step);
    const edge = instantOfWall(wall, clock);
    // Wall times that occur twice, as clocks go back, are two spans, not one that is longer than the others.
    if (ms <= HOUR && edge > before + ms) {
      before += ms;
      wall -= ms;
      edges.push(before);
    }
    // No span starts at a wall time that a clock change skips.
    else if (edge > before) {
      before = edge;
      edges.push(before);
    }
  }
  return { step, edges };
}

/** The span that contains an instant: the last that begins at or before it. Earlier instants go into the first. */
export function spanOf<T extends string | number>(starts: readonly T[], instant: T): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= instant) low = middle;
    else high = middle;
  }
  return low;
}
