import { dictionary } from '#shared/dictionary.ts';
import { remembering } from '../remember.ts';

/**
 * The one clock setting for grid, timeline and exports (product.md, section 1): UTC, this machine's zone, or the
 * tenant's zone by its IANA name.
 */
export type ClockSetting = 'utc' | 'local' | { tenant: string };

/** Accepted forms of an instant: epoch ms, a Date, or ISO 8601. */
export type InstantLike = number | string | Date | null | undefined;

const UNKNOWN = 'Unknown';
/** The range of a Date, ECMA-262 21.4.1.1. */
const MAX_INSTANT = 8.64e15;
const DAY_MS = 86_400_000;
const FIRST_WALL = Date.parse('0000-01-01T00:00:00Z');
const LAST_WALL = Date.parse('9999-12-31T23:59:59.999Z');
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?([.,]\d{1,9})?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Whether it is ISO 8601 with a valid date and time. Date.parse turns 30 February into 2 March. */
export function isRealInstant(text: string): boolean {
  const [, day, minutes = '00:00', seconds = ':00'] = ISO.exec(text.trim()) ?? [];
  if (day === undefined) return false;
  const month = Number(day.slice(5, 7));
  const last = month === 2 && isLeapYear(Number(day.slice(0, 4))) ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  const date = Number(day.slice(8));
  return date >= 1 && date <= last && minutes < '24' && minutes.slice(3) < '60' && seconds.slice(1) < '60';
}

/**
 * Epoch ms, or null when the value is not an instant. ISO 8601 without a zone is read as UTC, never in this machine's
 * zone: two machines must agree on it.
 */
export function toInstant(value: InstantLike): number | null {
  if (typeof value === 'number') return Math.abs(value) <= MAX_INSTANT ? Math.trunc(value) : null;
  if (value instanceof Date) return toInstant(value.getTime());
  if (typeof value !== 'string' || value.length > 48) return null;
  const parts = ISO.exec(value.trim());
  if (!parts || !isRealInstant(value)) return null;
  const [, day, minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = parts;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const ms = Date.parse(`${day}T${minutes}${seconds}${fraction.replace(',', '.').slice(0, 4)}${offset}`);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Epoch ms of a number that a service or a log writes for an instant: seconds to nanoseconds since 1970, which their size
 * tells apart from 1973 on, or null if there is no time. The product's own numbers are always milliseconds: see
 * `toInstant`.
 */
export function epochInstant(number: number): number | null {
  if (number >= 1e8 && number < 1e11) return Math.round(number * 1000);
  if (number >= 1e11 && number < 1e14) return Math.round(number);
  if (number >= 1e14 && number < 1e17) return Math.round(number / 1e3);
  return number >= 1e17 && number < 1e20 ? Math.round(number / 1e6) : null;
}

/** Epoch ms of a value of a service, or null if it is no time. */
export const sentInstant = (value: unknown): number | null =>
  typeof value === 'number' ? epochInstant(value) : typeof value === 'string' ? toInstant(value) : null;

interface ZoneFormat {
  wall: Intl.DateTimeFormat;
  offset: Intl.DateTimeFormat;
  name: string;
}

// Creating a formatter costs some 50 µs, using one some 1 µs, and grids format thousands of cells.
const zoneFormats = remembering(64, (zone) => makeFormat(zone === LOCAL_KEY ? undefined : zone));
// Not a valid zone name, so no tenant can have it.
const LOCAL_KEY = ' local';

const zoneFormat = (zone: string | undefined): ZoneFormat | null => zoneFormats(zone ?? LOCAL_KEY);

function makeFormat(zone: string | undefined): ZoneFormat | null {
  try {
    // The Swedish locale formats wall time as 2026-11-19 08:41:07, without assembling parts.
    const wall = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
    const offset = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const resolved = wall.resolvedOptions().timeZone;
    const isUtc = resolved === 'UTC' || resolved === 'Etc/UTC';
    // By the name that was chosen: the formatter returns outdated ones, such as Asia/Katmandu.
    return { wall, offset, name: isUtc ? 'UTC' : (zone ?? resolved) };
  } catch {
    return null;
  }
}

/** Whether this machine knows a time zone by this name. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

/** Null for UTC, which needs no formatter. A zone unknown to this machine falls back to UTC, visibly. */
function formatOf(clock: ClockSetting): ZoneFormat | null {
  if (clock === 'utc') return null;
  const format = zoneFormat(clock === 'local' ? undefined : clock.tenant);
  return format === null || format.name === 'UTC' ? null : format;
}

/** The formatter has no sign for years before the first: -5 would be 6. */
const FIRST_YEAR = Date.parse('0001-01-02T00:00:00Z');

/** `2026-11-19 08:41:07`; years outside 0 to 9999 have a sign. */
function wallTime(instant: number, format: ZoneFormat | null): string {
  if (format !== null && instant >= FIRST_YEAR && instant <= LAST_WALL - DAY_MS)
    return format.wall.format(instant);
  const wall = instant + offsetMs(offsetOf(instant, format));
  // At the ends of the range of a Date, the wall time of a zone may lie beyond it.
  return new Date(Math.min(MAX_INSTANT, Math.max(-MAX_INSTANT, wall)))
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '');
}

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function offsetOf(instant: number, format: ZoneFormat | null): string {
  if (format === null) return 'Z';
  const name = format.offset.format(instant);
  return /GMT([+-]\d{2}:\d{2})/.exec(name)?.[1] ?? '+00:00';
}

/** Up to this distance from now, day and month alone identify a date with some weeks to spare. */
const YEAR_LEFT_OUT_MS = 300 * 86_400_000;

/**
 * For a grid cell: `11-19 08:41:07`, with the year where it is not obvious; the column header has the zone. "Unknown"
 * when it is not an instant.
 */
export function gridTime(value: InstantLike, clock: ClockSetting, now: number = Date.now()): string {
  const instant = toInstant(value);
  if (instant === null) return UNKNOWN;
  const wall = wallTime(instant, formatOf(clock));
  return Math.abs(now - instant) > YEAR_LEFT_OUT_MS ? wall : wall.slice(wall.indexOf('-', 1) + 1);
}

/** For a profile or tooltip: `2026-11-19 08:41:07 UTC`, or `2026-11-19 09:41:07 UTC+01:00`. */
export function profileTime(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  if (instant === null) return UNKNOWN;
  const format = formatOf(clock);
  return `${wallTime(instant, format)} ${zoneAt(instant, clock)}`;
}

export function timeOfDay(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  return instant === null ? UNKNOWN : wallTime(instant, formatOf(clock)).slice(-8);
}

/**
 * For exports: RFC 3339 with milliseconds and offset, `2026-11-19T09:41:07.000+01:00`; '' when unknown. Historical
 * offsets have seconds, which RFC 3339 lacks, so the wall time uses the rounded offset. '' as well for years that do
 * not have four digits.
 */
export function exportTime(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  if (instant === null) return '';
  const wall = instant + zoneOffsetMs(instant, clock);
  if (wall < FIRST_WALL || wall > LAST_WALL) return '';
  return new Date(wall).toISOString().slice(0, -1) + offsetOf(instant, formatOf(clock));
}

/** The offset at an instant: `UTC` or `UTC+01:00`. Never an abbreviation: IST, CST and BST each name several zones. */
export function zoneAt(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  const format = formatOf(clock);
  if (format === null || instant === null) return 'UTC';
  const offset = offsetOf(instant, format);
  return offset === '+00:00' ? 'UTC' : `UTC${offset}`;
}

/** The zone for a column header: `UTC` or the IANA name, since the rows of a column can have different offsets. */
export function zoneLabel(clock: ClockSetting): string {
  return formatOf(clock)?.name ?? 'UTC';
}

/**
 * The instant of a wall time, both in ms (the wall time as if it were UTC). Of a time that occurs twice when clocks go
 * back, the first; a time skipped when they go forward is moved forward by the change.
 */
export function instantOfWall(wall: number, clock: ClockSetting): number {
  const before = wall - zoneOffsetMs(wall - DAY_MS, clock);
  const after = wall - zoneOffsetMs(wall + DAY_MS, clock);
  const shown = [before, after].filter((instant) => instant + zoneOffsetMs(instant, clock) === wall);
  return shown.length === 0 ? before : Math.min(...shown);
}

/** Zone names that the IANA database has since renamed. */
const RENAMED: Readonly<Record<string, string>> = dictionary({
  'Africa/Asmera': 'Africa/Asmara',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
});

/** The canonical name of a zone, as used in lists. */
export const zoneName = (zone: string): string => RENAMED[zone] ?? zone;

/** The zones to choose from, including the current one. */
export const zoneNames = (set: string | null = null): string[] =>
  [
    ...new Set([
      ...Intl.supportedValuesOf('timeZone').map(zoneName),
      ...(set === null ? [] : [zoneName(set)]),
    ]),
  ].sort();

/** Offset of the clock from UTC at an instant, in ms. */
export function zoneOffsetMs(instant: number, clock: ClockSetting): number {
  return offsetMs(offsetOf(instant, formatOf(clock)));
}
