/** Converts values that a schema refuses although their meaning is clear: `"12"` for 12, a single value for a list. */
import type { z } from 'zod';
import { dictionary } from '#shared/dictionary.ts';
import { parseAddresses } from '#shared/mail/addresses.ts';
import { epochInstant } from '#shared/model/clock.ts';
import { plainName } from '#shared/model/field-names.ts';
import { isRecord } from '#shared/model/narrow.ts';
import { words } from '#shared/model/schema-check.ts';

export type Fields = Record<string, unknown>;

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isBlank = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
export const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0) || isBlank(value);

/** Changes every record of a list, if it exists. */
export const each = (value: unknown, change: (record: Fields, index: number) => Fields): unknown =>
  Array.isArray(value)
    ? value.map((entry, index) => (isRecord(entry) ? change(entry, index) : entry))
    : value;

/** Values in JSON have no encoded words to decode. */
export const addressesOf = (text: string) => parseAddresses(text, () => '');

/** The meaning of a missing or empty field, by its path with `*` for every index. */
export type Defaults = Readonly<Record<string, (holder: Fields) => unknown>>;

/** The value under another spelling of the name, as `totalRows` for `total_rows`, or undefined if there is none. */
export function spelledOtherwise(holder: Fields, name: string): unknown {
  const plain = plainName(name);
  const other = Object.keys(holder).find(
    (key) => key !== name && plainName(key) === plain && holder[key] !== null,
  );
  return other === undefined ? undefined : holder[other];
}

const INSTANT = /(^|_)(time|at)$|Time$|^(received|sent|created|modified|from|to|until)$/;

function instantOf(value: number): string | null {
  const instant = epochInstant(value);
  return instant === null ? null : new Date(instant).toISOString();
}

function numberOf(value: unknown, name: string): number | undefined {
  const text = typeof value === 'string' && name === 'width' ? value.replace(/px\s*$/i, '') : value;
  if (typeof text !== 'string' || !/^\s*-?\d+(\.\d+)?\s*$/.test(text)) return undefined;
  const number = Number(text);
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
  /**
   * Which entries of lists are left out if they cannot be read: the innermost ones, or whole ones of the outermost list;
   * Null if none, then the response is refused.
   */
  leavesOut: 'inner' | 'outer' | null;
}

/** Entries of one list of a response that could not be read. */
export interface LeftOut {
  /** Names of fields, `*` for every entry: `rows.*.recipients`. */
  list: string;
  count: number;
  /** What does not fit in the first of them. */
  reason: string;
}
/** The field of a response that lists what was left out of it. */
export const LEFT_OUT = 'left_out';

const isLeftOut = (value: unknown): value is LeftOut =>
  isRecord(value) &&
  typeof value['list'] === 'string' &&
  typeof value['count'] === 'number' &&
  typeof value['reason'] === 'string';
const NONE: readonly LeftOut[] = [];

/** What was left out of a response; none: []. A service may have a field of this name with anything in it. */
export function leftOutOf(response: unknown): readonly LeftOut[] {
  const entries = isRecord(response) ? response[LEFT_OUT] : undefined;
  return Array.isArray(entries) && entries.every(isLeftOut) ? entries : NONE;
}

/** Changes the value in place until the schema accepts it, or null if it does not. */
export function repaired<T extends z.ZodType>(schema: T, value: unknown, repair: Repair): z.infer<T> | null {
  const root = { value };
  const lost = new Map<string, LeftOut>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const parsed = schema.safeParse(root.value, { error: words });
    if (parsed.success) {
      const { data } = parsed;
      if (lost.size > 0 && isRecord(data)) Reflect.set(data, LEFT_OUT, [...lost.values()]);
      return parsed.data;
    }
    let isChanged = false;
    const odd = new Map<unknown[], Map<number, z.core.$ZodIssue>>();
    for (const issue of parsed.error.issues)
      isChanged = repairOne(root.value, issue, repair, odd) || isChanged;
    for (const [list, entries] of odd) {
      // A list of which nothing can be read is not an empty one.
      if (entries.size === list.length) return null;
      for (const issue of entries.values()) note(lost, issue, repair);
      let length = 0;
      for (const [index, entry] of list.entries()) if (!entries.has(index)) list[length++] = entry;
      list.length = length;
      isChanged = true;
    }
    if (!isChanged) return null;
  }
  return null;
}

/** The place in a path of the index of the entry to leave out; below 0: there is none. */
const entryIn = (path: readonly PropertyKey[], { leavesOut }: Repair): number =>
  leavesOut === null
    ? -1
    : leavesOut === 'outer'
      ? path.findIndex((part) => typeof part === 'number')
      : path.findLastIndex((part) => typeof part === 'number');

function note(lost: Map<string, LeftOut>, { path, message }: z.core.$ZodIssue, repair: Repair): void {
  const place = entryIn(path, repair);
  const list = path
    .slice(0, place)
    .map((part) => (typeof part === 'number' ? '*' : String(part)))
    .join('.');
  const field = path.slice(place + 1).join('.');
  const before = lost.get(list);
  const reason = field === '' ? message : `${field}: ${message}`;
  lost.set(list, { list, count: (before?.count ?? 0) + 1, reason: before?.reason ?? reason });
}

/** Whether something was changed; entries that cannot be read are added to `odd`. */
function repairOne(
  root: unknown,
  issue: z.core.$ZodIssue,
  repair: Repair,
  odd: Map<unknown[], Map<number, z.core.$ZodIssue>>,
): boolean {
  const { defaults, keepsAside } = repair;
  const { path } = issue;
  const leaveOut = (): boolean => {
    const place = entryIn(path, repair);
    const list = within(root, path.slice(0, Math.max(0, place)));
    if (place < 0 || !Array.isArray(list)) return false;
    const entries = odd.get(list) ?? new Map<number, z.core.$ZodIssue>();
    odd.set(list, entries);
    if (!entries.has(Number(path[place]))) entries.set(Number(path[place]), issue);
    return true;
  };
  const key = path.at(-1);
  const holder = within(root, path.slice(0, -1));
  if (key === undefined || typeof holder !== 'object' || holder === null) return false;
  const value: unknown = Reflect.get(holder, key);
  const set = (to: unknown): boolean => to !== undefined && to !== value && Reflect.set(holder, key, to);
  if (value === undefined || value === null) {
    if (!isRecord(holder) || typeof key !== 'string') return leaveOut();
    const pattern = path.map((part) => (typeof part === 'number' ? '*' : String(part))).join('.');
    if (set(spelledOtherwise(holder, key)) || set(defaults[pattern]?.(holder))) return true;
    return leaveOut() || (keepsAside && setAside(root, path.slice(0, -1)));
  }
  if (issue.code === 'invalid_type' && set(CONVERSIONS[issue.expected]?.(value, String(key)))) return true;
  if (keepsAside && typeof key === 'string' && setAside(root, path)) return true;
  return leaveOut() || (keepsAside && setAside(root, path));
}

/** Renames the innermost named field of the path to `<name>_as_sent`. */
function setAside(root: unknown, path: readonly PropertyKey[]): boolean {
  const position = path.findLastIndex((part) => typeof part === 'string');
  const key = path[position];
  const holder = within(root, path.slice(0, position));
  if (typeof key !== 'string' || !isRecord(holder) || holder[key] === undefined) return false;
  holder[`${key}_as_sent`] = holder[key];
  delete holder[key];
  return true;
}
