/** The rows of a set on their way to the writer, in order, at constant memory. SQLite renders them in the reader workers. */
import { cancelled } from '#shared/bridge/errors.ts';
import { MARKS, selection } from '../results/encode.ts';
import type { Rows } from '../results/leases.ts';
import { FACT_BITS, type TextFacts } from '../results/text-facts.ts';
import type { SqlValue } from '../store/database.ts';
import { byRank, bySet, type Choice, chunkSql, type Shape } from './chunk-sql.ts';
import type { ToWriter } from './protocol.ts';
import { type KeyOrder, listsOf, readCuts } from './sort/key-order.ts';

/** Rows of a message, which costs three threads as much as some hundred rows. */
const CHUNK_ROWS = 4_000;
/** Of a workbook fewer: its writer has the chunk several times over while it makes XML of it. */
const SHEET_CHUNK_ROWS = 1_000;
/** A chunk of the widest rows stays below this. */
const CHUNK_CHARACTERS = 16 * 1024 * 1024;
/** Chunks rendered at once: one per reader, and one that waits, so that no reader idles while one is written. */
const AHEAD = 3;
/** Below this many rows, reading one by one through the rank is as fast as sorting what is read in order. */
const SCATTER_FROM = 20_000;
/** Of an order that leaves more rows out than this, only its own rows are read. */
const SCATTER_SHARE = 0.4;
const ORDER_ROWS = 50_000;

export interface Order {
  /** Its rank table; null: the set's own order, or that of `keys`. */
  view: number | null;
  /** An order of all rows that has no table. */
  keys: KeyOrder | null;
  /** Rows to write. */
  count: number;
  /** Rows of the set that the order is over. */
  loaded: number;
}

/** Whether the rows are read in the order of the set and put in their own by the writer. */
export const isScattered = ({ view, keys, count, loaded }: Order): boolean =>
  keys !== null || (view !== null && count >= SCATTER_FROM && count >= loaded * SCATTER_SHARE);

/** An order of all of so many rows needs no table: every row says where it goes. */
export const walksByKeys = (rows: number): boolean => rows >= SCATTER_FROM;

/** The choices with what is known of their columns, and whether the rows were marked by this version's rules. */
export async function known(
  { record, db }: Rows,
  choices: readonly Choice[],
): Promise<Pick<Shape, 'choices' | 'marked'>> {
  const facts = await db.get<Record<keyof TextFacts, number | null> & { marks: number }>(
    'SELECT escapes, gaps, marks FROM result_sets WHERE id = ?',
    [record.id],
  );
  const may = (mask: number | null | undefined, index: number) => {
    if (mask == null || index < 0 || index >= FACT_BITS) return true;
    return Math.floor(mask / 2 ** index) % 2 === 1;
  };
  return {
    choices: choices.map((choice) => ({
      ...choice,
      escapes: may(facts?.escapes, choice.index),
      gaps: may(facts?.gaps, choice.index),
    })),
    marked: facts?.marks === MARKS,
  };
}

/** Sends the positions of an order by ranks, a part at a time. */
async function sendRanks({ db }: Rows, { view, count }: Order, send: Send): Promise<void> {
  for (let from = 0; from < count; from += ORDER_ROWS) {
    const to = Math.min(from + ORDER_ROWS, count);
    const positions = await db.scanIntegers(
      `SELECT pos FROM rv_${view} WHERE rank > ? AND rank <= ? ORDER BY rank`,
      [from, to],
    );
    await send({ type: 'order', part: { positions } });
  }
}

/** Sends the keys at which the buckets of an order by keys begin. */
async function sendCuts(
  { db, record }: Rows,
  keys: KeyOrder,
  signal: AbortSignal,
  send: Send,
): Promise<void> {
  await send({ type: 'order', part: { cuts: await readCuts(db, record, keys, signal) } });
}

type Send = (message: ToWriter) => Promise<void>;

/** Sends every row; `sent` is called after each chunk with the rows so far, and holds the walk back while paused. */
export async function walkRows(
  { rows, order, shape, signal }: { rows: Rows; order: Order; shape: Shape; signal: AbortSignal },
  send: Send,
  sent: (rows: number) => Promise<void>,
): Promise<void> {
  const { record, db } = rows;
  const scattered = isScattered(order);
  const source = order.view === null || scattered ? bySet(record.n) : byRank(record.n, order.view);
  const end = scattered ? order.loaded : order.count;
  const sql = chunkSql(source, shape, scattered ? (order.keys?.values ?? []) : null);
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
  // Beside the rows: what comes before its ranks waits in the writer's working file.
  let failed = false;
  const ordering =
    order.keys !== null
      ? sendCuts(rows, order.keys, signal, send)
      : scattered
        ? sendRanks(rows, order, send)
        : Promise.resolve();
  ordering.catch(() => {
    failed = true;
  });
  const ahead: Promise<ToWriter>[] = [];
  let asked = 0;
  let done = 0;
  const ask = () => {
    while (ahead.length < AHEAD && asked < end) {
      const chunk = render(asked);
      // Awaited in order below; a later one that fails first must not count as unhandled.
      chunk.catch(() => undefined);
      ahead.push(chunk);
      asked += step;
    }
  };
  ask();
  // Rows that have keys go by them; the first are rendered meanwhile.
  if (order.keys !== null) await ordering;
  for (; ahead.length > 0 && !failed; ask()) {
    const message = await ahead.shift()!;
    if (signal.aborted) throw cancelled();
    await send(message);
    done = Math.min(done + step, end);
    await sent(done);
  }
  await ordering;
}
