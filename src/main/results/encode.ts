/**
 * Rows of the service onto the columns of a set's table, and back, exactly. A cell holds what SQLite can sort,
 * search and export; whenever that alone would not give the service's value back (a wrong type, a NUL, a lone
 * surrogate, more digits than a double prints), the exact value overrides the cell: the column `odd` holds such
 * overrides as JSON, by column number. The column `risk` is the formula-risk mask: a bit for each cell that a spreadsheet
 * would take for a formula.
 */
import { isRealInstant } from '#shared/model/clock.ts';
import type { Cell, Row } from '#shared/model/entities.ts';
import { digitsOf, parseExact } from '#shared/model/exact-numbers.ts';
import { isFormulaRisk } from '#shared/model/spreadsheet-safe.ts';
import type { SqlValue } from '../store/database.ts';
import type { Storage, StoredColumn } from './columns.ts';

/** Columns with a bit in the formula-risk mask. Risky cells of later ones are exact overrides, which exports render one by one. */
export const RISK_BITS = 48;

/** Version of the rules for masks and overrides; a set keeps the number of the version that stored it. */
export const MARKS = 1;

/** What SQLite binds. */
export type Bound = string | number | bigint | null;

export interface EncodedRow {
  /** In the order of LEAD and the columns. */
  values: Bound[];
  id: string | null;
  /** Characters, estimated. */
  width: number;
}

/** The columns of a row's table before those of the set. */
export const LEAD = ['entity_id', 'risk', 'odd', 'extra'] as const;

export const idOf = (row: Row): string | null => {
  const id = row['entity_id'];
  if (typeof id === 'string' && id !== '') return clean(id);
  return typeof id === 'number' ? String(id) : digitsOf(id);
};

const clean = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\u{fffd}');

/**
 * Does SQLite print this number the way JavaScript does? It takes 17 digits of the double and drops the last ones when
 * they are noise, which it sees only where that noise is below ten units of the last: so it is for these.
 */
function isPlainNumber(value: number): boolean {
  if (Number.isSafeInteger(value)) return !Object.is(value, -0);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 8e9 && String(value).replace(/\D/g, '').replace(/^0+/, '').length <= 13;
}

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const ISO_ZONED = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** The sortable form of an instant, or the text itself when it is none. */
function sortableInstant(text: string): string {
  if (ISO_UTC.test(text) || !ISO_ZONED.test(text)) return text;
  const time = isRealInstant(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

/** Lengths of an instant to the second and to the millisecond: what SQL puts on another clock by itself. */
const INSTANT_LENGTHS: readonly number[] = [20, 24];
/** SQLite takes day 30 of February for a date, and a number for a day: what is no real instant is not left to it. */
const isPlainInstant = (text: string): boolean =>
  !INSTANT_LENGTHS.includes(text.length) || (ISO_UTC.test(text) && isRealInstant(text));

/** Lists of plain texts and numbers: SQL can write them out as words. */
const isPlainList = (value: Cell[]): boolean =>
  value.every((item) => typeof item === 'string' || (typeof item === 'number' && isPlainNumber(item)));

const isNested = (item: Cell | undefined): boolean =>
  typeof item === 'object' && item !== null && digitsOf(item) === null;

/** One cell as text, as CSV and search have it: a list as its items, anything nested as JSON. */
export function textOf(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (isNested(value[0])) return JSON.stringify(value);
  return value
    .map((item) => (item !== null && typeof item === 'object' ? JSON.stringify(item) : String(item)))
    .join('; ');
}

const TEXTS: ReadonlySet<Storage> = new Set(['text', 'date', 'json']);

interface Coded {
  cell: Bound;
  exact: boolean;
}
const EXACT_NULL: Coded = { cell: null, exact: true };

/** One value as the cell of a column, and whether the cell alone gives it back exactly. */
function code(storage: Storage, value: Cell): Coded {
  if (value === null) return EXACT_NULL;
  const digits = typeof value === 'object' ? digitsOf(value) : null;
  // Columns of texts have the digits; the others what can be sorted and compared.
  if (digits !== null) return { cell: TEXTS.has(storage) ? digits : Number(digits), exact: false };
  if (storage === 'json') {
    const json = JSON.stringify(value);
    const plain =
      typeof value === 'object' && (!Array.isArray(value) || isPlainList(value) || isNested(value[0]));
    // An escape that is not one of the short ones: SQLite would have to decode a surrogate or a NUL.
    return { cell: json, exact: plain && !json.includes('\\u') };
  }
  if (typeof value === 'string') {
    const text = clean(value);
    if (storage === 'date') {
      const instant = sortableInstant(text);
      return { cell: instant, exact: instant === value && isPlainInstant(instant) };
    }
    return { cell: text, exact: text === value && (storage === 'text' || storage === 'any') };
  }
  if (typeof value === 'number') {
    // A column without a type keeps what is bound, and JavaScript binds every number as a fraction.
    const whole = storage === 'any' && Number.isSafeInteger(value) && !Object.is(value, -0);
    return {
      cell: whole ? BigInt(value) : value,
      exact: (storage === 'number' || storage === 'any') && isPlainNumber(value),
    };
  }
  if (typeof value === 'boolean') return { cell: value ? 1 : 0, exact: storage === 'boolean' };
  return { cell: JSON.stringify(value), exact: false };
}

/** Letters and digits begin nearly every cell, and most have one piece: only the others need the rule itself. */
function beginsPlain(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x40 && first < 0x7f) || (first >= 0x30 && first <= 0x39);
}
const PIECES = /[,;\t\r\n]/;
const mayBeFormula = (text: string): boolean =>
  text !== '' && (!beginsPlain(text) || PIECES.test(text)) && isFormulaRisk(text);

/** Fields of a row that are no column, as JSON; null: there are none. */
function extraOf(row: Row, known: ReadonlySet<string>, id: string | null): string | null {
  let extra: [string, Cell][] | null = null;
  for (const key of Object.keys(row)) {
    if (known.has(key) || (key === 'entity_id' && row[key] === id)) continue;
    extra ??= [];
    extra.push([key, row[key]!]);
  }
  return extra === null ? null : JSON.stringify(Object.fromEntries(extra));
}

/** Would a spreadsheet take it for a formula? The items of a list become one text; a number is no formula. */
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

/** Encodes rows of one set, one after another; keeps what it knows of their shape. Measured: the hot path of a fetch. */
export function createEncoder(columns: readonly StoredColumn[]): (row: Row) => EncodedRow {
  const known = new Set(columns.map((column) => column.id));
  const ids = columns.map((column) => column.id);
  const storages = columns.map((column) => column.storage);
  /** The keys of the row before: nearly all rows of a set have the same, and then none is a field of its own. */
  let plainKeys: string[] = [];
  const isPlainShape = (row: Row): boolean => {
    const keys = Object.keys(row);
    if (keys.length !== plainKeys.length) return false;
    for (let at = 0; at < keys.length; at++) if (keys[at] !== plainKeys[at]) return false;
    return true;
  };
  return (row) => {
    const id = idOf(row);
    const values: Bound[] = [id, 0, null, null];
    let overrides: [string, Cell][] | null = null;
    let risk = 0;
    let width = 100;
    for (let index = 0; index < ids.length; index++) {
      const name = ids[index]!;
      const value = Object.hasOwn(row, name) ? row[name]! : null;
      const storage = storages[index]!;
      // The three that nearly every cell is.
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
    }
    // Ids have no bit in the mask: an empty override makes exports render the row in JavaScript.
    if (overrides === null && id !== null && mayBeFormula(id)) overrides = [];
    let extra: string | null = null;
    if (id === null || row['entity_id'] !== id || !isPlainShape(row)) {
      extra = extraOf(row, known, id);
      if (extra === null && id !== null) plainKeys = Object.keys(row);
    }
    values[1] = risk;
    if (overrides !== null) values[2] = JSON.stringify(Object.fromEntries(overrides));
    values[3] = extra;
    width += (typeof values[2] === 'string' ? values[2].length : 0) + (extra?.length ?? 0);
    return { values, id, width };
  };
}

/** The columns to select for `decodeRow`, of a table under that alias. */
export const selection = (columns: readonly StoredColumn[], alias: string): string =>
  [`${alias}.entity_id`, `${alias}.odd`, ...columns.map((column) => `${alias}.${column.sql}`)].join(', ');

/** A row selected by `selection` as [entity id, ...values of the columns], numbers as parseExact() has them. */
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
