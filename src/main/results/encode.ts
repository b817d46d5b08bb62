/**
 * Encodes rows of the service for a set's table, and decodes them exactly. A cell holds what SQLite can sort, search
 * and export; when that alone would not reproduce the service's value (a wrong type, a NUL, a lone surrogate, more
 * digits than a double prints), an exact override does: the column `odd` holds these overrides as JSON, by column
 * number. The column `risk` is the formula-risk mask: a bit for each cell that a spreadsheet would take for a formula.
 */

import { isNested, textOf } from '#shared/model/cell-text.ts';
import { epochInstant, isRealInstant, toInstant } from '#shared/model/clock.ts';
import type { Cell, Row } from '#shared/model/entities.ts';
import { digitsOf, exactNumber, isWhole, parseExact } from '#shared/model/exact-numbers.ts';
import { entityIdIn } from '#shared/model/field-names.ts';
import { isFormulaRisk } from '#shared/model/spreadsheet-safe.ts';
import type { SqlValue } from '../store/database.ts';
import type { LongNumbers, Storage, StoredColumn } from './columns.ts';

/**
 * Columns with a bit in the formula-risk mask. Risky cells of later columns become exact overrides, so that exports
 * render them in JavaScript.
 */
export const RISK_BITS = 48;

/** Types that SQLite binds. */
export type Bound = string | number | bigint | Uint8Array | null;

export interface EncodedRow {
  /** In the order of LEAD and the columns. */
  values: Bound[];
  id: string | null;
  /** Estimated characters. */
  width: number;
  /** Indexes of the columns with a long number. */
  long: ReadonlyMap<number, LongNumbers>;
}
const NONE_LONG: EncodedRow['long'] = new Map();

/** The columns with the long numbers of more rows; the same list, if nothing changed. */
export function withLong(
  columns: readonly StoredColumn[],
  rows: readonly Pick<EncodedRow, 'long'>[],
): readonly StoredColumn[] {
  let marked = columns;
  for (const { long } of rows)
    for (const [index, kind] of long)
      if (marked[index]!.long !== 'any' && marked[index]!.long !== kind)
        marked = marked.with(index, { ...marked[index]!, long: kind });
  return marked;
}

/** Columns of a row's table before those of the set. */
export const LEAD = ['entity_id', 'risk', 'odd', 'extra'] as const;

export const idOf = (row: Row): string | null => {
  const id = entityIdIn(row);
  if (typeof id === 'string' && id !== '') return clean(id);
  return typeof id === 'number' ? String(id) : digitsOf(id);
};

const cleanTexts = (_: string, value: unknown): unknown => (typeof value === 'string' ? clean(value) : value);

const clean = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\u{fffd}');

/**
 * Whether SQLite prints this number as JavaScript does. It prints 17 digits of the double and drops trailing noise only
 * if that is below ten units of the last digit, which holds for these numbers.
 */
function isPlainNumber(value: number): boolean {
  if (Number.isSafeInteger(value)) return !Object.is(value, -0);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 8e9 && String(value).replace(/\D/g, '').replace(/^0+/, '').length <= 13;
}

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The sortable form of an instant, by the parser used everywhere; any other text unchanged. */
function sortableInstant(text: string): string {
  if (ISO_UTC.test(text)) return text;
  const time = toInstant(text);
  return time === null ? text : new Date(time).toISOString();
}

/** Lengths of an instant to the second and to the millisecond, which SQL can convert to another time zone. */
const INSTANT_LENGTHS: readonly number[] = [20, 24];
/** SQLite accepts 30 February as a date and a number as a day, so such texts are not left to it. */
const isPlainInstant = (text: string): boolean =>
  !INSTANT_LENGTHS.includes(text.length) || (ISO_UTC.test(text) && isRealInstant(text));

/** Lists of plain texts and numbers, which SQL can join. */
const isPlainList = (value: Cell[]): boolean =>
  value.every((item) => typeof item === 'string' || (typeof item === 'number' && isPlainNumber(item)));

const TEXTS: ReadonlySet<Storage> = new Set(['text', 'date', 'json']);

interface Coded {
  cell: Bound;
  exact: boolean;
}

/** Numbers as SQLite holds them: rounded to a double only if nothing is lost. */
function exactCell(digits: string): number | bigint | Uint8Array {
  const value = exactNumber(digits);
  if (typeof value === 'number') return value;
  return isWhole(value) ? BigInt(value) : Buffer.from(value);
}

const NUMERIC = /^\s*[-+]?(?=[\d.]{15})\d*\.?\d*(?:e[-+]?\d+)?\s*$/i;

/** Whether a cell, or an item of a list, is a long number, or null if it is not. */
function longIn(storage: Storage, value: Cell, cell: Bound): LongNumbers | null {
  if (cell instanceof Uint8Array) return 'any';
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? null : 'whole';
  if (storage !== 'json') return null;
  const kinds = (Array.isArray(value) ? value : [value]).map((item) => {
    const digits = typeof item === 'number' ? String(item) : digitsOf(item);
    return digits === null ? null : longIn('number', null, exactCell(digits));
  });
  return kinds.find((kind) => kind === 'any') ?? kinds.find((kind) => kind !== null) ?? null;
}
const EXACT_NULL: Coded = { cell: null, exact: true };

/** Encodes a value as a cell, and says whether the cell alone reproduces it exactly. */
function code(storage: Storage, value: Cell): Coded {
  if (value === null) return EXACT_NULL;
  const digits = typeof value === 'object' ? digitsOf(value) : null;
  // Text columns store the digits; others a number that can be sorted and compared.
  if (digits !== null) return { cell: TEXTS.has(storage) ? digits : exactCell(digits), exact: false };
  if (storage === 'json') {
    const json = JSON.stringify(value);
    const plain =
      typeof value === 'object' && (!Array.isArray(value) || isPlainList(value) || isNested(value[0]));
    // With a \u escape, SQLite would have to decode a surrogate or a NUL.
    if (!json.includes('\\u')) return { cell: json, exact: plain };
    return { cell: JSON.stringify(value, cleanTexts), exact: false };
  }
  if (typeof value === 'string') {
    const text = clean(value);
    if (storage === 'date') {
      const instant = sortableInstant(text);
      return { cell: instant, exact: instant === value && isPlainInstant(instant) };
    }
    // SQLite would round the number.
    if (storage === 'number' && NUMERIC.test(text)) return { cell: exactCell(text.trim()), exact: false };
    return { cell: text, exact: text === value && (storage === 'text' || storage === 'any') };
  }
  if (typeof value === 'number') {
    // The grid shows a date, and so does every file.
    const instant = storage === 'date' ? epochInstant(value) : null;
    if (instant !== null) return { cell: new Date(instant).toISOString(), exact: true };
    // SQLite would store 5.0.
    if (TEXTS.has(storage)) return { cell: String(value), exact: false };
    // The number as written: beyond 2^53 the digits of a double are those of another integer.
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      return { cell: exactCell(String(value)), exact: false };
    // An untyped column keeps the bound type, and the driver binds every JavaScript number as a double.
    const whole = storage === 'any' && Number.isSafeInteger(value) && !Object.is(value, -0);
    return {
      cell: whole ? BigInt(value) : value,
      exact: (storage === 'number' || storage === 'any') && isPlainNumber(value),
    };
  }
  if (typeof value === 'boolean')
    return { cell: TEXTS.has(storage) ? String(value) : Number(value), exact: storage === 'boolean' };
  return { cell: JSON.stringify(value), exact: false };
}

/** Nearly every cell starts with a letter or digit and has one word; only others need the full rule. */
function beginsPlain(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x40 && first < 0x7f) || (first >= 0x30 && first <= 0x39);
}
const PIECES = /[,;\t\r\n]/;
const mayBeFormula = (text: string): boolean =>
  text !== '' && (!beginsPlain(text) || PIECES.test(text)) && isFormulaRisk(text);

/** Fields of a row that have no column, as JSON, or null if there is none. */
function extraOf(row: Row, ids: ReadonlySet<string>, id: string | null): string | null {
  let extra: [string, Cell][] | null = null;
  for (const key of Object.keys(row)) {
    if (ids.has(key) || (key === 'entity_id' && row[key] === id)) continue;
    extra ??= [];
    extra.push([key, row[key]!]);
  }
  return extra === null ? null : JSON.stringify(Object.fromEntries(extra));
}

/**
 * Whether a spreadsheet would take a value for a formula. The items of a list are joined; a number is never a formula.
 */
function isRisky(value: string | Cell[] | object): boolean {
  if (typeof value === 'string') return mayBeFormula(value);
  if (digitsOf(value) !== null) return false;
  if (!Array.isArray(value)) return mayBeFormula(textOf(value as Cell));
  if (value.length === 0) return false;
  if (
    value.every((item) => typeof item === 'string' && item !== '' && beginsPlain(item) && !PIECES.test(item))
  )
    return false;
  return mayBeFormula(textOf(value));
}

/** Encodes the rows of one set in sequence, remembering their shape. Measured: this is the hot path of a fetch. */
export function createEncoder(columns: readonly StoredColumn[]): (row: Row) => EncodedRow {
  const existingIds = new Set(columns.map((column) => column.id));
  const ids = columns.map((column) => column.id);
  const storages = columns.map((column) => column.storage);
  /** Keys of the previous row: nearly all rows of a set share them, and then none is an extra field. */
  let plainKeys: string[] = [];
  const isPlainShape = (row: Row): boolean => {
    const keys = Object.keys(row);
    if (keys.length !== plainKeys.length) return false;
    for (let index = 0; index < keys.length; index++) if (keys[index] !== plainKeys[index]) return false;
    return true;
  };
  return (row) => {
    const id = idOf(row);
    const values: Bound[] = [id, 0, null, null];
    let overrides: [string, Cell][] | null = null;
    let long: Map<number, LongNumbers> | null = null;
    let risk = 0;
    let width = 100;
    for (let index = 0; index < ids.length; index++) {
      const name = ids[index]!;
      const value = Object.hasOwn(row, name) ? row[name]! : null;
      const storage = storages[index]!;
      // The three most frequent cases.
      if (value === null) {
        values.push(null);
        width += 8;
        continue;
      }
      if (
        storage === 'number' &&
        typeof value === 'number' &&
        Number.isInteger(value) &&
        value > 0 &&
        value < 1e15
      ) {
        values.push(value);
        width += 8;
        continue;
      }
      const { cell, exact } = code(storage, value);
      values.push(cell);
      let isOverridden = !exact;
      width += typeof cell === 'string' ? cell.length + 3 : 8;
      if ((typeof value === 'string' || typeof value === 'object') && isRisky(value)) {
        if (index < RISK_BITS) risk += 2 ** index;
        else isOverridden = true;
      }
      if (isOverridden) {
        overrides ??= [];
        overrides.push([String(index), value]);
      }
      const mayBeLong = !exact || storage === 'any' || (Array.isArray(value) && isNested(value[0]));
      const kind = mayBeLong ? longIn(storage, value, cell) : null;
      if (kind !== null) {
        long ??= new Map();
        long.set(index, kind);
      }
    }
    // Ids have no bit in the mask: an empty override makes exports render the row in JavaScript.
    if (overrides === null && id !== null && mayBeFormula(id)) overrides = [];
    let extra: string | null = null;
    if (id === null || row['entity_id'] !== id || !isPlainShape(row)) {
      extra = extraOf(row, existingIds, id);
      if (extra === null && id !== null) plainKeys = Object.keys(row);
    }
    values[1] = risk;
    if (overrides !== null) values[2] = JSON.stringify(Object.fromEntries(overrides));
    values[3] = extra;
    width += (typeof values[2] === 'string' ? values[2].length : 0) + (extra?.length ?? 0);
    return { values, id, width, long: long ?? NONE_LONG };
  };
}

/** The columns to select for `decodeRow`, from a table with that alias. */
export const selection = (columns: readonly StoredColumn[], alias: string): string =>
  [`${alias}.entity_id`, `${alias}.odd`, ...columns.map((column) => `${alias}.${column.sql}`)].join(', ');

/**
 * Decodes a row selected by `selection` as [entity id, ...column values], with numbers as parseExact() returns them.
 */
export function decodeRow(columns: readonly StoredColumn[], raw: readonly SqlValue[]): Cell[] {
  const overrides = typeof raw[1] === 'string' ? (parseExact(raw[1]) as Record<string, Cell>) : null;
  const values: Cell[] = [raw[0] as string | null];
  for (let index = 0; index < columns.length; index++) {
    const cell = raw[index + 2] as string | number | null;
    const { storage } = columns[index]!;
    if (overrides !== null && Object.hasOwn(overrides, index)) values.push(overrides[String(index)]!);
    else if (cell === null) values.push(null);
    else if (storage === 'boolean') values.push(cell === 1);
    else if (storage === 'json') values.push(parseExact(String(cell)) as Cell);
    else values.push(cell);
  }
  return values;
}
