import { expect, test } from 'vitest';
import type { SetRecord } from '../results/record.ts';
import type { SqlValue } from '../store/database.ts';
import type { ResultStore } from '../store/tasks.ts';
import type { ToWriter } from './protocol.ts';
import { type Order, streamRows } from './row-stream.ts';

const ROWS = 200_000;
const RECORD = { n: 1, columns: [], widest: 1_000, bytes: ROWS * 400, loaded: ROWS } as unknown as SetRecord;
const SHAPE = { format: 'csv', choices: [], raw: true, clock: null } as const;
/** Counts the rows sent, and checks that none is missing or repeated. */
function rowsOf(sent: readonly ToWriter[]): number {
  let rows = 0;
  for (const message of sent) {
    if (message.type !== 'chunk') continue;
    expect(message.from).toBe(rows);
    rows += message.count;
  }
  return rows;
}

/** `answers`: when the order query resolves, whichever way the order is read. */
function streamWith(order: Pick<Order, 'sortIndex' | 'keys'>, answers: Promise<void>, sent: ToWriter[]) {
  const db = {
    scan: async (): Promise<SqlValue[][]> => [[new Uint8Array(8), 0, '8', '[1]']],
    scanIntegers: async (_: string, [from, to]: readonly [number, number]) => {
      await answers;
      return new Uint32Array(to - from);
    },
    rows: async (_: string, [id]: readonly [string]): Promise<SqlValue[][]> => {
      await answers;
      return [[id, id]];
    },
  };
  return streamRows(
    {
      rows: { record: RECORD, db: db as unknown as ResultStore },
      order: { ...order, count: ROWS, loaded: ROWS },
      shape: SHAPE,
      signal: new AbortController().signal,
    },
    async (message) => void sent.push(message),
    async () => undefined,
  );
}

const BY_SORT_INDEX = { sortIndex: 1, keys: null };
const BY_KEYS: Pick<Order, 'sortIndex' | 'keys'> = {
  sortIndex: null,
  keys: { by: 'keys', descending: [false], values: [{ sql: 'r.c0', texts: false }] },
};

test('rows are sent while their sort index is still being read, and the stream ends once both are sent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent: ToWriter[] = [];
  let isOver = false;
  const stream = streamWith(BY_SORT_INDEX, promise, sent).then(() => {
    isOver = true;
  });
  await expect.poll(() => rowsOf(sent)).toBe(ROWS);
  expect(isOver).toBe(false);
  resolve();
  await stream;
  expect(rowsOf(sent)).toBe(ROWS);
  const positions = sent.flatMap((message) =>
    message.type === 'order' && 'rowIndexes' in message.part ? [message.part.rowIndexes.length] : [],
  );
  expect(positions.reduce((sum, count) => sum + count, 0)).toBe(ROWS);
});

test('rows with keys are sent after the splitters, and each brings its own key', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent: ToWriter[] = [];
  const stream = streamWith(BY_KEYS, promise, sent);
  resolve();
  await stream;
  const [first, ...others] = sent;
  expect(first?.type === 'order' && 'splitters' in first.part && first.part.splitters.length).toBeGreaterThan(
    1,
  );
  expect(rowsOf(others)).toBe(ROWS);
  expect(others.every((message) => message.type === 'chunk' && message.keys[0] === '[1]')).toBe(true);
});

test.each([BY_SORT_INDEX, BY_KEYS])(
  'an unreadable order ends the stream at once, with its reason',
  async (order) => {
    const sent: ToWriter[] = [];
    const stream = streamWith(order, Promise.reject(new Error('the page is damaged')), sent);
    await expect(stream).rejects.toThrow('the page is damaged');
    expect(sent.length).toBeLessThan(10);
  },
);
