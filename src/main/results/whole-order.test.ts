import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sort } from '#shared/model/entities.ts';
import { createPool, type Pool } from '../store/pool.ts';
import { localQuery } from './local-query.ts';
import { orderTask } from './looking.ts';
import { append, createStatements, newRecord, type SetRecord } from './record.ts';
import { wholeOrder } from './whole-order.ts';

/** Too few for columns: SQLite sorts. */
const ROWS = 4_900;
/** Enough for an order to be read from its columns. */
const MANY = 9_000;
const RANGE = 700;
const NAMES = ['Zoë', 'anna', 'ANNA', 'Émile', 'bert', '', '請求書', 'Bert', 'zoe'];
const rowOf = (at: number) => ({
  entity_id: `e-${at}`,
  // Many alike, some missing.
  size: at % 11 === 0 ? null : (at * 7_919) % 997,
  name: at % 13 === 0 ? null : `${NAMES[at % NAMES.length]} ${at % 5}`,
  same: 'one',
  none: null,
  // Another one for nearly every row: too many for a column in memory.
  subject: at % 17 === 0 ? null : `${NAMES[at % NAMES.length]} no. ${(at * 7_919) % 100_003}`,
});

let folder: string;
let pool: Pool;
let record: SetRecord;
let large: SetRecord;

async function fill(n: number, count: number): Promise<SetRecord> {
  const columns = ['size', 'name', 'same', 'none', 'subject'].map((id) => ({
    id,
    label: id,
    type: id === 'size' ? 'number' : 'text',
    multiValues: false,
  }));
  const payload = { sort_by: [], include_copies: false } as unknown as SetRecord['payload'];
  const made = newRecord(n, `k${n}`, 'c', payload, columns, 0);
  const { statements, change } = append(
    made,
    Array.from({ length: count }, (_, at) => rowOf(at)),
  );
  await pool.write([...createStatements(made), ...statements]);
  return Object.assign(made, change, { state: 'complete' as const });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-order-'));
  pool = await createPool({
    entry: new URL('../store/worker.ts', import.meta.url),
    kind: 'cache',
    path: join(folder, 'cache.sqlite'),
    key: null,
    now: 0,
  });
  record = await fill(1, ROWS);
  large = await fill(2, MANY);
});
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const order = (sort: readonly Sort[], range?: number, signal = new AbortController().signal) =>
  wholeOrder(pool, record, sort, 0, signal, range);

describe('an order of all rows, a range at a time', () => {
  it.each<Sort[]>([
    [{ dbId: 'size', direction: 'asc' }],
    [{ dbId: 'size', direction: 'desc' }],
    [
      { dbId: 'name', direction: 'asc' },
      { dbId: 'size', direction: 'desc' },
    ],
    [{ dbId: 'name', direction: 'desc' }],
    [
      { dbId: 'same', direction: 'desc' },
      { dbId: 'size', direction: 'asc' },
    ],
    [{ dbId: 'none', direction: 'asc' }],
  ])('is that of one sort over all of them: %o', async (...sort) => {
    const { places, loaded } = await order(sort, RANGE);
    expect(loaded).toBe(ROWS);
    expect(places).toEqual((await order(sort)).places);
    expect(new Set(places).size).toBe(ROWS);
  });

  it('puts small before large, and missing values last in both directions', async () => {
    const sizes = async (direction: 'asc' | 'desc') =>
      [...(await order([{ dbId: 'size', direction }], RANGE)).places].map((at) => rowOf(at).size);
    const here = Array.from({ length: ROWS }, (_, at) => rowOf(at).size).filter((size) => size !== null);
    const missing = Array.from({ length: ROWS - here.length }, () => null);
    here.sort((a, b) => a - b);
    expect(await sizes('asc')).toEqual([...here, ...missing]);
    expect(await sizes('desc')).toEqual([...here.reverse(), ...missing]);
  });

  it('ends when it is cancelled', async () => {
    const control = new AbortController();
    const going = order([{ dbId: 'name', direction: 'asc' }], RANGE, control.signal);
    control.abort();
    await expect(going).rejects.toMatchObject({ code: 'cancelled' });
  });
});

/** What SQLite says of all rows at once. */
async function sorted(sort: readonly Sort[]): Promise<Uint32Array> {
  const { from, params, order: by } = localQuery(large, sort, null, { now: 0, hits: null });
  return pool.places(`SELECT r.pos ${from} ORDER BY ${by}`, params);
}

describe('an order of all rows from its columns', () => {
  it.each<Sort[]>([
    [{ dbId: 'size', direction: 'desc' }],
    [
      { dbId: 'name', direction: 'asc' },
      { dbId: 'size', direction: 'desc' },
    ],
    [{ dbId: 'none', direction: 'asc' }],
  ])('is read without a sort of SQLite, and is the same: %o', async (...sort) => {
    const expected = await sorted(sort);
    expect(await pool.scanOrder(orderTask(large, sort))).toEqual(expected);
    const { places, loaded } = await wholeOrder(pool, large, sort, 0, new AbortController().signal);
    expect(places).toEqual(expected);
    expect(loaded).toBe(MANY);
  });

  it('is left to SQLite where a column has too many different values', async () => {
    const sort: Sort[] = [{ dbId: 'subject', direction: 'desc' }];
    expect(await pool.scanOrder(orderTask(large, sort))).toBeNull();
    const { places } = await wholeOrder(pool, large, sort, 0, new AbortController().signal);
    expect(places).toEqual(await sorted(sort));
  });

  it('ends when it is cancelled, and by a column that is not there', async () => {
    const control = new AbortController();
    const going = wholeOrder(pool, large, [{ dbId: 'size', direction: 'asc' }], 0, control.signal);
    control.abort();
    await expect(going).rejects.toMatchObject({ code: 'cancelled' });
    const unknown: Sort[] = [{ dbId: 'nowhere', direction: 'asc' }];
    await expect(wholeOrder(pool, large, unknown, 0, new AbortController().signal)).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });
});
