import {
  GRID_THOUSANDS_ABOVE,
  JUST_NOW_BELOW_MS,
  MILLIONS_ABOVE,
  TILE_THOUSANDS_ABOVE,
} from './constants.ts';
import { defangDomain, defangEmail, defangIp, defangUrl } from './defang.ts';
import { hasKey } from './narrow.ts';

const UNKNOWN = 'Unknown';

const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
const PLURALS = new Intl.PluralRules('en');

/** Digits in groups of three: 1284 → "1,284". "Unknown" when it is no finite number. */
export function exact(value: number | null | undefined): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return UNKNOWN;
  return Math.abs(value) >= 1e21 ? String(value) : NUMBERS.format(value);
}

/** Chooses the word form for a count: "is" for 1, "are" for others. */
export const form = (count: number, singular: string, many: string): string =>
  PLURALS.select(count) === 'one' ? singular : many;

/** A count with its noun: "1 query", "1,204 queries". */
export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${exact(count)} ${form(count, singular, many)}`;

/** Tenths of a unit, rounded half up as integers: 1 450 gives 1.5K, not 1.4K by binary fractions. */
const tenthsOf = (value: number, unit: number): number => Math.round(Math.abs(value) / (unit / 10));

function scaled(value: number, unit: number, suffix: string): string {
  const tenths = tenthsOf(value, unit);
  return `${value < 0 ? '-' : ''}${exact(Math.floor(tenths / 10))}.${tenths % 10}${suffix}`;
}

function short(value: number | null | undefined, thousandsAbove: number): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  // What would round to 1000K is 1.0M.
  if (size > MILLIONS_ABOVE || tenthsOf(value, 1e3) >= 10_000) return scaled(value, 1e6, 'M');
  return size > thousandsAbove ? scaled(value, 1e3, 'K') : exact(value);
}

/** A figure of a tile: "K above 1e3, M above 1e6", strictly above; 999 999 is 1.0M. The exact value belongs in the tooltip. */
export function formatTile(value: number | null | undefined): string {
  return short(value, TILE_THOUSANDS_ABOVE);
}

/** A count in a grid: "K above 1e4, M above 1e6", strictly above. */
export function formatGridCount(value: number | null | undefined): string {
  return short(value, GRID_THOUSANDS_ABOVE);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

function ageUnits(ms: number): string {
  // 59 s is no longer "Just now" and not yet a minute; it reads as one.
  if (ms < HOUR) return `${Math.max(1, Math.floor(ms / MINUTE))}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < YEAR) return `${Math.floor(ms / DAY)}d`;
  return `${Math.floor(ms / YEAR)}y`;
}

/**
 * The distance of an instant from now, both epoch ms: "under 59 seconds shows 'Just now'", then 3m ago, 1h ago,
 * 2d ago, 1y ago; "in 3m" for an instant ahead of this machine's clock.
 */
export function timeAgo(then: number | null | undefined, now: number): string {
  if (typeof then !== 'number' || !Number.isFinite(then) || !Number.isFinite(now)) return UNKNOWN;
  const age = now - then;
  if (Math.abs(age) < JUST_NOW_BELOW_MS) return 'Just now';
  return age < 0 ? `in ${ageUnits(-age)}` : `${ageUnits(age)} ago`;
}

/** Whether an instant that has passed lies this far ahead of the clock that its age is not known. */
export const isAheadOf = (then: number, now: number): boolean => then - now > 60_000;

/** An age for a freshness mark, from epoch ms: now, 3m, 1h, 2d, 1y; ? when the clock was set back since. */
export function shortAge(then: number | null | undefined, now: number): string {
  if (typeof then !== 'number' || !Number.isFinite(then) || !Number.isFinite(now)) return UNKNOWN;
  const age = now - then;
  if (isAheadOf(then, now)) return '?';
  return age < JUST_NOW_BELOW_MS ? 'now' : ageUnits(age);
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;

/** A size in steps of 1024: 0 B, 148 KB, 1.2 GB. One decimal below ten, and none of it in bytes. */
export function bytes(value: number | null | undefined): string {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return UNKNOWN;
  let size = value;
  let unit = 0;
  while (size >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const rounded = unit > 0 && size < 9.95 ? Math.round(size * 10) / 10 : Math.round(size);
  return `${exact(rounded)} ${BYTE_UNITS[unit]}`;
}

/** Invisible, bidirectional and control characters, with which a text can imitate another. */
const TRICKY = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu;

// Scripts whose spelling needs joiners: all but the alphabets that phishing imitates.
const JOINING_LETTER = /^(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}]/u;

/** A joiner that is part of the spelling: inside an emoji, or after a letter of a joining script. */
function isSpelling(char: string, before: string, after: string): boolean {
  if (char !== '\u{200c}' && char !== '\u{200d}') return false;
  return /^\p{Extended_Pictographic}/u.test(after) || JOINING_LETTER.test(before);
}

/** `‹U+202E›` */
const codePoint = (char: string): string =>
  `‹U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;

/**
 * A hostile text as one visible line: line breaks and tabs become spaces, other control, zero-width and
 * direction-changing characters become their code point, such as ‹U+202E›.
 */
export function visibleText(text: string): string {
  return text.replace(TRICKY, (char, index: number) => {
    if (char === '\n' || char === '\r' || char === '\t') return ' ';
    if (isSpelling(char, text.slice(index - 1, index), text.slice(index + 1, index + 3))) return char;
    return codePoint(char);
  });
}

/** A declared file name with every invisible character as its code point, including line breaks. */
export const visibleName = (name: string): string =>
  visibleText(name.replace(/[\t\n\r]/g, (char) => codePoint(char)));

/** Whether a name contains invisible characters, or ones that change its direction. */
export const isTrickyName = (name: string): boolean => visibleName(name) !== name;

export const SAFE_TYPES = [
  'text',
  'url',
  'domain',
  'email',
  'ip',
  'hash',
  'number',
  'bytes',
  'boolean',
] as const;
type SafeType = (typeof SAFE_TYPES)[number];

const SAFE_FORMATS: Readonly<Record<SafeType, (value: unknown) => string>> = {
  text: (value) => visibleText(plain(value)),
  url: (value) => visibleText(defangUrl(plain(value))),
  domain: (value) => visibleText(defangDomain(plain(value))),
  email: (value) => visibleText(defangEmail(plain(value))),
  ip: (value) => visibleText(defangIp(plain(value))),
  hash: (value) => visibleText(plain(value)).toLowerCase(),
  number: (value) => (typeof value === 'number' ? exact(value) : visibleText(plain(value))),
  bytes: (value) => (typeof value === 'number' ? bytes(value) : visibleText(plain(value))),
  boolean: (value) => (typeof value === 'boolean' ? (value ? 'Yes' : 'No') : visibleText(plain(value))),
};

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/**
 * A value as text that is safe to show and copy: visible, on one line, and defanged if its type could be clickable.
 * Throws Error('Invalid safe type specified') for a type outside SAFE_TYPES (specification, section 8).
 */
export function formatSafe(type: string, value: unknown): string {
  if (!hasKey(SAFE_FORMATS, type)) throw new Error('Invalid safe type specified');
  return SAFE_FORMATS[type](value);
}
