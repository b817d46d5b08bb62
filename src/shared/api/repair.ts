/** Converts values that a schema refuses although their meaning is clear: `"12"` for 12, a single value for a list. */
import type { z } from 'zod';
import { dictionary } from '#shared/dictionary.ts';
import { parseAddresses } from '#shared/mail/addresses.ts';
import { plainName } from '#shared/model/field-names.ts';
import { isRecord } from '#shared/model/narrow.ts';

export type Fields = Record<string, unknown>;

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isBlank = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
export const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0) || isBlank(value);

/** Changes every record of a list, if it exists. */
export const each = (value: unknown, change: (record: Fields, index: number) => Fields): unknown =>
  Array.isArray(value) ? value.map((one, index) => (isRecord(one) ? change(one, index) : one)) : value;

/** Values in JSON have no encoded words to decode. */
export const addressesOf = (text: string) => parseAddresses(text, () => '');

/** The meaning of a missing or empty field, by its path with `*` for every index. */
export type Defaults = Readonly<Record<string, (holder: Fields) => unknown>>;

/** The value under another spelling of the name, as `totalRows` for `total_rows`; undefined: there is none. */
export function spelledOtherwise(holder: Fields, name: string): unknown {
  const wanted = plainName(name);
  const other = Object.keys(holder).find(
    (key) => key !== name && plainName(key) === wanted && holder[key] !== null,
  );
  return other === undefined ? undefined : holder[other];
}

const INSTANT = /(^|_)(time|at)$|Time$|^(received|sent|created|modified|from|to|until)$/;
/** Seconds and milliseconds since 1970 that are plausible; other numbers are not instants. */
const SECONDS = [1e8, 1e11] as const;
const MILLISECONDS = [1e11, 1e14] as const;

function instantOf(value: number): string | null {
  const within = ([from, to]: readonly [number, number]) => value >= from && value < to;
  if (within(SECONDS)) return new Date(value * 1000).toISOString();
  return within(MILLISECONDS) ? new Date(value).toISOString() : null;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\s*-?\d+(\.\d+)?\s*$/.test(value)) return undefined;
  const number = Number(value);
  // More digits than a double can represent: a different number would be shown.
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

const BOOLEANS: Readonly<Record<string, boolean>> = dictionary({
  '1': true,
  '0': false,
  true: true,
  false: false,
});

function textOf(value: unknown, name: string): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  return (INSTANT.test(name) ? instantOf(value) : null) ?? String(value);
}

const CONVERSIONS: Readonly<Record<string, (value: unknown, name: string) => unknown>> = dictionary({
  number: numberOf,
  int: numberOf,
  string: textOf,
  boolean: (value) =>
    typeof value === 'string' || typeof value === 'number'
      ? BOOLEANS[String(value).toLowerCase()]
      : undefined,
  array: (value) => [value],
});

const within = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );

const ROUNDS = 8;

interface Repair {
  defaults: Defaults;
  /**
   * Optional fields in another form are kept as `<name>_as_sent` instead of refusing the whole response. Only for
   * responses in which a missing field never makes anything look better than it is.
   */
  keepsAside: boolean;
}

/** Changes the value in place until the schema accepts it; null: it does not. */
export function repaired<T extends z.ZodType>(schema: T, value: unknown, repair: Repair): z.infer<T> | null {
  const root = { value };
  for (let round = 0; round < ROUNDS; round += 1) {
    const parsed = schema.safeParse(root.value);
    if (parsed.success) return parsed.data;
    let isChanged = false;
    for (const issue of parsed.error.issues) isChanged = repairOne(root.value, issue, repair) || isChanged;
    if (!isChanged) return null;
  }
  return null;
}

/** Whether something was changed. */
function repairOne(root: unknown, issue: z.core.$ZodIssue, { defaults, keepsAside }: Repair): boolean {
  const { path } = issue;
  const key = path.at(-1);
  const holder = within(root, path.slice(0, -1));
  if (key === undefined || typeof holder !== 'object' || holder === null) return false;
  const value: unknown = Reflect.get(holder, key);
  const set = (to: unknown): boolean => to !== undefined && to !== value && Reflect.set(holder, key, to);
  if (value === undefined || value === null) {
    if (!isRecord(holder) || typeof key !== 'string') return false;
    const pattern = path.map((part) => (typeof part === 'number' ? '*' : String(part))).join('.');
    if (set(spelledOtherwise(holder, key)) || set(defaults[pattern]?.(holder))) return true;
    return keepsAside && setAside(root, path.slice(0, -1));
  }
  if (issue.code === 'invalid_type' && set(CONVERSIONS[issue.expected]?.(value, String(key)))) return true;
  return keepsAside && setAside(root, path);
}

/** Renames the innermost named field of the path to `<name>_as_sent`. */
function setAside(root: unknown, path: readonly PropertyKey[]): boolean {
  const at = path.findLastIndex((part) => typeof part === 'string');
  const key = path[at];
  const holder = within(root, path.slice(0, at));
  if (typeof key !== 'string' || !isRecord(holder) || holder[key] === undefined) return false;
  holder[`${key}_as_sent`] = holder[key];
  delete holder[key];
  return true;
}
