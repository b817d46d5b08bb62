/**
 * Substring search over the words of result sets, in a thread of its own. The words of a set lie in blocks of memory,
 * folded, in UTF-8: a search is a scan of bytes (measured: docs/performance.md). Loads no schema library.
 */
import type Sqlite from 'better-sqlite3';
import { foldText } from '#shared/query/text.ts';
import type { Found, SearchTask, Storage } from '../store/tasks.ts';

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
}

interface Words {
  setId: string;
  blocks: (Block | null)[];
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

export interface Search {
  /** Rejects when `isCancelled` says so, at the next slice. */
  run(task: SearchTask, isCancelled: () => boolean): Promise<Found | null>;
}

export function createSearch(db: Sqlite.Database, budget: number = BUDGET): Search {
  const sets = new Map<number, Words>();
  const results = new Map<string, Uint32Array>();
  let turn = 0;

  const build = (task: SearchTask, block: number): Block => {
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
    if (row === rows - 1 || rows === 0) return { rows, bytes, starts };
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
    return { rows: lines.length, bytes: Buffer.concat(parts), starts };
  };

  const held = () => [...sets.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const wordsOf = (task: SearchTask): Words => {
    const known = sets.get(task.n);
    const words =
      known?.setId === task.setId ? known : { setId: task.setId, blocks: [], bytes: 0, usedAt: 0 };
    words.usedAt = ++turn;
    sets.set(task.n, words);
    return words;
  };
  const keep = (words: Words, index: number, block: Block) => {
    const size = block.bytes.length + block.starts.byteLength;
    const before = words.blocks[index];
    if (before !== null && before !== undefined)
      words.bytes -= before.bytes.length + before.starts.byteLength;
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
  const blockOf = (task: SearchTask, words: Words, index: number): Block => {
    const rows = Math.min(BLOCK, task.loaded - index * BLOCK);
    const known = words.blocks[index];
    if (known !== null && known !== undefined && known.rows >= rows) return known;
    const block = build(task, index);
    keep(words, index, block);
    return block;
  };

  /** Places of a block whose rows have every needle; the longest, the rarest most likely, is looked for first. */
  const scan = (block: Block, base: number, limit: number, needles: readonly Buffer[], out: number[]) => {
    const [first, ...others] = needles;
    if (first === undefined) return;
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

  const find = async (task: SearchTask, isCancelled: () => boolean): Promise<Uint32Array | null> => {
    const words = wordsOf(task);
    const needles = task.terms.map((term) => Buffer.from(term, 'utf8')).sort((a, b) => b.length - a.length);
    const hits: number[] = [];
    let since = performance.now();
    for (let index = 0; index * BLOCK < task.loaded; index++) {
      scan(blockOf(task, words, index), index * BLOCK, task.loaded - index * BLOCK, needles, hits);
      if (performance.now() - since < SLICE_MS) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      since = performance.now();
      if (isCancelled()) return null;
    }
    return Uint32Array.from(hits);
  };

  return {
    async run(task, isCancelled) {
      const key = JSON.stringify([task.n, task.setId, task.loaded, task.terms]);
      const hits = results.get(key) ?? (await find(task, isCancelled));
      if (hits === null) return null;
      results.delete(key);
      results.set(key, hits);
      const [oldest] = results.keys();
      if (results.size > RESULTS_KEPT && oldest !== undefined) results.delete(oldest);
      return {
        count: hits.length,
        places: [...hits.subarray(task.start, task.end)],
        list: task.list ? `[${hits.join(',')}]` : null,
      };
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
