/** Answers questions about the rows of a set from its columns in memory. Runs in the search thread. */
import type Sqlite from 'better-sqlite3';
import type { Looked, LookNode, LookRange, LookTask, SearchTask } from '../../store/tasks.ts';
import { firstPlaces, type Key, keyOf, placesInOrder } from './sort.ts';
import { compareValues, createBuilder, sizeOf, type Value, type Vector } from './vectors.ts';

/** Rows read at once while columns are brought into memory. */
const BLOCK = 4_096;
/** Columns kept, all sets together. */
const BUDGET = 384 * 1024 * 1024;
/** Different numbers counted for a facet. */
const MOST_NUMBERS = 65_536;

interface Held {
  setId: string;
  rows: number;
  vectors: Map<string, Vector>;
  bytes: number;
  usedAt: number;
}

export interface Look {
  /** Brings the columns of a set into memory, a block at a time. */
  build(
    task: Pick<SearchTask, 'n' | 'setId' | 'columns' | 'loaded'>,
    turn: () => Promise<boolean>,
  ): Promise<void>;
  /** `turn`: lets other questions in between, and says whether to go on. `hits`: places that have the words asked for; null: none were asked for. */
  answer(task: LookTask, hits: Uint32Array | null, turn: () => Promise<boolean>): Promise<Looked | null>;
  has(task: Pick<LookTask, 'n' | 'setId' | 'loaded'>): boolean;
  forget(n: number): void;
}

/** The columns in memory cannot say. */
class Unknown extends Error {}

export function createLook(db: Sqlite.Database, budget: number = BUDGET): Look {
  const sets = new Map<number, Held>();
  let turns = 0;

  const heldOf = ({ n, setId, loaded }: Pick<LookTask, 'n' | 'setId' | 'loaded'>): Held | null => {
    const held = sets.get(n);
    return held?.setId === setId && held.rows === loaded ? held : null;
  };

  const keep = (n: number, held: Held) => {
    sets.delete(n);
    // Too much for memory: known, so that nobody tries again, and left to the file.
    if (held.bytes > budget) Object.assign(held, { vectors: new Map(), bytes: 0 });
    const used = () => [...sets.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    while (used() + held.bytes > budget) {
      const [oldest] = [...sets].sort((a, b) => a[1].usedAt - b[1].usedAt);
      if (oldest === undefined) break;
      sets.delete(oldest[0]);
    }
    sets.set(n, held);
  };

  const vectorOf = (held: Held, sql: string): Vector => {
    const found = held.vectors.get(sql);
    if (found === undefined) throw new Unknown();
    return found;
  };

  /** Which codes a condition lets through: SQLite says it, of each value once. */
  const allowedBy = (
    vector: Vector & { kind: 'codes' },
    where: string,
    params: readonly (string | number)[],
  ) => {
    const allowed = new Uint8Array(vector.values.length);
    const codes = db
      .prepare(`SELECT v.key FROM json_each(?) v WHERE ${where}`)
      .pluck()
      .all(JSON.stringify(vector.values), ...params) as number[];
    for (const code of codes) allowed[code] = 1;
    return allowed;
  };

  const byCodes = (vector: Vector & { kind: 'codes' }, allowed: Uint8Array): Uint8Array => {
    const { codes } = vector;
    const mask = new Uint8Array(codes.length);
    for (let at = 0; at < codes.length; at++) mask[at] = allowed[codes[at]!]!;
    return mask;
  };

  const choose = (held: Held, { sql, values }: LookTask['choices'][number]): Uint8Array => {
    const vector = vectorOf(held, sql);
    if (vector.kind === 'numbers') {
      if (vector.instants) throw new Unknown();
      const wanted = new Set(values.map((value) => (typeof value === 'number' ? value : Number.NaN)));
      if (values.some((value) => typeof value === 'string')) throw new Unknown();
      return Uint8Array.from(vector.values, (value) => Number(wanted.has(value)));
    }
    const wanted = new Set<Value>(values);
    const { storage } = vector;
    if (values.some((value) => value !== null && (typeof value === 'number') !== (storage === 'boolean')))
      throw new Unknown();
    const allowed = Uint8Array.from(vector.values, (value) =>
      Number(storage === 'json' ? itemsOf(value).some((item) => wanted.has(item)) : wanted.has(value)),
    );
    return byCodes(vector, allowed);
  };

  const within = (held: Held, sql: string, range: LookRange | null): Uint8Array => {
    const vector = vectorOf(held, sql);
    if (vector.kind !== 'numbers') throw new Unknown();
    const { values } = vector;
    const mask = new Uint8Array(values.length);
    if (range === null) return mask;
    if ('among' in range) {
      const wanted = new Set(range.among);
      for (let at = 0; at < values.length; at++) mask[at] = Number(wanted.has(values[at]!));
      return mask;
    }
    const { low, high, lowOpen, highOpen } = range;
    for (let at = 0; at < values.length; at++) {
      const value = values[at]!;
      mask[at] = Number((lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high));
    }
    return mask;
  };

  const evaluate = (held: Held, node: LookNode): Uint8Array => {
    if (node.kind === 'where') {
      const vector = vectorOf(held, node.sql);
      if (vector.kind !== 'codes') throw new Unknown();
      return byCodes(vector, allowedBy(vector, node.where, node.params));
    }
    if (node.kind === 'range') {
      const mask = within(held, node.sql, node.range);
      return node.negate ? inverted(mask) : mask;
    }
    const [first, ...others] = node.nodes.map((inner) => evaluate(held, inner));
    const mask = first ?? new Uint8Array(held.rows).fill(1);
    for (const other of others) combine(mask, other, node.any);
    return node.negate ? inverted(mask) : mask;
  };

  /** What a filter lets through; null: everything. */
  const maskOf = (held: Held, task: LookTask, hits: Uint32Array | null): Uint8Array | null => {
    let mask: Uint8Array | null = null;
    const narrow = (part: Uint8Array) => {
      if (mask === null) mask = part;
      else combine(mask, part, false);
    };
    if (hits !== null) {
      const part = new Uint8Array(held.rows);
      for (let at = 0; at < hits.length; at++) part[hits[at]!] = 1;
      narrow(part);
    }
    for (const choice of task.choices) narrow(choose(held, choice));
    if (task.tree !== null) narrow(evaluate(held, task.tree));
    return mask;
  };

  const facet = (held: Held, sql: string, most: number, mask: Uint8Array | null): Looked => {
    const vector = vectorOf(held, sql);
    const counts = new Map<Value, number>();
    const add = (value: Value, count: number) => void counts.set(value, (counts.get(value) ?? 0) + count);
    if (vector.kind === 'codes') {
      const each = new Uint32Array(vector.values.length);
      const { codes } = vector;
      for (let at = 0; at < codes.length; at++)
        if (mask === null || mask[at] !== 0) each[codes[at]!] = each[codes[at]!]! + 1;
      for (const [code, count] of each.entries()) {
        if (count === 0) continue;
        const value = vector.values[code]!;
        if (vector.storage !== 'json') add(value, count);
        else for (const item of itemsOf(value)) add(item, count);
      }
    } else {
      if (vector.instants) throw new Unknown();
      for (let at = 0; at < vector.values.length; at++) {
        if (mask !== null && mask[at] === 0) continue;
        const value = vector.values[at]!;
        add(Number.isNaN(value) ? null : value, 1);
        if (counts.size > MOST_NUMBERS) throw new Unknown();
      }
    }
    const least = [...counts.values()].sort((a, b) => b - a)[most - 1] ?? 0;
    const values = [...counts]
      .filter(([, count]) => count >= least)
      .sort((a, b) => b[1] - a[1] || compareValues(a[0], b[0]))
      .slice(0, most)
      .map(([value, count]) => ({ value, count }));
    return { count: counts.size, places: new Uint32Array(0), values };
  };

  const answerOf = async (
    held: Held,
    task: LookTask,
    hits: Uint32Array | null,
    turn: () => Promise<boolean>,
  ): Promise<Looked | null> => {
    const mask = maskOf(held, task, hits);
    const { want } = task;
    if (want.kind === 'facet') return facet(held, want.sql, want.most, mask);
    const keys: Key[] = task.sort.map(({ sql, descending }) => keyOf(vectorOf(held, sql), descending));
    if (want.kind === 'order') {
      const work = placesInOrder(keys, mask, held.rows);
      let step = work.next();
      for (; !step.done; step = work.next()) if (!(await turn())) return null;
      const places = step.value;
      return { count: places.length, places, values: [] };
    }
    let count = held.rows;
    if (mask !== null) {
      count = 0;
      for (let at = 0; at < mask.length; at++) count += mask[at]!;
    }
    const places = firstPlaces(keys, mask, held.rows, Math.min(want.end, count)).slice(want.start);
    return { count, places, values: [] };
  };

  return {
    has: (task) => heldOf(task) !== null,
    forget: (n) => void sets.delete(n),

    async build(task, turn) {
      const { n, setId, loaded } = task;
      if (heldOf(task) !== null || loaded === 0) return;
      const builder = createBuilder(task.columns, loaded);
      for (let from = 0; from < loaded; from += BLOCK) {
        const columns = builder.columns();
        if (columns.length === 0) break;
        const to = Math.min(from + BLOCK, loaded);
        const rows = db
          .prepare(`SELECT ${columns.join(', ')} FROM rs_${n} WHERE pos >= ? AND pos < ? ORDER BY pos`)
          .raw()
          .all(from, to) as Value[][];
        // Others than it was to be built of.
        if (rows.length !== to - from) return;
        builder.add(rows, from);
        if (!(await turn())) return;
      }
      const vectors = builder.done();
      const bytes = [...vectors.values()].reduce((sum, vector) => sum + sizeOf(vector), 0);
      keep(n, { setId, rows: loaded, vectors, bytes, usedAt: ++turns });
    },

    async answer(task, hits, turn) {
      const held = heldOf(task);
      if (held === null) return null;
      held.usedAt = ++turns;
      try {
        return await answerOf(held, task, hits, turn);
      } catch (error) {
        if (error instanceof Unknown) return null;
        throw error;
      }
    },
  };
}

function combine(mask: Uint8Array, other: Uint8Array, any: boolean): void {
  if (any) for (let at = 0; at < mask.length; at++) mask[at] = mask[at]! | other[at]!;
  else for (let at = 0; at < mask.length; at++) mask[at] = mask[at]! & other[at]!;
}
function inverted(mask: Uint8Array): Uint8Array {
  for (let at = 0; at < mask.length; at++) mask[at] = mask[at]! ^ 1;
  return mask;
}

/** The different items of a list of texts; an empty one, and none at all, count as null. Anything else is not for here. */
function itemsOf(value: Value): Value[] {
  if (value === null || value === '[]') return [null];
  if (typeof value !== 'string' || !value.startsWith('[') || value.includes('\\u')) throw new Unknown();
  const list: unknown = JSON.parse(value);
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) throw new Unknown();
  return [...new Set(list as string[])];
}
