/**
 * The one clock setting that rules grid, timeline and exports (product.md, section 1): UTC, this machine's zone,
 * or the tenant's zone by its IANA name.
 */
export type ClockSetting = 'utc' | 'local' | { tenant: string };

/** What an instant may come as: epoch ms, a Date, or ISO 8601. */
export type InstantLike = number | string | Date | null | undefined;

const UNKNOWN = 'Unknown';
/** The range of a Date, ECMA-262 21.4.1.1. */
const MAX_INSTANT = 8.64e15;
const FIRST_WALL = Date.parse('0000-01-01T00:00:00Z');
const LAST_WALL = Date.parse('9999-12-31T23:59:59.999Z');
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?([.,]\d{1,9})?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Is it ISO 8601 with a day of the calendar and a time of that day? Date.parse makes 2 March of 30 February. */
export function isRealInstant(text: string): boolean {
  const [, day, minutes = '00:00', seconds = ':00'] = ISO.exec(text.trim()) ?? [];
  if (day === undefined) return false;
  const month = Number(day.slice(5, 7));
  const last = month === 2 && isLeapYear(Number(day.slice(0, 4))) ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  const date = Number(day.slice(8));
  return date >= 1 && date <= last && minutes < '24' && minutes.slice(3) < '60' && seconds.slice(1) < '60';
}

/**
 * Epoch ms, or null when the value is no instant. ISO 8601 without a zone is read as UTC, never as this
 * machine's zone: two machines must agree on what they read.
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

interface ZoneFormat {
  wall: Intl.DateTimeFormat;
  offset: Intl.DateTimeFormat;
  name: string;
}

// Making a formatter costs some 50 µs, using one some 1 µs: grids format thousands of cells.
const formats = new Map<string, ZoneFormat | null>();
const MAX_FORMATS = 64;
// No zone has this name, so that no tenant can name it.
const LOCAL_KEY = ' local';

function zoneFormat(zone: string | undefined): ZoneFormat | null {
  const key = zone ?? LOCAL_KEY;
  const known = formats.get(key);
  if (known !== undefined) return known;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const format = makeFormat(zone);
  formats.set(key, format);
  return format;
}

function makeFormat(zone: string | undefined): ZoneFormat | null {
  try {
    // Swedish writes the wall time as 2026-11-19 08:41:07, so that nothing has to be put together from parts.
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
    return { wall, offset, name: wall.resolvedOptions().timeZone };
  } catch {
    return null;
  }
}

/** null: UTC, which needs no formatter. A zone that this machine does not know is UTC too, and says so. */
function formatOf(clock: ClockSetting): ZoneFormat | null {
  if (clock === 'utc') return null;
  const format = zoneFormat(clock === 'local' ? undefined : clock.tenant);
  return format === null || format.name === 'UTC' || format.name === 'Etc/UTC' ? null : format;
}

/** `2026-11-19 08:41:07`; years outside 0 to 9999 keep their sign. */
function wallTime(instant: number, format: ZoneFormat | null): string {
  if (format !== null) return format.wall.format(instant);
  return new Date(instant)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '');
}

function offsetOf(instant: number, format: ZoneFormat | null): string {
  if (format === null) return 'Z';
  const name = format.offset.format(instant);
  return /GMT([+-]\d{2}:\d{2})/.exec(name)?.[1] ?? '+00:00';
}

/** A grid cell: `11-19 08:41:07`; the zone stands in the header. "Unknown" when there is no instant. */
export function gridTime(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  if (instant === null) return UNKNOWN;
  const wall = wallTime(instant, formatOf(clock));
  return wall.slice(wall.indexOf('-', 1) + 1);
}

/** A profile, a tooltip: `2026-11-19 08:41:07 UTC`, or `2026-11-19 09:41:07 UTC+01:00`. */
export function profileTime(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  if (instant === null) return UNKNOWN;
  const format = formatOf(clock);
  return `${wallTime(instant, format)} ${zoneAt(instant, clock)}`;
}

/** A clock or a timeline row: `08:41:07`. */
export function timeOfDay(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  return instant === null ? UNKNOWN : wallTime(instant, formatOf(clock)).slice(-8);
}

/**
 * For exports: RFC 3339 with milliseconds and the offset, `2026-11-19T09:41:07.000+01:00`; '' when unknown. Offsets of
 * the past have seconds, which RFC 3339 does not: the wall time goes by the offset that is written. '' as well for
 * years of other than four digits.
 */
export function exportTime(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  if (instant === null) return '';
  const wall = instant + zoneOffsetMs(instant, clock);
  if (wall < FIRST_WALL || wall > LAST_WALL) return '';
  return new Date(wall).toISOString().slice(0, -1) + offsetOf(instant, formatOf(clock));
}

/**
 * The zone of one instant: `UTC` or `UTC+01:00`. Never a letter code: IST, CST and BST each name several zones.
 */
export function zoneAt(value: InstantLike, clock: ClockSetting): string {
  const instant = toInstant(value);
  const format = formatOf(clock);
  if (format === null || instant === null) return 'UTC';
  const offset = offsetOf(instant, format);
  return offset === '+00:00' ? 'UTC' : `UTC${offset}`;
}

/** The zone for a column header: `UTC` or the IANA name, since rows of one column can have different offsets. */
export function zoneLabel(clock: ClockSetting): string {
  return formatOf(clock)?.name ?? 'UTC';
}

const DAY_MS = 86_400_000;

/**
 * The instant at which a clock shows a wall time, both in ms (the wall time as if it were UTC). Where the clocks are
 * put back and it is shown twice: the first. Where they are put forward and it is never shown: as far behind the
 * change as it would have been.
 */
export function instantOfWall(wall: number, clock: ClockSetting): number {
  const before = wall - zoneOffsetMs(wall - DAY_MS, clock);
  const after = wall - zoneOffsetMs(wall + DAY_MS, clock);
  const shown = [before, after].filter((instant) => instant + zoneOffsetMs(instant, clock) === wall);
  return shown.length === 0 ? before : Math.min(...shown);
}

/** Names of this machine that the zone database has replaced. */
const RENAMED: Readonly<Record<string, string>> = {
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
};

/** A zone by the one name that lists have for it. */
export const zoneName = (zone: string): string => RENAMED[zone] ?? zone;

/** The zones that can be chosen, each once; one that is set already is among them. */
export const zoneNames = (set: string | null = null): string[] =>
  [
    ...new Set([
      ...Intl.supportedValuesOf('timeZone').map(zoneName),
      ...(set === null ? [] : [zoneName(set)]),
    ]),
  ].sort();

/** How far the clock is ahead of UTC at an instant, in ms. */
export function zoneOffsetMs(instant: number, clock: ClockSetting): number {
  const format = formatOf(clock);
  if (format === null) return 0;
  const offset = offsetOf(instant, format);
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
