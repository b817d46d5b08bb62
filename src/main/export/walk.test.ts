import { expect, test } from 'vitest';
import type { Context } from '../core/context.ts';
import type { SetRecord } from '../results/record.ts';
import type { SqlValue } from '../store/database.ts';
import type { ToWriter } from './protocol.ts';
import { walkRows } from './walk.ts';

const MB = 1024 * 1024;
const ROWS = 200_000;

/** Ranges of a set whose every thousand rows are a megabyte, by when they were read. */
function megabytes() {
  const read: number[] = [];
  const scan = async (_sql: string, params: { from: number; to: number }): Promise<SqlValue[][]> => {
    read.push(params.from);
    return [[new Uint8Array(MB), 0, '']];
  };
  return { read, ctx: { cache: { scan } } as unknown as Context };
}

const RECORD = { n: 1, columns: [], widest: 1_000 } as unknown as SetRecord;
const SHAPE = { format: 'csv', choices: [], raw: true, clock: null } as const;
/** Until nothing goes on any more without what is waited for. */
const still = () => new Promise((resolve) => setImmediate(resolve));

test('rows are rendered while their order is still read, up to 64 MB of them, and sent after it', async () => {
  const { read, ctx } = megabytes();
  let know: (places: Uint32Array) => void = () => undefined;
  const places = new Promise<Uint32Array>((resolve) => {
    know = resolve;
  });
  const sent: ToWriter[] = [];
  const order = { view: null, places, count: ROWS, loaded: ROWS };
  const walk = walkRows(
    ctx,
    { record: RECORD, order, shape: SHAPE, signal: new AbortController().signal },
    async (message) => void sent.push(message),
    async () => undefined,
  );
  await still();
  expect(sent).toEqual([]);
  expect(read.length).toBeGreaterThanOrEqual(64);
  expect(read.length).toBeLessThanOrEqual(64 + 3);
  know(new Uint32Array(ROWS));
  await walk;
  const kinds = sent.map(({ type }) => type);
  expect(kinds.lastIndexOf('order')).toBeLessThan(kinds.indexOf('chunk'));
  const starts = sent.flatMap((message) => (message.type === 'chunk' ? [message.from] : []));
  expect(starts).toEqual(Array.from({ length: ROWS / 1_000 }, (_, index) => index * 1_000));
});

test('an order that cannot be read ends the walk with its reason', async () => {
  const { ctx } = megabytes();
  const places = Promise.reject(new Error('the page is damaged'));
  const order = { view: null, places, count: ROWS, loaded: ROWS };
  const walk = walkRows(
    ctx,
    { record: RECORD, order, shape: SHAPE, signal: new AbortController().signal },
    async () => undefined,
    async () => undefined,
  );
  await expect(walk).rejects.toThrow('the page is damaged');
});
