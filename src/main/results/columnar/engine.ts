/** Answers queries on the rows of a result set from its columns in memory. Runs in the search thread. */
import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Predicate, Test } from '#shared/query/predicate.ts';
import { predicateSql } from '#shared/query/predicate-sql.ts';
import type { ColumnAnswer, ColumnQuery, SearchTask } from '../../store/tasks.ts';
import { mappingOf } from '../column-sql.ts';
import { countGroups } from './groups.ts';
import { firstRows, keyOf, type SortKey, sortRows } from './sort.ts';
import {
  compareValues,
  createBuilder,
  instantKey,
  itemsOf,
  sizeOf,
  Unanswerable,
  type Value,
  type Vector,
} from './vectors.ts';

/** Rows read at a time while columns are loaded. */
const BLOCK = 4_096;
/** Limit of columns in memory in bytes, for all sets together. */
const BUDGET = 384 * 1024 * 1024;
/** Limit of distinct numbers counted for a facet. */
const MAX_DISTINCT_NUMBERS = 65_536;

interface SetColumns {
  setId: string;
  rows: number;
  /** By SQL column name. */
  vectors: ReadonlyMap<string, Vector>;
  bytes: number;
}

/** Lets other requests run, and returns whether to continue. */
type Turn = () => Promise<boolean>;

/** One bit of a byte per row: 1 where the row passes. */
type Mask = Uint8Array;

export class ColumnEngine {
  readonly #db: Sqlite.Database;
  readonly #budget: number;
  /** By table number. */
  readonly #sets: LRUCache<number, SetColumns>;

  constructor(db: Sqlite.Database, budget: number = BUDGET) {
    this.#db = db;
    this.#budget = budget;
    this.#sets = new LRUCache({ maxSize: budget, sizeCalculation: ({ bytes }) => Math.max(1, bytes) });
  }

  has(task: Pick<ColumnQuery, 'n' | 'setId' | 'loaded'>): boolean {
    return this.#columnsOf(task, this.#sets.peek(task.n)) !== null;
  }

  forget(n: number): void {
    this.#sets.delete(n);
  }

  /** Loads the columns of a set into memory, one block at a time. */
  async build(task: Pick<SearchTask, 'n' | 'setId' | 'columns' | 'loaded'>, turn: Turn): Promise<void> {
    const { n, setId, loaded } = task;
    if (this.has(task) || loaded === 0) return;
    const builder = createBuilder(task.columns, loaded);
    for (let from = 0; from < loaded; from += BLOCK) {
      const columns = builder.columns();
      if (columns.length === 0) break;
      const to = Math.min(from + BLOCK, loaded);
      const rows = this.#db
        .prepare<unknown[], Value[]>(
          `SELECT ${columns.join(', ')} FROM rs_${n} WHERE pos >= ? AND pos < ? ORDER BY pos`,
        )
        .raw()
        .all(from, to);
      // The table no longer has these rows.
      if (rows.length !== to - from) return;
      builder.add(rows, from);
      if (!(await turn())) return;
    }
    const vectors = builder.done();
    const bytes = [...vectors.values()].reduce((sum, vector) => sum + sizeOf(vector), 0);
    // A set that exceeds the limit is remembered without columns, so that it is not loaded again.
    const fits = bytes <= this.#budget;
    this.#sets.set(n, {
      setId,
      rows: loaded,
      vectors: fits ? vectors : new Map(),
      bytes: fits ? bytes : 0,
    });
  }

  /**
   * `hits`: indexes of rows that contain the search terms; null: there are none to match. Returns null when only SQLite
   * can answer.
   */
  async answer(query: ColumnQuery, hits: Uint32Array | null, turn: Turn): Promise<ColumnAnswer | null> {
    const set = this.#columnsOf(query, this.#sets.get(query.n));
    if (set === null) return null;
    try {
      const mask = this.#maskOf(set, query, hits);
      const { want } = query;
      if (want.kind === 'facet') return facetOf(vectorOf(set, want.sql), want.limit, mask);
      if (want.kind === 'groups') {
        const vectors = want.axes.map(({ sql }) => vectorOf(set, sql));
        const time = want.time === null ? null : vectorOf(set, want.time);
        const cells = await countGroups(vectors, want.axes, time, mask, set.rows, turn);
        return cells === null
          ? null
          : { count: cells.length, rowIndexes: new Uint32Array(0), values: [], cells };
      }
      const keys = query.sort.map(({ sql, ...direction }) => keyOf(vectorOf(set, sql), direction));
      if (want.kind === 'rows') return slice(keys, mask, set.rows, want);
      const work = sortRows(keys, mask, set.rows);
      let step = work.next();
      for (; !step.done; step = work.next()) if (!(await turn())) return null;
      return { count: step.value.length, rowIndexes: step.value, values: [] };
    } catch (error) {
      if (error instanceof Unanswerable) return null;
      throw error;
    }
  }

  #columnsOf(
    { setId, loaded }: Pick<ColumnQuery, 'setId' | 'loaded'>,
    set: SetColumns | undefined,
  ): SetColumns | null {
    return set?.setId === setId && set.rows === loaded ? set : null;
  }

  /** The rows that match the search terms, the facet choices and the predicate; null: all. */
  #maskOf(set: SetColumns, query: ColumnQuery, hits: Uint32Array | null): Mask | null {
    const masks = query.choices.map(({ sql, values }) => chosen(vectorOf(set, sql), values));
    if (hits !== null) {
      const mask = new Uint8Array(set.rows);
      for (let index = 0; index < hits.length; index++) mask[hits[index]!] = 1;
      masks.push(mask);
    }
    if (query.predicate !== null) masks.push(this.#evaluate(set, query, query.predicate));
    const [first, ...others] = masks;
    if (first === undefined) return null;
    for (const other of others) intersect(first, other);
    return first;
  }

  #evaluate(set: SetColumns, query: ColumnQuery, predicate: Predicate): Mask {
    switch (predicate.kind) {
      case 'not':
        return invert(this.#evaluate(set, query, predicate.part));
      case 'test': {
        const column = query.columns.find(({ id }) => id === predicate.field);
        if (column === undefined) throw new Unanswerable();
        const vector = vectorOf(set, column.sql);
        if (vector.kind === 'numbers') return testNumbers(vector, predicate.test);
        return decode(vector, this.#testValues(vector, predicate));
      }
      default: {
        const [first, ...others] = predicate.parts.map((part) => this.#evaluate(set, query, part));
        if (first === undefined) return new Uint8Array(set.rows).fill(Number(predicate.kind === 'and'));
        for (const other of others) (predicate.kind === 'and' ? intersect : unite)(first, other);
        return first;
      }
    }
  }

  /**
   * Tests each distinct value of a column once, in SQL, so that texts mean the same in both back ends by construction.
   */
  #testValues({ values, storage }: CodeVector, predicate: Predicate): Mask {
    const params: (string | number)[] = [JSON.stringify(values)];
    const bind = (value: string | number) => {
      params.push(value);
      return '?';
    };
    const where = predicateSql(predicate, () => mappingOf(storage, 'v.value'), bind);
    const codes = this.#db
      .prepare<unknown[], number>(`SELECT v.key FROM json_each(?) v WHERE ${where}`)
      .pluck()
      .all(...params);
    const passing = new Uint8Array(values.length);
    for (const code of codes) passing[code] = 1;
    return passing;
  }
}

type CodeVector = Extract<Vector, { kind: 'codes' }>;
type NumberVector = Extract<Vector, { kind: 'numbers' }>;

function vectorOf(set: SetColumns, sql: string): Vector {
  const found = set.vectors.get(sql);
  if (found === undefined) throw new Unanswerable();
  return found;
}

/** Maps a mask over the distinct values of a column to one over its rows. */
function decode({ codes }: CodeVector, passing: Mask): Mask {
  const mask = new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) mask[row] = passing[codes[row]!]!;
  return mask;
}

function chosen(vector: Vector, values: ColumnQuery['choices'][number]['values']): Mask {
  if (vector.kind === 'numbers') {
    if (vector.instants || values.some((value) => typeof value === 'string')) throw new Unanswerable();
    const wanted = new Set(values.map((value) => value ?? Number.NaN));
    return Uint8Array.from(vector.values, (value) => Number(wanted.has(value)));
  }
  const { storage } = vector;
  if (values.some((value) => value !== null && (typeof value === 'number') !== (storage === 'boolean')))
    throw new Unanswerable();
  const wanted = new Set<Value>(values);
  const passing = Uint8Array.from(vector.values, (value) =>
    Number(storage === 'json' ? itemsOf(value).some((item) => wanted.has(item)) : wanted.has(value)),
  );
  return decode(vector, passing);
}

/** NaN stands for a missing value and fulfils no comparison. */
function testNumbers({ values, instants }: NumberVector, test: Test): Mask {
  const mask = new Uint8Array(values.length);
  const boundOf = (bound: number) => {
    const key = instants ? instantKey(new Date(bound).toISOString()) : bound;
    if (Number.isNaN(key)) throw new Unanswerable();
    return key;
  };
  const fill = (passes: (value: number) => boolean) => {
    for (let row = 0; row < values.length; row++) mask[row] = Number(passes(values[row]!));
    return mask;
  };
  if ('unit' in test && (test.unit === 'instant') !== instants) throw new Unanswerable();
  switch (test.kind) {
    case 'never':
      return mask;
    case 'present':
      return fill((value) => !Number.isNaN(value));
    case 'above': {
      const bound = boundOf(test.bound);
      return fill((value) => value > bound);
    }
    case 'below': {
      const bound = boundOf(test.bound);
      return fill((value) => value < bound);
    }
    case 'between': {
      const low = boundOf(test.low);
      const high = boundOf(test.high);
      return fill((value) => value >= low && value <= high);
    }
    case 'among': {
      const wanted = new Set(test.numbers);
      return fill((value) => wanted.has(value));
    }
    default:
      throw new Unanswerable();
  }
}

function slice(
  keys: readonly SortKey[],
  mask: Mask | null,
  rows: number,
  { start, end }: { start: number; end: number },
): ColumnAnswer {
  let count = rows;
  if (mask !== null) {
    count = 0;
    for (let row = 0; row < mask.length; row++) count += mask[row]!;
  }
  return { count, rowIndexes: firstRows(keys, mask, rows, Math.min(end, count)).slice(start), values: [] };
}

/** The most frequent values; `count` is the number of distinct ones. */
function facetOf(vector: Vector, limit: number, mask: Mask | null): ColumnAnswer {
  const counts = vector.kind === 'codes' ? countCodes(vector, mask) : countNumbers(vector, mask);
  const least = [...counts.values()].sort((a, b) => b - a)[limit - 1] ?? 0;
  const values = [...counts]
    .filter(([, count]) => count >= least)
    .sort((a, b) => b[1] - a[1] || compareValues(a[0], b[0]))
    .slice(0, limit)
    .map(([value, count]) => ({ value, count }));
  return { count: counts.size, rowIndexes: new Uint32Array(0), values };
}

function countCodes({ codes, values, storage }: CodeVector, mask: Mask | null): Map<Value, number> {
  const rows = new Uint32Array(values.length);
  for (let row = 0; row < codes.length; row++)
    if (mask === null || mask[row] !== 0) rows[codes[row]!] = rows[codes[row]!]! + 1;
  const counts = new Map<Value, number>();
  for (const [code, count] of rows.entries()) {
    if (count === 0) continue;
    const value = values[code]!;
    for (const item of storage === 'json' ? itemsOf(value) : [value])
      counts.set(item, (counts.get(item) ?? 0) + count);
  }
  return counts;
}

function countNumbers({ values, instants }: NumberVector, mask: Mask | null): Map<Value, number> {
  if (instants) throw new Unanswerable();
  const counts = new Map<Value, number>();
  for (let row = 0; row < values.length; row++) {
    if (mask !== null && mask[row] === 0) continue;
    const value = Number.isNaN(values[row]!) ? null : values[row]!;
    counts.set(value, (counts.get(value) ?? 0) + 1);
    if (counts.size > MAX_DISTINCT_NUMBERS) throw new Unanswerable();
  }
  return counts;
}

function intersect(mask: Mask, other: Mask): void {
  for (let row = 0; row < mask.length; row++) mask[row] = mask[row]! & other[row]!;
}
function unite(mask: Mask, other: Mask): void {
  for (let row = 0; row < mask.length; row++) mask[row] = mask[row]! | other[row]!;
}
function invert(mask: Mask): Mask {
  for (let row = 0; row < mask.length; row++) mask[row] = mask[row]! ^ 1;
  return mask;
}
