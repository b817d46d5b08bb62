/**
 * JSON that preserves numbers exactly. A number that a double cannot represent as written (an integer of nineteen
 * digits, 1e400) is kept as raw digits, which JSON.stringify writes back. To all other code such a value is an object;
 * it cannot be sent to another thread or process, for which there is `asShown`.
 */

import { isRecord } from './narrow.ts';

interface Digits {
  readonly rawJSON: string;
}

/** ECMA-262's "JSON.parse source text access", which the type library does not declare yet. */
interface SourceJson {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): Digits;
  isRawJSON(value: unknown): value is Digits;
}
const json: SourceJson = JSON as unknown as SourceJson;

/** Digits that a double always preserves. */
const HELD_DIGITS = 15;
/** Matches a number that may not be preserved, or a text that looks like one: then every number is checked. */
const LONG = /(?:^|[[:,])\s*-?(?:\d[\d.]{15}|[\d.]{1,15}[eE])/;

interface Decimal {
  sign: '' | '-';
  /** Without leading and trailing zeros; empty: the number is 0. */
  digits: string;
  /** The power of ten of a point before the digits: 12.5 is 0.125e2. */
  power: number;
}

/** One form per number; also of a number as people type it (`+5`, `.5`, `5.`). */
function decimal(text: string): Decimal {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const trimmed = digits.replace(/(?<!0)0+$/, '');
  if (trimmed === '') return { sign: '', digits: '', power: 0 };
  return {
    sign: sign === '-' ? '-' : '',
    digits: trimmed,
    power: Number(power) - fraction.length + digits.length,
  };
}

const isEqual = (a: string, b: string): boolean => numberKey(a) === numberKey(b);

/** Whether the double prints as the number written: an integer in the same digits, any other with the same value. */
function isHeld(value: number, source: string): boolean {
  if (source.length <= HELD_DIGITS && !/e/i.test(source)) return true;
  if (String(value) === source) return true;
  return /[.e]/i.test(source) && Number.isFinite(value) && isEqual(String(value), source);
}

/** JSON.parse with exact numbers; throws what JSON.parse throws. */
export const parseExact = (text: string): unknown => (LONG.test(text) ? parseEach(text) : JSON.parse(text));

/**
 * JSON.parse with inexact numbers as texts of their digits, which can be sent and shown. Conditions remember which of
 * their values are numbers, so that writeSent writes these again.
 */
export const parseShown = (text: string): unknown =>
  LONG.test(text) ? shown(parseEach(text), true) : JSON.parse(text);

/** The field of a condition with those of its values that are digits of a number. Never sent. */
export const LONG_NUMBERS = 'longNumbers';

/** A number as JSON writes it. */
const WRITTEN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** JSON.stringify for values of parseShown. */
export const writeSent = (value: unknown, space?: number): string =>
  JSON.stringify(value, (_, inner: unknown) => (isRecord(inner) ? withNumbers(inner) : inner), space);

function withNumbers(holder: Record<string, unknown>): object {
  const { [LONG_NUMBERS]: long, values, ...rest } = holder;
  if (!Array.isArray(long) || !Array.isArray(values)) return holder;
  const sent = values.map((value: unknown) =>
    typeof value === 'string' && long.includes(value) && WRITTEN.test(value) ? json.rawJSON(value) : value,
  );
  return { ...rest, values: sent };
}
function parseEach(text: string): unknown {
  return json.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isHeld(value, source)
      ? json.rawJSON(source)
      : value,
  );
}

/** The digits of a raw number, or null if the value is not one. */
export const digitsOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && json.isRawJSON(value) ? value.rawJSON : null;

/** The value with raw numbers as texts of their digits, at any depth: for screens, other threads, other processes. */
export function asShown<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  return shown(value, false) as T;
}

function shown(value: unknown, marked: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const digits = digitsOf(value);
  if (digits !== null) return digits;
  if (Array.isArray(value)) return value.map((inner) => shown(inner, marked));
  const long = marked ? longIn(value) : [];
  const entries = Object.entries(value).map(([key, inner]) => [key, shown(inner, marked)]);
  return Object.fromEntries(long.length === 0 ? entries : [...entries, [LONG_NUMBERS, long]]);
}

/** The digits of the raw numbers among the values of a condition. */
const longIn = (holder: object): string[] =>
  'field' in holder && 'values' in holder && Array.isArray(holder.values)
    ? holder.values.flatMap((value: unknown) => digitsOf(value) ?? [])
    : [];

/** Powers of ten beyond this are all treated as this one. */
const MOST_POWER = 4_999_999;
/** Integers with more digits are written with a power of ten. */
const MOST_WRITTEN = 40;

/** A number in decimal notation as a text whose bytes sort as the numbers do; equal numbers have equal keys. */
export function numberKey(text: string): string {
  const { sign, digits, power } = decimal(text);
  if (digits === '') return '0';
  const bounded = Math.max(-MOST_POWER, Math.min(MOST_POWER, power));
  const size = (value: number) => String(value + MOST_POWER).padStart(7, '0');
  // A negative number is the smaller the larger its digits are; the mark after them is above every digit.
  return sign === ''
    ? `1${size(bounded)}${digits}`
    : `-${size(-bounded)}${digits.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`;
}

const MOST_WHOLE = 2n ** 63n;
/** Whether digits are those of an integer of 64 bits, which SQLite holds. */
export const isWhole = (digits: string): boolean =>
  /^-?\d{1,19}$/.test(digits) && BigInt(digits) < MOST_WHOLE && BigInt(digits) >= -MOST_WHOLE;

/** A number in decimal notation as a number, or as its digits (one form per number) if a double does not hold it. */
export function exactNumber(text: string): number | string {
  const digits = digitsIn(text);
  const value = Number(text);
  if (isWhole(digits))
    return Number.isSafeInteger(value) && BigInt(value) === BigInt(digits) ? value : digits;
  return Number.isFinite(value) && isEqual(String(value), digits) ? value : digits;
}

function digitsIn(text: string): string {
  const { sign, digits, power } = decimal(text);
  if (digits === '') return '0';
  const { length } = digits;
  if (power >= length && power <= MOST_WRITTEN) return sign + digits.padEnd(power, '0');
  if (power > 0 && power < length) return `${sign}${digits.slice(0, power)}.${digits.slice(power)}`;
  if (power <= 0 && power > -6) return `${sign}0.${'0'.repeat(-power)}${digits}`;
  const rest = length === 1 ? '' : `.${digits.slice(1)}`;
  return `${sign}${digits[0]}${rest}e${power - 1}`;
}
