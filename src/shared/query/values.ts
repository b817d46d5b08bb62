/** Values of conditions: dates, time spans, numbers, and their problems. */
import { spelledAlike, unicodeDomain } from '../mail/domains.ts';
import { exactNumber } from '../model/exact-numbers.ts';
import { trimPasted } from '../model/pasted.ts';
import type { ConditionValue } from './tree.ts';

const DAY_MS = 86_400_000;

export const TIME_UNITS = ['minutes', 'hours', 'days', 'weeks', 'months'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

export function parseTimeUnit(value: ConditionValue | undefined): TimeUnit | null {
  if (typeof value !== 'string') return null;
  const word = value.trim().toLowerCase();
  return TIME_UNITS.find((unit) => unit === word || unit === `${word}s`) ?? null;
}

/** A finite number from a number or its decimal text; null otherwise. */
export function parseNumber(value: ConditionValue | undefined): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(value))
    return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The same; a number that a double does not hold as its digits. */
export const parseExactly = (value: ConditionValue | undefined): number | string | null =>
  parseNumber(value) === null ? null : exactNumber(String(value).trim());

const THOUSANDS = (mark: string) => new RegExp(`^[1-9]\\d{0,2}(?:${mark}\\d{2,3})*${mark}\\d{3}$`);
const COMMAS = THOUSANDS(',');
const DOTS = THOUSANDS('\\.');

/** The digits of a number with its marks, the decimal one as a dot, or null if there is no such number. */
function plainDigits(text: string): string | null {
  const [dot, comma] = [text.lastIndexOf('.'), text.lastIndexOf(',')];
  if (comma < 0) return DOTS.test(text) && text.indexOf('.') < dot ? text.replaceAll('.', '') : text;
  if (dot < 0) return COMMAS.test(text) ? text.replaceAll(',', '') : text.replace(',', '.');
  // Of two kinds of mark the last is the decimal one.
  const [mark, groups] = dot > comma ? (['.', COMMAS] as const) : ([',', DOTS] as const);
  const position = text.lastIndexOf(mark);
  const whole = text.slice(0, position);
  return groups.test(whole) ? `${whole.replace(/[.,]/g, '')}.${text.slice(position + 1)}` : null;
}

/** The forms of `+` `,` `-` `.` and digits that East Asian input methods type, as wide as ideographs. */
const FULL_WIDTH = /[\uff0b-\uff0e\uff10-\uff19]/g;
const TO_ASCII = 0xfee0;
/** The digits of Arabic and of Persian keyboards, and the marks between them. */
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;
const ARABIC_DECIMAL = '\u066b';
const ARABIC_GROUP = '\u066c';

/**
 * A number as people type it: `1.000,5`, `1,000.5`, `1 000`, `1'000`, `1,5`. A comma before exactly three digits groups
 * them, a single dot never does. Null if there is no number. More digits than a double holds come as text.
 */
export function typedExactly(text: string): number | string | null {
  const bare = trimPasted(text)
    .replace(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - TO_ASCII))
    .replace(ARABIC_DIGIT, (char) => String(char.charCodeAt(0) % 16))
    .replaceAll(ARABIC_DECIMAL, '.')
    .replaceAll(ARABIC_GROUP, ',')
    .replace(/^[\u2212\u2013]/, '-')
    .replace(/(?<=\d)[\s'\u2019_](?=\d{3}(?!\d))/g, '');
  const parts = /^([-+]?)((?=[.,]*\d)[\d.,]+)$/.exec(bare);
  if (!parts) return parseExactly(bare);
  const digits = plainDigits(parts[2] ?? '');
  return digits === null ? null : parseExactly(`${parts[1]}${digits}`);
}

export function typedNumber(text: string): number | null {
  const number = typedExactly(text);
  return number === null ? null : Number(number);
}

/** The values that are digits of a number which a double does not hold. */
export const longNumbers = (values: readonly ConditionValue[]): string[] =>
  values.flatMap((value) => (typeof value === 'string' && parseExactly(value) === value ? [value] : []));

export type StoredForm = 'one-line' | 'message-id' | 'domain';

/**
 * A value to search for, in the form in which a field stores its texts (`FieldConfig.stored`). `isWhole`: it is compared
 * with whole texts, so the dot at the end of a domain is its root and not the beginning of more.
 */
export function inStoredForm(value: string, stored: string | null | undefined, isWhole = false): string {
  const domain = isWhole ? spelledAlike : unicodeDomain;
  switch (stored) {
    case 'one-line':
      return value.replace(/\s+/g, ' ');
    case 'message-id':
      return domain(value.replace(/^\s*<|>\s*$/g, '') || value);
    case 'domain':
      return domain(value);
    default:
      return value;
  }
}

/** A day or an instant: from and to in milliseconds since the epoch; equal for an instant. */
export interface TimeSpan {
  from: number;
  to: number;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const INSTANT = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** An ISO date (the whole day, UTC) or an ISO instant (UTC without a zone); null otherwise. */
export function parseTime(value: ConditionValue | undefined): TimeSpan | null {
  if (typeof value !== 'string' || value.length > 40) return null;
  const text = value.trim();
  if (DATE.test(text)) {
    const from = Date.parse(`${text}T00:00:00Z`);
    return Number.isNaN(from) || new Date(from).toISOString().slice(0, 10) !== text
      ? null
      : { from, to: from + DAY_MS - 1 };
  }
  const parts = INSTANT.exec(text);
  if (!parts || parseTime(parts[1] ?? '') === null) return null;
  const zone = (parts[6] ?? 'Z').toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const fraction = (parts[5] ?? '0').slice(0, 3).padEnd(3, '0');
  const instant = Date.parse(`${parts[1]}T${parts[2]}:${parts[3]}:${parts[4] ?? '00'}.${fraction}${zone}`);
  return Number.isNaN(instant) ? null : { from: instant, to: instant };
}

/** The instant a number of calendar months earlier, in UTC; clamped to the last day of a shorter month. */
export function monthsBefore(now: number, months: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, last));
}

/** The instant `count` units before now; months are calendar months in UTC. Null if invalid. */
export function timeAgo(now: number, count: number, unit: TimeUnit): number | null {
  if (!(count > 0)) return null;
  const lengths = { minutes: 60_000, hours: 3_600_000, days: DAY_MS, weeks: 7 * DAY_MS };
  if (unit === 'months' && !Number.isInteger(count)) return null;
  const instant = unit === 'months' ? monthsBefore(now, count) : now - count * lengths[unit];
  // JavaScript's range of dates.
  return Math.abs(instant) <= 8.64e15 ? instant : null;
}

/** A value as text for comparing; null stays null. */
export const textOf = (value: ConditionValue | undefined): string | null =>
  value === null || value === undefined ? null : String(value);
