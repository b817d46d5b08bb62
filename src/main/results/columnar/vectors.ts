/**
 * Columns of a set as arrays in memory: numbers and instants as they are, columns of few values as codes into a list. A
 * query over a million rows then takes milliseconds (measured: docs/adr/0028-measured.md). A column that could not answer
 * exactly as SQLite does is not kept at all. Runs in the search thread: loads no schema library.
 */
import { foldText } from '#shared/query/text.ts';
import type { Storage } from '../../store/tasks.ts';

export type Value = string | number | null;

/** Holds every value. */
export type ExactVector =
  /** NaN: null. Instants as `instantKey`. */
  | { kind: 'numbers'; instants: boolean; values: Float64Array }
  | { kind: 'codes'; storage: Storage; codes: Uint8Array | Uint16Array; values: Value[] };

export type Vector =
  | ExactVector
  /**
   * Texts of too many values for codes, as ranges of their folds: a text in a lower bucket sorts before one in a higher
   * bucket, while two in the same bucket may sort either way.
   */
  | { kind: 'buckets'; buckets: Uint16Array };

/** Limit of distinct values for codes. */
const MOST_VALUES = 65_535;
/** The bucket of missing values, which sort last. */
export const NULL_BUCKET = 65_535;
/** Texts whose folds divide a column into buckets. */
const SAMPLE = 1_024;
/** Share of distinct values above which coding a column is given up early. */
const MOST_DIFFERENT = 0.75;

const digits = (text: string, from: number, count: number): number => {
  let value = 0;
  for (let position = from; position < from + count; position++) {
    const digit = text.charCodeAt(position) - 48;
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
  /** Adds a column's values of the rows from index `from`. False if the column cannot be kept. */
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
  const existingCodes = new Map<Value, number>();
  return {
    add(block, column, from) {
      for (let row = 0; row < block.length; row++) {
        const value = block[row]![column]!;
        let code = existingCodes.get(value);
        if (code === undefined) {
          if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
          code = values.length;
          if (code === MOST_VALUES) return false;
          if (code === 256) codes = Uint16Array.from(codes);
          existingCodes.set(value, code);
          values.push(value);
        }
        codes[from + row] = code;
      }
      return values.length <= Math.max(256, (from + block.length) * MOST_DIFFERENT);
    },
    done: () => ({ kind: 'codes', storage, codes, values }),
  };
}

/**
 * Text columns as codes, or as buckets once they have too many values. `sample` are values from all over the column.
 */
function growingTexts(rows: number, sample: () => Value[]): Growing {
  const codes = growingCodes(rows, 'text');
  let buckets: Uint16Array | null = null;
  let bucketOf: (value: Value) => number = () => NULL_BUCKET;
  return {
    add(block, column, from) {
      if (buckets === null && codes.add(block, column, from)) return true;
      if (buckets === null) {
        bucketOf = bucketsOf(sample());
        const before = codes.done();
        buckets = new Uint16Array(rows);
        if (before.kind === 'codes') {
          const existingBuckets = before.values.map(bucketOf);
          for (let row = 0; row < from; row++) buckets[row] = existingBuckets[before.codes[row]!]!;
        }
      }
      for (let row = 0; row < block.length; row++) buckets[from + row] = bucketOf(block[row]![column]!);
      return true;
    },
    done: () => (buckets === null ? codes.done() : { kind: 'buckets', buckets }),
  };
}

function bucketsOf(sample: readonly Value[]): (value: Value) => number {
  const folds = sample.filter((value) => typeof value === 'string').map(foldText);
  const bounds = [...new Set(folds)].sort(compareText);
  const isPlain = !bounds.some((bound) => BEYOND.test(bound));
  return (value) => {
    if (typeof value !== 'string') return NULL_BUCKET;
    const fold = foldText(value);
    const asUnits = isPlain && !BEYOND.test(fold);
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const bound = bounds[middle]!;
      if (asUnits ? bound < fold : compareText(bound, fold) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Row indexes from all over a column, for its buckets. */
export const sampleRows = (rows: number): number[] =>
  Array.from({ length: Math.min(SAMPLE, rows) }, (_, index) =>
    Math.floor((index * rows) / Math.min(SAMPLE, rows)),
  );

export interface Builder {
  /** Columns still being collected, in the order of a row's cells. */
  columns(): readonly string[];
  /** Adds rows with those cells, from row index `from`. */
  add(rows: readonly (readonly Value[])[], from: number): void;
  done(): Map<string, Vector>;
}

/** `sample` is the values of a column in the rows `sampleRows`. */
export function createBuilder(
  columns: readonly { sql: string; storage: Storage }[],
  rows: number,
  sample: (sql: string) => Value[],
): Builder {
  const make = (sql: string, storage: Storage): Growing => {
    if (storage === 'number') return growingNumbers(rows);
    if (storage === 'date') return growingInstants(rows);
    return storage === 'text' ? growingTexts(rows, () => sample(sql)) : growingCodes(rows, storage);
  };
  let columnsInProgress = columns.map(({ sql, storage }) => ({ sql, growing: make(sql, storage) }));
  return {
    columns: () => columnsInProgress.map(({ sql }) => sql),
    add(block, from) {
      columnsInProgress = columnsInProgress.filter(({ growing }, column) => growing.add(block, column, from));
    },
    done: () => new Map(columnsInProgress.map(({ sql, growing }) => [sql, growing.done()])),
  };
}

export function sizeOf(vector: Vector): number {
  if (vector.kind === 'numbers') return vector.values.byteLength;
  if (vector.kind === 'buckets') return vector.buckets.byteLength;
  return vector.codes.byteLength + vector.values.length * 64;
}

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

/** The values by which a list of texts counts (`countedItemsSql`). Only SQLite reads other lists. */
export function itemsOf(value: Value): Value[] {
  if (value === null) return [null];
  if (value === '[]') return [''];
  if (typeof value !== 'string' || !value.startsWith('[') || value.includes('\\u')) throw new Unanswerable();
  const list: unknown = JSON.parse(value);
  if (!Array.isArray(list) || !list.every((item): item is string => typeof item === 'string'))
    throw new Unanswerable();
  return [...new Set(list)];
}
