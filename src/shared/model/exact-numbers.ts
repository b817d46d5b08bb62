/**
 * JSON that preserves numbers exactly. A number that a double cannot represent as written (an integer of nineteen
 * digits, 1e400) is kept as raw digits, which JSON.stringify writes back. To all other code such a value is an object;
 * it cannot be sent to another thread or process, for which there is `asShown`.
 */

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

/** `digits` without leading and trailing zeros, and the power of ten of the last one: one form per number. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/(?<!0)0+$/, '');
  return kept === ''
    ? '0'
    : `${sign}${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}

/** Whether the double prints as the number written: an integer in the same digits, any other with the same value. */
function isHeld(value: number, source: string): boolean {
  if (source.length <= HELD_DIGITS && !/e/i.test(source)) return true;
  if (String(value) === source) return true;
  return /[.e]/i.test(source) && Number.isFinite(value) && decimal(String(value)) === decimal(source);
}

/** JSON.parse with exact numbers; throws what JSON.parse throws. */
export const parseExact = (text: string): unknown => (LONG.test(text) ? parseEach(text) : JSON.parse(text));

/** JSON.parse with inexact numbers as texts of their digits, which can be sent and shown. */
export const parseShown = (text: string): unknown =>
  LONG.test(text) ? asShown(parseEach(text)) : JSON.parse(text);

function parseEach(text: string): unknown {
  return json.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isHeld(value, source)
      ? json.rawJSON(source)
      : value,
  );
}

/** The digits of a raw number; null: the value is not one. */
export const digitsOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && json.isRawJSON(value) ? value.rawJSON : null;

/** The value with raw numbers as texts of their digits, at any depth: for screens, other threads, other processes. */
export function asShown<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  return shown(value) as T;
}

function shown(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const digits = digitsOf(value);
  if (digits !== null) return digits;
  if (Array.isArray(value)) return value.map(shown);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)]));
}
