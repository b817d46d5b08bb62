/** Answers queries on the rows of a result set from its columns in memory. Runs in the search thread. */
import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Bound, Predicate, Test } from '#shared/query/predicate.ts';
import { predicateSql } from '#shared/query/predicate-sql.ts';
import type { ColumnAnswer, ColumnQuery, SearchTask } from '../../store/tasks.ts';
import { mappingOf } from '../column-sql.ts';
import { countGroups } from './groups.ts';
import { firstRows, keyOf, rowsUpTo, type SortKey, sortRows } from './sort.ts';
import {
  compareValues,
  createBuilder,
  type ExactVector,
  instantKey,
  itemsOf,
  sampleRows,
  sizeOf,
  Unanswerable,
  type Value,
  type Vector,
} from './vectors.ts';

/** Rows read at a time while columns are loaded. */
const BLOCK = 4_096;
/** Limit of columns in memory in bytes, for all sets together. */
const BUDGET = 384 * 1024 * 1024;
/** Limit of rows that SQLite puts in order where keys leave it open. */
const MAX_CANDIDATES = 20_000;
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
    // SQLite compares long numbers.
    const short = task.columns.filter(({ long }) => long === undefined);
    const builder = createBuilder(short, loaded, (sql) =>
      this.#db
        .prepare<unknown[], Value>(
          `SELECT ${sql} FROM json_each(?) sample CROSS JOIN rs_${n} r ON r.pos = sample.value`,
        )
        .pluck()
        .all(JSON.stringify(sampleRows(loaded))),
    );
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
   * `hits` are indexes of rows that contain the search terms, or null if there are none to match. Returns null when
   * only SQLite can answer.
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
      const { keys, isExact } = keysOf(set, query.sort);
      if (want.kind === 'rows') return slice(keys, isExact, mask, set.rows, want);
      if (!isExact) throw new Unanswerable();
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

  /** The rows that match the search terms, the facet choices and the predicate, or null for all. */
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
    const where = predicateSql(predicate, () => mappingOf({ storage }, 'v.value'), bind);
    const codes = this.#db
      .prepare<unknown[], number>(`SELECT v.key FROM json_each(?) v WHERE ${where}`)
      .pluck()
      .all(...params);
    const passing = new Uint8Array(values.length);
    for (const code of codes) passing[code] = 1;
    return passing;
  }
}

type CodeVector = Extract<ExactVector, { kind: 'codes' }>;
type NumberVector = Extract<ExactVector, { kind: 'numbers' }>;

function vectorOf(set: SetColumns, sql: string): ExactVector {
  const vector = set.vectors.get(sql);
  if (vector === undefined || vector.kind === 'buckets') throw new Unanswerable();
  return vector;
}

/** The keys of an order, up to the first that leaves the order of rows open (not exact). */
function keysOf({ vectors }: SetColumns, sort: ColumnQuery['sort']): { keys: SortKey[]; isExact: boolean } {
  const keys: SortKey[] = [];
  for (const { sql, ...direction } of sort) {
    const vector = vectors.get(sql);
    // Buckets are in the order of texts, not of severity.
    if (vector === undefined || (vector.kind === 'buckets' && direction.verdicts)) throw new Unanswerable();
    keys.push(keyOf(vector, direction));
    if (vector.kind === 'buckets') return { keys, isExact: false };
  }
  return { keys, isExact: true };
}

/** Maps a mask over the distinct values of a column to one over its rows. */
function decode({ codes }: CodeVector, passing: Mask): Mask {
  const mask = new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) mask[row] = passing[codes[row]!]!;
  return mask;
}

function chosen(vector: ExactVector, values: ColumnQuery['choices'][number]['values']): Mask {
  if (vector.kind === 'numbers') {
    if (values.some((value) => value !== null && (vector.instants || typeof value === 'string')))
      throw new Unanswerable();
    const targets = new Set(values.map((value) => value ?? Number.NaN));
    return Uint8Array.from(vector.values, (value) => Number(targets.has(value)));
  }
  const { storage } = vector;
  if (values.some((value) => value !== null && (typeof value === 'number') !== (storage === 'boolean')))
    throw new Unanswerable();
  const wantedTargets = new Set<Value>(values);
  const passing = Uint8Array.from(vector.values, (value) =>
    Number(
      storage === 'json' ? itemsOf(value).some((item) => wantedTargets.has(item)) : wantedTargets.has(value),
    ),
  );
  return decode(vector, passing);
}

/** NaN stands for a missing value and fulfils no comparison. */
function testNumbers({ values, instants }: NumberVector, test: Test): Mask {
  const mask = new Uint8Array(values.length);
  const boundOf = (bound: Bound) => {
    // SQLite compares long numbers.
    if (typeof bound === 'string') throw new Unanswerable();
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
      const targets = new Set(test.numbers.map(boundOf));
      return fill((value) => targets.has(value));
    }
    default:
      throw new Unanswerable();
  }
}

function slice(
  keys: readonly SortKey[],
  isExact: boolean,
  mask: Mask | null,
  rows: number,
  { start, end }: { start: number; end: number },
): ColumnAnswer {
  let count = rows;
  if (mask !== null) {
    count = 0;
    for (let row = 0; row < mask.length; row++) count += mask[row]!;
  }
  const first = firstRows(keys, mask, rows, Math.min(end, count));
  const last = first.at(-1);
  if (isExact || last === undefined) return { count, rowIndexes: first.slice(start), values: [] };
  const candidates = rowsUpTo(keys, mask, rows, last, MAX_CANDIDATES);
  if (candidates === null) throw new Unanswerable();
  return { count, rowIndexes: candidates, areCandidates: true, values: [] };
}

/** The most frequent values; `count` is the number of distinct ones. */
function facetOf(vector: ExactVector, limit: number, mask: Mask | null): ColumnAnswer {
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
