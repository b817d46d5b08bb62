/**
 * Substring search over the words of result sets, in a thread of its own. The words of a set lie in blocks of memory,
 * folded, in UTF-8: a search is a scan of bytes (measured: docs/performance.md). Loads no schema library.
 */
import type Sqlite from 'better-sqlite3';
import { foldText } from '#shared/query/text.ts';
import type { Found, LookAnswer, LookTask, SearchTask, Storage } from '../../store/tasks.ts';
import { createLook } from './engine.ts';

/** Rows of one block. Places are dense: block b begins at b * BLOCK. */
const BLOCK = 8_192;
/** Between two cells and between two rows of a block: no search crosses them. */
const CELL = '\u0001';
const ROW = 2;
/** Words kept in memory, all sets together; what does not fit is read again by each search. */
const BUDGET = 320 * 1024 * 1024;
const RESULTS_KEPT = 6;
/** The thread looks for news this often. */
const SLICE_MS = 25;

interface Block {
  rows: number;
  bytes: Buffer;
  /** Where each row begins, and the end. */
  starts: Uint32Array;
  /** Three bytes in a row that occur somewhere in it, by bit: a search passes over blocks that cannot have its words. */
  traits: Uint8Array;
}

interface Words {
  setId: string;
  blocks: (Block | null)[];
  /** Also of blocks that found no room. */
  traits: (Pick<Block, 'rows' | 'traits'> | undefined)[];
  bytes: number;
  usedAt: number;
}

/** Columns whose words are searched. */
const isSearched = ({ storage }: { storage: Storage }) =>
  storage === 'text' || storage === 'json' || storage === 'any';

function wordsSql({ sql, storage }: { sql: string; storage: Storage }): string {
  if (storage === 'text') return sql;
  if (storage === 'any') return `CASE typeof(${sql}) WHEN 'text' THEN ${sql} END`;
  // Lists of texts as their items; anything nested as its JSON.
  return `CASE WHEN ${sql} = '[]' THEN NULL WHEN ${sql} GLOB '[[]"*"]' THEN replace(substr(${sql}, 3, length(${sql}) - 4), '","', '; ') ELSE ${sql} END`;
}

/** Bits of the traits of a block: 32 KB of them for some 2 MB of words. */
const TRAIT_BITS = 18;
const traitOf = (a: number, b: number, c: number): number =>
  ((a << 10) ^ (b << 5) ^ c) & ((1 << TRAIT_BITS) - 1);

function traitsOf(bytes: Buffer): Uint8Array {
  const traits = new Uint8Array(1 << (TRAIT_BITS - 3));
  let a = bytes[0] ?? 0;
  let b = bytes[1] ?? 0;
  for (let at = 2; at < bytes.length; at++) {
    const c = bytes[at]!;
    const trait = traitOf(a, b, c);
    traits[trait >> 3] = traits[trait >> 3]! | (1 << (trait & 7));
    a = b;
    b = c;
  }
  return traits;
}

/** Can the block have it at all? */
function mayHave({ traits }: Pick<Block, 'traits'>, needle: Buffer): boolean {
  for (let at = 2; at < needle.length; at++) {
    const trait = traitOf(needle[at - 2]!, needle[at - 1]!, needle[at]!);
    if ((traits[trait >> 3]! & (1 << (trait & 7))) === 0) return false;
  }
  return true;
}

export interface Search {
  /** Answers null when `isCancelled` says so, at the next slice. */
  run(task: SearchTask, isCancelled: () => boolean): Promise<Found | null>;
  look(task: LookTask, isCancelled: () => boolean, begin: () => void): Promise<LookAnswer>;
  forget(n: number): void;
}

/** A search under way; those who want the same share it. */
interface Run {
  hits: number[];
  /** Those who wait for it, and whether they still do. */
  waiting: Set<() => boolean>;
  /** Hits that somebody wants to see before the count; asked after each block. */
  early: Set<() => boolean>;
  done: Promise<Uint32Array | null>;
}

interface SearchOptions {
  /** Bytes of words kept in memory. */
  budget?: number;
  /** Waits as long as others have more need of the processor. */
  giveWay?: () => Promise<void>;
}

export function createSearch(
  db: Sqlite.Database,
  { budget = BUDGET, giveWay = async () => undefined }: SearchOptions = {},
): Search {
  const sets = new Map<number, Words>();
  const results = new Map<string, Uint32Array>();
  const look = createLook(db);
  let turns = 0;

  /** `traits`: those of the same rows, where they were read before. */
  const build = (task: SearchTask, block: number, traits: Uint8Array | null): Block => {
    const from = block * BLOCK;
    const to = Math.min(from + BLOCK, task.loaded);
    const cells = task.columns.filter(isSearched).map(wordsSql);
    const line = cells.length === 0 ? "''" : `concat_ws(char(1), ${cells.join(', ')})`;
    const rows = to - from;
    // One text for the whole block: a call per row would cost more than the words themselves.
    const text = db
      .prepare(
        `SELECT group_concat(words, char(2)) FROM (SELECT ${line} AS words FROM rs_${task.n} WHERE pos >= ? AND pos < ? ORDER BY pos)`,
      )
      .pluck()
      .get(from, to) as string | null;
    const bytes = Buffer.from(foldText(text ?? ''), 'utf8');
    const starts = new Uint32Array(rows + 1);
    let row = 0;
    for (let at = bytes.indexOf(ROW); at !== -1; at = bytes.indexOf(ROW, at + 1)) {
      row++;
      if (row < rows) starts[row] = at + 1;
    }
    starts[rows] = bytes.length + 1;
    if (row === rows - 1 || rows === 0) return { rows, bytes, starts, traits: traits ?? traitsOf(bytes) };
    return buildByRow(task, line, from, to);
  };

  /** A cell holds the sign that stands between rows: they are put together one by one. */
  const buildByRow = (task: SearchTask, line: string, from: number, to: number): Block => {
    const lines = db
      .prepare(`SELECT ${line} FROM rs_${task.n} WHERE pos >= ? AND pos < ? ORDER BY pos`)
      .pluck()
      .all(from, to) as string[];
    const parts = lines.map((text) =>
      Buffer.from(`${foldText(text).replaceAll('\u0002', ' ')}\u0002`, 'utf8'),
    );
    const starts = new Uint32Array(lines.length + 1);
    for (const [index, part] of parts.entries()) starts[index + 1] = starts[index]! + part.length;
    const bytes = Buffer.concat(parts);
    return { rows: lines.length, bytes, starts, traits: traitsOf(bytes) };
  };

  const held = () => [...sets.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const wordsOf = (task: SearchTask): Words => {
    const known = sets.get(task.n);
    const words =
      known?.setId === task.setId
        ? known
        : { setId: task.setId, blocks: [], traits: [], bytes: 0, usedAt: 0 };
    words.usedAt = ++turns;
    sets.set(task.n, words);
    return words;
  };
  const keep = (words: Words, index: number, block: Block) => {
    const sizeOf = ({ bytes, starts, traits }: Block) => bytes.length + starts.byteLength + traits.length;
    const size = sizeOf(block);
    const before = words.blocks[index];
    if (before !== null && before !== undefined) words.bytes -= sizeOf(before);
    words.blocks[index] = null;
    while (held() + size > budget) {
      const [oldest] = [...sets]
        .filter(([, other]) => other !== words)
        .sort((a, b) => a[1].usedAt - b[1].usedAt);
      if (oldest === undefined) return;
      sets.delete(oldest[0]);
    }
    words.blocks[index] = block;
    words.bytes += size;
  };
  /** null: nothing of it can be a hit, or, without needles, it was read before. */
  const blockOf = (
    task: SearchTask,
    words: Words,
    index: number,
    needles: readonly Buffer[],
  ): Block | null => {
    const rows = Math.min(BLOCK, task.loaded - index * BLOCK);
    const known = words.blocks[index];
    if (known !== null && known !== undefined && known.rows >= rows) return known;
    const traits = words.traits[index];
    if (traits !== undefined && traits.rows >= rows)
      if (needles.length === 0 || !needles.every((needle) => mayHave(traits, needle))) return null;
    const block = build(task, index, traits !== undefined && traits.rows >= rows ? traits.traits : null);
    words.traits[index] = { rows: block.rows, traits: block.traits };
    keep(words, index, block);
    return block;
  };

  /** Places of a block whose rows have every needle; the longest, the rarest most likely, is looked for first. */
  const scan = (block: Block, base: number, limit: number, needles: readonly Buffer[], out: number[]) => {
    const [first, ...others] = needles;
    if (first === undefined || !needles.every((needle) => mayHave(block, needle))) return;
    const { bytes, starts } = block;
    // Where each other needle is next: rows only go forward, so no byte is looked at twice for it.
    const next = others.map(() => -2);
    let row = 0;
    for (let at = bytes.indexOf(first); at !== -1; ) {
      row = rowAt(starts, at, row);
      if (row >= limit) return;
      const begin = starts[row]!;
      const end = starts[row + 1]!;
      let all = true;
      for (let other = 0; other < others.length && all; other++) {
        let place = next[other]!;
        if (place !== -1 && place < begin) {
          place = bytes.indexOf(others[other]!, begin);
          next[other] = place;
        }
        if (place === -1) return;
        all = place < end;
      }
      if (all) out.push(base + row);
      at = bytes.indexOf(first, end);
      row++;
    }
  };

  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  const find = async (
    task: SearchTask,
    run: Pick<Run, 'hits' | 'early'>,
    goesOn: () => boolean,
    pause: () => Promise<void> = turn,
  ) => {
    const words = wordsOf(task);
    const needles = task.terms.map((term) => Buffer.from(term, 'utf8')).sort((a, b) => b.length - a.length);
    let since = performance.now();
    for (let index = 0; index * BLOCK < task.loaded; index++) {
      const block = blockOf(task, words, index, needles);
      if (block !== null) scan(block, index * BLOCK, task.loaded - index * BLOCK, needles, run.hits);
      const more = (index + 1) * BLOCK < task.loaded;
      const told = more && [...run.early].filter((tell) => tell() && run.early.delete(tell)).length > 0;
      if (!told && performance.now() - since < SLICE_MS) continue;
      await pause();
      since = performance.now();
      if (!goesOn()) return null;
    }
    return Uint32Array.from(run.hits);
  };

  const runs = new Map<string, Run>();
  /** The search for these words, begun or under way. One that nobody waits for ends when another begins. */
  const start = (key: string, task: SearchTask, isCancelled: () => boolean): Run => {
    const under = runs.get(key);
    if (under !== undefined) {
      under.waiting.add(isCancelled);
      return under;
    }
    const waiting = new Set([isCancelled]);
    const found: Pick<Run, 'hits' | 'early'> = { hits: [], early: new Set() };
    const wanted = () => waiting.size === 0 || [...waiting].some((cancelled) => !cancelled());
    const left = () => waiting.size === 0 && runs.size > 1;
    // Not at once: who begins it may want to hear of its first hits.
    const done = Promise.resolve().then(() => find(task, found, () => wanted() && !left()));
    const run: Run = { ...found, waiting, done };
    runs.set(key, run);
    void done
      .then(
        (hits) => {
          if (hits === null) return;
          results.set(key, hits);
          const [oldest] = results.keys();
          if (results.size > RESULTS_KEPT && oldest !== undefined) results.delete(oldest);
        },
        () => undefined,
      )
      .finally(() => runs.delete(key));
    return run;
  };

  const keyOf = ({ n, setId, loaded, terms }: Pick<SearchTask, 'n' | 'setId' | 'loaded' | 'terms'>) =>
    JSON.stringify([n, setId, loaded, terms]);
  const kept = (key: string): Uint32Array | null => {
    const hits = results.get(key);
    if (hits === undefined) return null;
    results.delete(key);
    results.set(key, hits);
    return hits;
  };
  const hitsOf = async (task: SearchTask, isCancelled: () => boolean): Promise<Uint32Array | null> => {
    const key = keyOf(task);
    const known = kept(key);
    if (known !== null) return known;
    const run = start(key, task, isCancelled);
    const hits = await run.done;
    run.waiting.delete(isCancelled);
    return hits;
  };

  /** The hits wanted, before they are all counted; null: it ended before. */
  const firstOf = async (task: SearchTask, isCancelled: () => boolean): Promise<Found | null> => {
    const run = start(keyOf(task), task, isCancelled);
    const enough = () => run.hits.length >= task.end;
    const first = await new Promise<boolean>((resolve) => {
      if (enough()) return resolve(true);
      run.early.add(() => {
        if (enough()) resolve(true);
        return enough();
      });
      void run.done.then(
        () => resolve(false),
        () => resolve(false),
      );
    });
    run.waiting.delete(isCancelled);
    if (!first || isCancelled()) return null;
    return {
      count: run.hits.length,
      counting: true,
      places: run.hits.slice(task.start, task.end),
      list: null,
    };
  };

  return {
    async run(task, isCancelled) {
      if (task.terms.length === 0) {
        const pause = async () => {
          await turn();
          await giveWay();
        };
        await look.build(task, async () => {
          await pause();
          return !isCancelled();
        });
        await find(task, { hits: [], early: new Set() }, () => !isCancelled(), pause);
        return { count: 0, counting: false, places: [], list: null };
      }
      if (task.early && task.end > 0 && kept(keyOf(task)) === null) {
        const first = await firstOf(task, isCancelled);
        if (first !== null) return first;
      }
      const hits = await hitsOf(task, isCancelled);
      if (hits === null) return null;
      return {
        count: hits.length,
        counting: false,
        places: [...hits.subarray(task.start, task.end)],
        list: task.list ? `[${hits.join(',')}]` : null,
      };
    },

    async look(task, isCancelled, begin) {
      if (!look.has(task)) return 'absent';
      let hits: Uint32Array | null = null;
      if (task.terms.length > 0) {
        hits = await hitsOf(
          { ...task, type: 'search', start: 0, end: 0, list: false, early: false },
          isCancelled,
        );
        if (hits === null) return 'unknown';
      }
      begin();
      const goesOn = async () => {
        await turn();
        return !isCancelled();
      };
      return (await look.answer(task, hits, goesOn)) ?? 'unknown';
    },

    forget(n) {
      look.forget(n);
      sets.delete(n);
      for (const key of [...results.keys()]) if (key.startsWith(`[${n},`)) results.delete(key);
    },
  };
}

/** The row that a byte is in; rows before `from` are past. */
function rowAt(starts: Uint32Array, at: number, from: number): number {
  if (at < starts[from + 1]!) return from;
  let low = from;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Terms as the words are: folded, without the signs between cells and rows. */
export const foldTerm = (term: string): string =>
  foldText(term).replaceAll(CELL, '').replaceAll('\u0002', '');
