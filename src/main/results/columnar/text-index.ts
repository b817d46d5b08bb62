/**
 * Substring search over the texts of result sets, in a separate thread. The texts are kept in memory in blocks of rows,
 * folded, as UTF-8, so a search is a byte scan (measured: docs/adr/0028-measured.md). Loads no schema library.
 */
import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { foldText } from '#shared/query/text.ts';
import type { ColumnQuery, ColumnReply, SearchResult, SearchTask, Storage } from '../../store/tasks.ts';
import { ColumnEngine } from './engine.ts';

/** Rows per block: block b starts at row index b * BLOCK. */
const BLOCK = 8_192;
/** Separators between cells and between rows of a block: no term contains them, so no match crosses them. */
const CELL = '\u0001';
const ROW = 2;
/** Limit of texts in memory in bytes, for all sets together; texts that do not fit are read again by each search. */
const BUDGET = 320 * 1024 * 1024;
/** Searches whose hits are cached. */
const CACHED_SEARCHES = 6;
/** How long a search runs before the thread handles its messages. */
const SLICE_MS = 25;

interface Block {
  rows: number;
  bytes: Buffer;
  /** Offset of each row in `bytes`, and of the end. */
  starts: Uint32Array;
  trigrams: Uint8Array;
}

/** The trigram filter of a block, kept even when its bytes are not. */
type BlockFilter = Pick<Block, 'rows' | 'trigrams'>;

interface SetTexts {
  setId: string;
  /** Null if not in memory for lack of room. */
  blocks: (Block | null)[];
  filters: (BlockFilter | undefined)[];
  bytes: number;
  usedAt: number;
}

/** Columns whose texts are searched. */
const isSearched = ({ storage }: { storage: Storage }) =>
  storage === 'text' || storage === 'json' || storage === 'any';

function textSql({ sql, storage }: { sql: string; storage: Storage }): string {
  if (storage === 'text') return sql;
  if (storage === 'any') return `CASE typeof(${sql}) WHEN 'text' THEN ${sql} END`;
  // Lists of texts as their items; anything nested as its JSON.
  return `CASE WHEN ${sql} = '[]' THEN NULL WHEN ${sql} GLOB '[[]"*"]' THEN replace(substr(${sql}, 3, length(${sql}) - 4), '","', '; ') ELSE ${sql} END`;
}

/** Size of a trigram filter: 32 KB for some 2 MB of text. */
const FILTER_BITS = 18;
const trigramOf = (a: number, b: number, c: number): number =>
  ((a << 10) ^ (b << 5) ^ c) & ((1 << FILTER_BITS) - 1);

/** One bit per sequence of three bytes in a block, so that searches can skip blocks without their terms. */
function trigramsOf(bytes: Buffer): Uint8Array {
  const trigrams = new Uint8Array(1 << (FILTER_BITS - 3));
  let a = bytes[0] ?? 0;
  let b = bytes[1] ?? 0;
  for (let offset = 2; offset < bytes.length; offset++) {
    const c = bytes[offset]!;
    const bit = trigramOf(a, b, c);
    trigrams[bit >> 3] = trigrams[bit >> 3]! | (1 << (bit & 7));
    a = b;
    b = c;
  }
  return trigrams;
}

/** False if the block cannot contain the needle. */
function mayContain({ trigrams }: BlockFilter, needle: Buffer): boolean {
  for (let index = 2; index < needle.length; index++) {
    const bit = trigramOf(needle[index - 2]!, needle[index - 1]!, needle[index]!);
    if ((trigrams[bit >> 3]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** The blocks of all sets, within the limit; the sets searched longest ago are evicted first. */
class TextBlocks {
  readonly #db: Sqlite.Database;
  readonly #budget: number;
  /** By table number. */
  readonly #sets = new Map<number, SetTexts>();
  #uses = 0;

  constructor(db: Sqlite.Database, budget: number) {
    this.#db = db;
    this.#budget = budget;
  }

  open({ n, setId }: SearchTask): SetTexts {
    const set = this.#sets.get(n);
    const texts = set?.setId === setId ? set : { setId, blocks: [], filters: [], bytes: 0, usedAt: 0 };
    texts.usedAt = ++this.#uses;
    this.#sets.set(n, texts);
    return texts;
  }

  forget(n: number): void {
    this.#sets.delete(n);
  }

  /** Null if none of its rows can be a hit; or, without needles, it was read before and did not fit. */
  get(task: SearchTask, texts: SetTexts, index: number, needles: readonly Buffer[]): Block | null {
    const rows = Math.min(BLOCK, task.loaded - index * BLOCK);
    const existingBlock = texts.blocks[index];
    if (existingBlock !== null && existingBlock !== undefined && existingBlock.rows >= rows)
      return existingBlock;
    const filter = texts.filters[index];
    const current = filter !== undefined && filter.rows >= rows ? filter : null;
    if (current !== null && (needles.length === 0 || !needles.every((needle) => mayContain(current, needle))))
      return null;
    const block = this.#read(task, index, current);
    texts.filters[index] = { rows: block.rows, trigrams: block.trigrams };
    this.#keep(texts, index, block);
    return block;
  }

  #keep(texts: SetTexts, index: number, block: Block): void {
    const sizeOf = ({ bytes, starts, trigrams }: Block) => bytes.length + starts.byteLength + trigrams.length;
    const size = sizeOf(block);
    const before = texts.blocks[index];
    if (before !== null && before !== undefined) texts.bytes -= sizeOf(before);
    texts.blocks[index] = null;
    const total = () => [...this.#sets.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    while (total() + size > this.#budget) {
      const [oldest] = [...this.#sets]
        .filter(([, other]) => other !== texts)
        .sort((a, b) => a[1].usedAt - b[1].usedAt);
      if (oldest === undefined) return;
      this.#sets.delete(oldest[0]);
    }
    texts.blocks[index] = block;
    texts.bytes += size;
  }

  #read(task: SearchTask, index: number, filter: BlockFilter | null): Block {
    const from = index * BLOCK;
    const to = Math.min(from + BLOCK, task.loaded);
    const cells = task.columns.filter(isSearched).map(textSql);
    const line = cells.length === 0 ? "''" : `concat_ws(char(1), ${cells.join(', ')})`;
    const rows = to - from;
    // One text for the whole block: a call per row would cost more than the text itself.
    const text = this.#db
      .prepare<unknown[], string | null>(
        `SELECT group_concat(line, char(2)) FROM (SELECT ${line} AS line FROM rs_${task.n} WHERE pos >= ? AND pos < ? ORDER BY pos)`,
      )
      .pluck()
      .get(from, to);
    const bytes = Buffer.from(foldText(text ?? ''), 'utf8');
    const starts = new Uint32Array(rows + 1);
    let row = 0;
    for (let position = bytes.indexOf(ROW); position !== -1; position = bytes.indexOf(ROW, position + 1)) {
      row++;
      if (row < rows) starts[row] = position + 1;
    }
    starts[rows] = bytes.length + 1;
    if (row === rows - 1 || rows === 0)
      return { rows, bytes, starts, trigrams: filter?.trigrams ?? trigramsOf(bytes) };
    return this.#readByRow(task, line, from, to);
  }

  /** For blocks with a cell that contains the row separator, which is replaced row by row. */
  #readByRow({ n }: SearchTask, line: string, from: number, to: number): Block {
    const lines = this.#db
      .prepare<unknown[], string>(`SELECT ${line} FROM rs_${n} WHERE pos >= ? AND pos < ? ORDER BY pos`)
      .pluck()
      .all(from, to);
    const parts = lines.map((text) =>
      Buffer.from(`${foldText(text).replaceAll('\u0002', ' ')}\u0002`, 'utf8'),
    );
    const starts = new Uint32Array(lines.length + 1);
    for (const [index, part] of parts.entries()) starts[index + 1] = starts[index]! + part.length;
    const bytes = Buffer.concat(parts);
    return { rows: lines.length, bytes, starts, trigrams: trigramsOf(bytes) };
  }
}

/**
 * Adds the indexes of a block's rows that contain every needle; `base` is the index of its first row, `limit`: rows to
 * examine. The first needle should be the longest, which is most likely the rarest.
 */
function scanBlock(block: Block, base: number, limit: number, needles: readonly Buffer[], hits: number[]) {
  const [first, ...others] = needles;
  if (first === undefined || !needles.every((needle) => mayContain(block, needle))) return;
  const { bytes, starts } = block;
  // Next occurrence of each other needle: rows only advance, so no byte is scanned twice for it.
  const next = others.map(() => -2);
  let row = 0;
  for (let position = bytes.indexOf(first); position !== -1; ) {
    row = rowAt(starts, position, row);
    if (row >= limit) return;
    const begin = starts[row]!;
    const end = starts[row + 1]!;
    let all = true;
    for (let other = 0; other < others.length && all; other++) {
      let position = next[other]!;
      if (position !== -1 && position < begin) {
        position = bytes.indexOf(others[other]!, begin);
        next[other] = position;
      }
      if (position === -1) return;
      all = position < end;
    }
    if (all) hits.push(base + row);
    position = bytes.indexOf(first, end);
    row++;
  }
}

/** The row that contains a byte offset, searching from row `from`. */
function rowAt(starts: Uint32Array, position: number, from: number): number {
  if (position < starts[from + 1]!) return from;
  let low = from;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A search in progress; requests for the same terms join it. */
interface RunningSearch {
  hits: number[];
  /** One per waiting request: whether it was cancelled. */
  waiting: Set<() => boolean>;
  /** Called after each block until they return true, for requests that want the first hits before the count. */
  early: Set<() => boolean>;
  done: Promise<Uint32Array | null>;
}

interface SearchOptions {
  /** Limit of texts in memory, in bytes. */
  budget?: number;
  /** Waits while others need the processor more. */
  giveWay?: () => Promise<void>;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const keyOf = ({ n, setId, loaded, terms }: Pick<SearchTask, 'n' | 'setId' | 'loaded' | 'terms'>) =>
  JSON.stringify([n, setId, loaded, terms]);

/** The search thread's answers: texts from the text index, everything else from the column engine. */
export class Search {
  readonly #blocks: TextBlocks;
  readonly #columns: ColumnEngine;
  readonly #giveWay: () => Promise<void>;
  readonly #hits = new LRUCache<string, Uint32Array>({ max: CACHED_SEARCHES });
  readonly #running = new Map<string, RunningSearch>();

  constructor(db: Sqlite.Database, { budget = BUDGET, giveWay = async () => undefined }: SearchOptions = {}) {
    this.#blocks = new TextBlocks(db, budget);
    this.#columns = new ColumnEngine(db);
    this.#giveWay = giveWay;
  }

  /** Returns null when `isCancelled`, checked at every time slice. */
  async run(task: SearchTask, isCancelled: () => boolean): Promise<SearchResult | null> {
    if (task.terms.length === 0) return this.#makeReady(task, isCancelled);
    const key = keyOf(task);
    if (task.early && task.end > 0 && !this.#hits.has(key)) {
      const first = await this.#firstHits(key, task, isCancelled);
      if (first !== null) return first;
    }
    const hits = await this.#allHits(key, task, isCancelled);
    if (hits === null) return null;
    return {
      count: hits.length,
      counting: false,
      rowIndexes: [...hits.subarray(task.start, task.end)],
      list: task.list ? `[${hits.join(',')}]` : null,
    };
  }

  /** `begin` is called when the terms were found and the columns are queried. */
  async askColumns(query: ColumnQuery, isCancelled: () => boolean, begin: () => void): Promise<ColumnReply> {
    if (!this.#columns.has(query)) return 'absent';
    let hits: Uint32Array | null = null;
    if (query.terms.length > 0) {
      const task = { ...query, type: 'search', start: 0, end: 0, list: false, early: false } as const;
      hits = await this.#allHits(keyOf(task), task, isCancelled);
      if (hits === null) return 'unanswerable';
    }
    begin();
    const goesOn = async () => {
      await turn();
      return !isCancelled();
    };
    return (await this.#columns.answer(query, hits, goesOn)) ?? 'unanswerable';
  }

  forget(n: number): void {
    this.#columns.forget(n);
    this.#blocks.forget(n);
    for (const key of [...this.#hits.keys()]) if (key.startsWith(`[${n},`)) this.#hits.delete(key);
  }

  /** Loads the columns and texts of a set into memory. */
  async #makeReady(task: SearchTask, isCancelled: () => boolean): Promise<SearchResult> {
    const pause = async () => {
      await turn();
      await this.#giveWay();
    };
    await this.#columns.build(task, async () => {
      await pause();
      return !isCancelled();
    });
    await this.#find(task, { hits: [], early: new Set() }, () => !isCancelled(), pause);
    return { count: 0, counting: false, rowIndexes: [], list: null };
  }

  async #find(
    task: SearchTask,
    { hits, early }: Pick<RunningSearch, 'hits' | 'early'>,
    goesOn: () => boolean,
    pause: () => Promise<void> = turn,
  ): Promise<Uint32Array | null> {
    const texts = this.#blocks.open(task);
    const needles = task.terms.map((term) => Buffer.from(term, 'utf8')).sort((a, b) => b.length - a.length);
    let since = performance.now();
    for (let index = 0; index * BLOCK < task.loaded; index++) {
      const block = this.#blocks.get(task, texts, index, needles);
      if (block !== null) scanBlock(block, index * BLOCK, task.loaded - index * BLOCK, needles, hits);
      const more = (index + 1) * BLOCK < task.loaded;
      const answered = more && [...early].filter((answer) => answer() && early.delete(answer)).length > 0;
      if (!answered && performance.now() - since < SLICE_MS) continue;
      await pause();
      since = performance.now();
      if (!goesOn()) return null;
    }
    return Uint32Array.from(hits);
  }

  /** Joins the search for these terms, or starts it. An abandoned search ends when another starts. */
  #join(key: string, task: SearchTask, isCancelled: () => boolean): RunningSearch {
    const existingSearch = this.#running.get(key);
    if (existingSearch !== undefined) {
      existingSearch.waiting.add(isCancelled);
      return existingSearch;
    }
    const waiting = new Set([isCancelled]);
    const foundSearch: Pick<RunningSearch, 'hits' | 'early'> = { hits: [], early: new Set() };
    const isWanted = () => waiting.size === 0 || [...waiting].some((cancelled) => !cancelled());
    const isAbandoned = () => waiting.size === 0 && this.#running.size > 1;
    // Deferred, so that the caller can register for its first hits.
    const running = Promise.resolve().then(() =>
      this.#find(task, foundSearch, () => isWanted() && !isAbandoned()),
    );
    const search: RunningSearch = { ...foundSearch, waiting, done: running };
    this.#running.set(key, search);
    void running
      .then(
        (hits) => hits !== null && this.#hits.set(key, hits),
        () => undefined,
      )
      .finally(() => this.#running.delete(key));
    return search;
  }

  async #allHits(key: string, task: SearchTask, isCancelled: () => boolean): Promise<Uint32Array | null> {
    const cached = this.#hits.get(key);
    if (cached !== undefined) return cached;
    const search = this.#join(key, task, isCancelled);
    const hits = await search.done;
    search.waiting.delete(isCancelled);
    return hits;
  }

  /** The first hits, before all are counted, or null if the search ended before there were as many. */
  async #firstHits(key: string, task: SearchTask, isCancelled: () => boolean): Promise<SearchResult | null> {
    const search = this.#join(key, task, isCancelled);
    const isEnough = () => search.hits.length >= task.end;
    const first = await new Promise<boolean>((resolve) => {
      if (isEnough()) return resolve(true);
      search.early.add(() => {
        if (isEnough()) resolve(true);
        return isEnough();
      });
      void search.done.then(
        () => resolve(false),
        () => resolve(false),
      );
    });
    search.waiting.delete(isCancelled);
    if (!first || isCancelled()) return null;
    const rowIndexes = search.hits.slice(task.start, task.end);
    return { count: search.hits.length, counting: true, rowIndexes, list: null };
  }
}

/** A term in the form of the texts: folded, without cell and row separators. */
export const foldTerm = (term: string): string =>
  foldText(term).replaceAll(CELL, '').replaceAll('\u0002', '');
