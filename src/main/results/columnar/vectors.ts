/**
 * Columns of a set as arrays in memory: numbers and instants as they are, columns of few values as codes into a list. A
 * query over a million rows then takes milliseconds (measured: docs/performance.md). A column that could not answer
 * exactly as SQLite does is not kept at all. Runs in the search thread: loads no schema library.
 */
import type { Storage } from '../../store/tasks.ts';

export type Value = string | number | null;

export type Vector =
  /** NaN: null. Instants as `instantKey`. */
  | { kind: 'numbers'; instants: boolean; values: Float64Array }
  | { kind: 'codes'; storage: Storage; codes: Uint8Array | Uint16Array; values: Value[] };

/** Limit of distinct values for codes. */
const MOST_VALUES = 65_535;
/** Share of distinct values above which coding a column is given up early. */
const MOST_DIFFERENT = 0.75;

const digits = (text: string, from: number, count: number): number => {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
};

/**
 * A stored instant (`2026-01-31T10:20:30Z`, or with milliseconds) as a number that sorts as its text does; NaN for any
 * other form. The two forms only sort together numerically if a column uses just one of them.
 */
export function instantKey(text: string): number {
  const { length } = text;
  if (length !== 20 && length !== 24) return Number.NaN;
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':')
    return Number.NaN;
  if (text[length - 1] !== 'Z' || (length === 24 && text[19] !== '.')) return Number.NaN;
  const [month, day, hour] = [digits(text, 5, 2), digits(text, 8, 2), digits(text, 11, 2)];
  const [minute, second] = [digits(text, 14, 2), digits(text, 17, 2)];
  if (!(month < 13 && day < 32 && hour < 25 && minute < 61 && second < 61)) return Number.NaN;
  const days = (digits(text, 0, 4) * 13 + month) * 32 + day;
  const seconds = ((days * 25 + hour) * 61 + minute) * 61 + second;
  return seconds * 1000 + (length === 24 ? digits(text, 20, 3) : 0);
}

/** The instant of a key of `instantKey`, with milliseconds. */
export function instantOfKey(key: number): string {
  const parts: number[] = [];
  let rest = key;
  for (const base of [1_000, 61, 61, 25, 32, 13]) {
    parts.unshift(rest % base);
    rest = Math.floor(rest / base);
  }
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = parts;
  const pad = (value: number, length = 2) => String(value).padStart(length, '0');
  return `${pad(rest, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}.${pad(ms, 3)}Z`;
}

interface Growing {
  /** Adds a column's values of the rows from index `from`. false: the column cannot be kept. */
  add(rows: readonly (readonly Value[])[], column: number, from: number): boolean;
  done(): Vector;
}

function growingNumbers(rows: number): Growing {
  const values = new Float64Array(rows);
  return {
    add(block, column, from) {
      for (let row = 0; row < block.length; row++) {
        const value = block[row]![column]!;
        // Beyond 2^53 the driver rounds, and infinities mark the end of a sort.
        if (value !== null && (typeof value !== 'number' || Math.abs(value) > Number.MAX_SAFE_INTEGER))
          return false;
        values[from + row] = value === null ? Number.NaN : value + 0;
      }
      return true;
    },
    done: () => ({ kind: 'numbers', instants: false, values }),
  };
}

function growingInstants(rows: number): Growing {
  const values = new Float64Array(rows);
  let length = 0;
  return {
    add(block, column, from) {
      for (let row = 0; row < block.length; row++) {
        const value = block[row]![column]!;
        if (value === null) {
          values[from + row] = Number.NaN;
          continue;
        }
        if (typeof value !== 'string') return false;
        length ||= value.length;
        const key = value.length === length ? instantKey(value) : Number.NaN;
        if (Number.isNaN(key)) return false;
        values[from + row] = key;
      }
      return true;
    },
    done: () => ({ kind: 'numbers', instants: true, values }),
  };
}

function growingCodes(rows: number, storage: Storage): Growing {
  let codes: Uint8Array | Uint16Array = new Uint8Array(rows);
  const values: Value[] = [];
  const known = new Map<Value, number>();
  return {
    add(block, column, from) {
      for (let row = 0; row < block.length; row++) {
        const value = block[row]![column]!;
        let code = known.get(value);
        if (code === undefined) {
          if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
          code = values.length;
          if (code === MOST_VALUES) return false;
          if (code === 256) codes = Uint16Array.from(codes);
          known.set(value, code);
          values.push(value);
        }
        codes[from + row] = code;
      }
      return values.length <= Math.max(256, (from + block.length) * MOST_DIFFERENT);
    },
    done: () => ({ kind: 'codes', storage, codes, values }),
  };
}

export interface Builder {
  /** Columns still being collected, in the order of a row's cells. */
  columns(): readonly string[];
  /** Adds rows with those cells, from row index `from`. */
  add(rows: readonly (readonly Value[])[], from: number): void;
  done(): Map<string, Vector>;
}

export function createBuilder(columns: readonly { sql: string; storage: Storage }[], rows: number): Builder {
  const make = (storage: Storage): Growing =>
    storage === 'number'
      ? growingNumbers(rows)
      : storage === 'date'
        ? growingInstants(rows)
        : growingCodes(rows, storage);
  let left = columns.map(({ sql, storage }) => ({ sql, growing: make(storage) }));
  return {
    columns: () => left.map(({ sql }) => sql),
    add(block, from) {
      left = left.filter(({ growing }, column) => growing.add(block, column, from));
    },
    done: () => new Map(left.map(({ sql, growing }) => [sql, growing.done()])),
  };
}

export const sizeOf = (vector: Vector): number =>
  vector.kind === 'numbers' ? vector.values.byteLength : vector.codes.byteLength + vector.values.length * 64;

const BEYOND = /[\ud800-\uffff]/;
/** Compares texts as SQLite does: by their UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (BEYOND.test(a) || BEYOND.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}
/** NULL, numbers, texts: SQLite's order of values. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1;
  return typeof b === 'number' ? 1 : compareText(a, b);
}

/** The columns in memory cannot answer this; SQLite can. */
export class Unanswerable extends Error {}

/** The distinct items of a list of texts; an empty list and a missing one count as null. Only SQLite reads other lists. */
export function itemsOf(value: Value): Value[] {
  if (value === null || value === '[]') return [null];
  if (typeof value !== 'string' || !value.startsWith('[') || value.includes('\\u')) throw new Unanswerable();
  const list: unknown = JSON.parse(value);
  if (!Array.isArray(list) || !list.every((item): item is string => typeof item === 'string'))
    throw new Unanswerable();
  return [...new Set(list)];
}
