/**
 * Dates of conditions in the chosen time zone. Conditions contain UTC instants, or bare days, which are UTC days.
 * Pure.
 */
import { instantOfWall } from '#renderer/ui/form/when-field.tsx';
import { type ClockSetting, exportTime, profileTime, zoneAt, zoneLabel } from '#shared/model/clock.ts';
import { parseTime } from '#shared/query/values.ts';

/** The part of a day that an operator compares with: start, end, or all of it. */
export type DayEdge = 'start' | 'end' | 'whole';

const DAY_MS = 86_400_000;

export function edgeOf(operator: string, index: number): DayEdge {
  if (operator === 'before') return 'start';
  if (operator === 'after') return 'end';
  return operator === 'between' ? (index === 0 ? 'start' : 'end') : 'whole';
}

interface ShownDate {
  /** `2026-11-19`, or '' for none. */
  day: string;
  /** `08:41:07`, or '' for the whole day. */
  time: string;
  /** The time zone of both. */
  zone: string;
  /** What the day covers on the clock, if that is not the day of the clock, or null if it is. */
  covers: string | null;
}

const isUtc = (clock: ClockSetting): boolean => zoneLabel(clock) === 'UTC';

/** A value as day and time fields. A bare day stays a UTC day until it is edited. */
export function shownDate(text: string, edge: DayEdge, clock: ClockSetting): ShownDate {
  const span = parseTime(text);
  const utcDay = isUtc(clock) ? 'UTC' : 'UTC day';
  if (span === null)
    return {
      day: '',
      time: '',
      zone: edge === 'whole' ? utcDay : zoneAt(Date.now(), clock),
      covers: null,
    };
  if (span.from !== span.to)
    return {
      day: text.trim(),
      time: '',
      zone: utcDay,
      covers: isUtc(clock) ? null : `${profileTime(span.from, clock)} to ${profileTime(span.to, clock)}`,
    };
  const wall = exportTime(span.from, clock);
  const day = wall.slice(0, 10);
  // Not every day starts at 00:00: in some zones the clocks go forward at midnight.
  const isEdge =
    !isUtc(clock) && edge !== 'whole' && parseTime(dateValue(day, '', edge, clock))?.from === span.from;
  return { day, time: isEdge ? '' : wall.slice(11, 19), zone: zoneAt(span.from, clock), covers: null };
}

/** The value for a day and time in this zone. Whole days exist only in UTC. */
export function dateValue(day: string, time: string, edge: DayEdge, clock: ClockSetting): string {
  if (day === '') return '';
  if (isUtc(clock)) return time === '' ? day : `${day}T${time}Z`;
  if (time === '' && edge === 'whole') return day;
  const iso = (instant: number | null) =>
    instant === null ? day : new Date(instant).toISOString().replace('.000Z', 'Z');
  if (time !== '') return iso(instantOfWall(`${day}T${time}`, clock));
  if (edge === 'start') return iso(instantOfWall(`${day}T00:00`, clock));
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  const end = instantOfWall(`${next}T00:00`, clock);
  return iso(end === null ? null : end - 1);
}
