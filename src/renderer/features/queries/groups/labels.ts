/** Sentences of groups, charts and the timeline. */
import type { Groups } from '#shared/bridge/operations.ts';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import { exact, plural } from '#shared/model/format.ts';
import type { Span, Step } from '#shared/model/time-buckets.ts';

export const SHAPES = [
  { value: 'table', label: 'Table' },
  { value: 'bars', label: 'Bars' },
  { value: 'line', label: 'Line' },
  { value: 'heat', label: 'Heat map' },
] as const;

export const SPAN_LABELS: Readonly<Record<Span, string>> = {
  minute: 'Per minute',
  hour: 'Per hour',
  day: 'Per day',
  week: 'Per week',
  month: 'Per month',
  year: 'Per year',
};

const UNITS = [
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 604_800_000],
] as const;

/** "per hour", "per 3 hours", "per month". */
export function stepText({ ms, months }: Step): string {
  if (months !== undefined) return months % 12 === 0 ? per(months / 12, 'year') : per(months, 'month');
  const [unit, length] = UNITS.findLast((unit) => (ms ?? 0) % unit[1] === 0) ?? UNITS[0];
  return per((ms ?? length) / length, unit);
}
const per = (count: number, unit: string): string =>
  count === 1 ? `per ${unit}` : `per ${plural(count, unit)}`;

const DAY = 86_400_000;

/** Up to this length of an axis, month and day name a date. */
const YEAR_MS = 300 * DAY;

/** Axis label of a span: as much of its start as distinguishes it from the others of an axis of this length. */
export function spanTick(
  start: number,
  { ms = 0, months }: Step,
  clock: ClockSetting,
  length: number,
): string {
  const wall = profileTime(start, clock);
  if (months !== undefined) return wall.slice(0, months % 12 === 0 ? 4 : 7);
  const [day, time] = [length > YEAR_MS ? wall.slice(0, 7) : wall.slice(5, 10), wall.slice(11, 19)];
  if (ms >= DAY) return day;
  if (ms < 60_000) return time;
  return time === '00:00:00' ? day : time.slice(0, 5);
}

/**
 * "2026-10-27 00:00 to 12:00 UTC": a span with its zone; seconds and the second day only if they are significant. Both
 * zones if the clocks change within it.
 */
export function spanText(from: number, to: number, clock: ClockSetting): string {
  const [day = '', start = '', zoneBefore = ''] = profileTime(from, clock).split(' ');
  const [lastDay = '', end = '', zone = ''] = profileTime(to, clock).split(' ');
  const short = (time: string) => (start.endsWith(':00') && end.endsWith(':00') ? time.slice(0, -3) : time);
  const [eve = ''] = profileTime(to - 1, clock).split(' ');
  const until = lastDay === day ? short(end) : eve === day ? '24:00' : `${lastDay} ${short(end)}`;
  return `${day} ${short(start)}${zoneBefore === zone ? '' : ` ${zoneBefore}`} to ${until} ${zone}`;
}

export const otherText = (count: number): string =>
  count > 0 ? `Other (${plural(count, 'value')})` : 'Other';
export const NO_TIME = 'No time';
/** Rows that an axis of time leaves out. */
export const ASIDE = 'Implausible time';

/** What was counted: all rows or only the loaded ones. */
export const countedText = ({ rows, loaded, axes }: Groups, total: string, partial: boolean): string => {
  const aside = axes.reduce((sum, axis) => sum + ('edges' in axis ? axis.aside : 0), 0);
  return [
    `${plural(rows, 'row')} counted`,
    ...(partial ? [`of ${exact(loaded)} fetched of ${total}`] : []),
    ...(aside > 0 ? [`${exact(aside)} set aside for an implausible time`] : []),
  ].join(', ');
};

export const TIMELINE = {
  show: 'Show timeline',
  hide: 'Hide timeline',
  keys: 'Drag, or Shift and arrow keys, to select a time range; Enter filters.',
} as const;
