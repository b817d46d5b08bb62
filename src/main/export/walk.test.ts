import { expect, test } from 'vitest';
import type { Context } from '../core/context.ts';
import type { SetRecord } from '../results/record.ts';
import type { SqlValue } from '../store/database.ts';
import type { ToWriter } from './protocol.ts';
import { walkRows } from './walk.ts';

const ROWS = 200_000;
const CTX = {
  cache: { scan: async (): Promise<SqlValue[][]> => [[new Uint8Array(8), 0, '8']] },
} as unknown as Context;
const RECORD = { n: 1, columns: [], widest: 1_000 } as unknown as SetRecord;
const SHAPE = { format: 'csv', choices: [], raw: true, clock: null } as const;
const STARTS = Array.from({ length: ROWS / 1_000 }, (_, index) => index * 1_000);

const startsOf = (sent: readonly ToWriter[]) =>
  sent.flatMap((message) => (message.type === 'chunk' ? [message.from] : []));

function walkWith(places: Promise<Uint32Array>, sent: ToWriter[]) {
  const order = { view: null, places, count: ROWS, loaded: ROWS };
  return walkRows(
    CTX,
    { record: RECORD, order, shape: SHAPE, signal: new AbortController().signal },
    async (message) => void sent.push(message),
    async () => undefined,
  );
}

test('rows are sent while their order is still read, and the walk ends when that is sent too', async () => {
  let know: (places: Uint32Array) => void = () => undefined;
  const places = new Promise<Uint32Array>((resolve) => {
    know = resolve;
  });
  const sent: ToWriter[] = [];
  let isOver = false;
  const walk = walkWith(places, sent).then(() => {
    isOver = true;
  });
  await expect.poll(() => startsOf(sent)).toEqual(STARTS);
  expect(isOver).toBe(false);
  know(new Uint32Array(ROWS));
  await walk;
  expect(startsOf(sent)).toEqual(STARTS);
  const positions = sent.flatMap((message) => (message.type === 'order' ? [message.positions.length] : []));
  expect(positions.reduce((sum, count) => sum + count, 0)).toBe(ROWS);
});

test('an order that cannot be read ends the walk at once, with its reason', async () => {
  const sent: ToWriter[] = [];
  const walk = walkWith(Promise.reject(new Error('the page is damaged')), sent);
  await expect(walk).rejects.toThrow('the page is damaged');
  expect(sent.length).toBeLessThan(10);
});
