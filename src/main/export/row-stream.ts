/** Streams the rows of a set to the writer in order, at constant memory. SQLite renders them in the reader threads. */
import { cancelled } from '#shared/bridge/errors.ts';
import { selection } from '../results/encode.ts';
import type { Rows } from '../results/leases.ts';
import { FACT_BITS, type TextFacts } from '../results/text-facts.ts';
import type { SqlValue } from '../store/database.ts';
import { type Choice, chunkSql, inSetOrder, inSortOrder, type Shape } from './chunk-sql.ts';
import type { ToWriter } from './protocol.ts';
import { type KeyOrder, listsOf, sampleSplitters } from './sort/key-order.ts';

/** Rows per message: passing one costs three threads as much as a few hundred rows. */
const CHUNK_ROWS = 4_000;
/** Fewer for a workbook, whose writer holds several copies of a chunk while it builds the XML. */
const SHEET_CHUNK_ROWS = 1_000;
/** Keeps a chunk of the widest rows below this size. */
const CHUNK_CHARACTERS = 16 * 1024 * 1024;
/** Chunks rendered at once: one per reader and one in reserve, so that no reader idles while a chunk is written. */
const AHEAD = 3;
/**
 * Below this many rows, random reads through the sort index are as fast as sorting rows that were read sequentially.
 */
const WRITER_SORT_FROM = 20_000;
/** When the order covers a smaller share of the set than this, only the rows it covers are read. */
const WRITER_SORT_SHARE = 0.4;
const ORDER_ROWS = 50_000;

export interface Order {
  /** Number of its sort index; null for the order of arrival or that of `keys`. */
  sortIndex: number | null;
  /** Sort keys, for an order of all rows that has no sort index. */
  keys: KeyOrder | null;
  /** Rows to write. */
  count: number;
  /** Rows of the set when the order was fixed. */
  loaded: number;
}

/** Whether rows are read in set order and sorted by the writer. */
export const isSortedByWriter = ({ sortIndex, keys, count, loaded }: Order): boolean =>
  keys !== null || (sortIndex !== null && count >= WRITER_SORT_FROM && count >= loaded * WRITER_SORT_SHARE);

/** Sorting all of that many rows needs no sort index: every row carries its sort key. */
export const sortsByKeys = (rows: number): boolean => rows >= WRITER_SORT_FROM;

/** Adds what is known about each column's texts. */
export async function withFacts(
  { record, db }: Rows,
  choices: readonly Choice[],
): Promise<Pick<Shape, 'choices'>> {
  const facts = await db.get<Record<keyof TextFacts, number | null>>(
    'SELECT escapes, gaps FROM result_sets WHERE id = ?',
    [record.id],
  );
  const may = (mask: number | null | undefined, index: number) => {
    if (mask == null || index < 0 || index >= FACT_BITS) return true;
    return Math.floor(mask / 2 ** index) % 2 === 1;
  };
  return {
    choices: choices.map((choice) => ({
      ...choice,
      escapes: choice.words !== undefined || may(facts?.escapes, choice.index),
      gaps: may(facts?.gaps, choice.index),
    })),
  };
}

/** Sends the row indexes of a sort index, one part at a time. */
async function sendSortIndex({ db }: Rows, { sortIndex, count }: Order, send: Send): Promise<void> {
  for (let from = 0; from < count; from += ORDER_ROWS) {
    const to = Math.min(from + ORDER_ROWS, count);
    const positions = await db.scanIntegers(
      `SELECT pos FROM rv_${sortIndex} WHERE rank > ? AND rank <= ? ORDER BY rank`,
      [from, to],
    );
    await send({ type: 'order', part: { rowIndexes: positions } });
  }
}

/** Sends the splitters of an order by sort keys. */
async function sendSplitters(
  { db, record }: Rows,
  keys: KeyOrder,
  signal: AbortSignal,
  send: Send,
): Promise<void> {
  await send({ type: 'order', part: { splitters: await sampleSplitters(db, record, keys, signal) } });
}

type Send = (message: ToWriter) => Promise<void>;

/** Sends every row. `sent` is awaited after each chunk with the rows so far, so that a paused job pauses the stream. */
export async function streamRows(
  { rows, order, shape, signal }: { rows: Rows; order: Order; shape: Shape; signal: AbortSignal },
  send: Send,
  sent: (rows: number) => Promise<void>,
): Promise<void> {
  const { record, db } = rows;
  const sortedByWriter = isSortedByWriter(order);
  const source =
    order.sortIndex === null || sortedByWriter
      ? inSetOrder(record.n)
      : inSortOrder(record.n, order.sortIndex);
  const end = sortedByWriter ? order.loaded : order.count;
  const sql = chunkSql(source, shape, sortedByWriter ? (order.keys?.values ?? []) : null);
  const most = shape.format === 'xlsx' ? SHEET_CHUNK_ROWS : CHUNK_ROWS;
  const step = Math.max(1, Math.min(most, Math.floor(CHUNK_CHARACTERS / (record.widest + 1))));
  const render = async (from: number): Promise<ToWriter> => {
    const to = Math.min(from + step, end);
    const [row = []] = await db.scan(sql, { from, to }, { signal });
    const [bytes, odd, lengths, ...lists] = row;
    const keys = listsOf(lists);
    if (odd === 0 && bytes instanceof Uint8Array)
      return {
        type: 'chunk',
        from,
        count: to - from,
        bytes,
        lengths: typeof lengths === 'string' ? lengths : null,
        keys,
      };
    const read: SqlValue[][] = await db.scan(
      `SELECT ${selection(record.columns, 'r')} ${source.from}`,
      { from, to },
      { signal },
    );
    return { type: 'rows', from, rows: read, keys };
  };
  // Runs in parallel with the rows: those that arrive before their order wait in the writer's spill file.
  let failed = false;
  const ordering =
    order.keys !== null
      ? sendSplitters(rows, order.keys, signal, send)
      : sortedByWriter
        ? sendSortIndex(rows, order, send)
        : Promise.resolve();
  ordering.catch(() => {
    failed = true;
  });
  const ahead: Promise<ToWriter>[] = [];
  let next = 0;
  let rendered = 0;
  const ask = () => {
    while (ahead.length < AHEAD && next < end) {
      const chunk = render(next);
      // Awaited in order below; a later chunk that fails first must not count as an unhandled rejection.
      chunk.catch(() => undefined);
      ahead.push(chunk);
      next += step;
    }
  };
  ask();
  // The writer needs the splitters before the first row; chunks are rendered meanwhile.
  if (order.keys !== null) await ordering;
  for (; ahead.length > 0 && !failed; ask()) {
    const message = await ahead.shift();
    if (message === undefined) break;
    if (signal.aborted) throw cancelled();
    await send(message);
    rendered = Math.min(rendered + step, end);
    await sent(rendered);
  }
  await ordering;
}
