import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cell, Sort } from '#shared/model/entities.ts';
import { THREADS } from '#tests/support/threads.ts';
import { localQuery } from '../../results/local-query.ts';
import { append, createStatements, newRecord, type SetRecord } from '../../results/record.ts';
import { createPool, type Pool } from '../../store/pool.ts';
import { keyOrder, listSql, listsOf, sampleSplitters } from './key-order.ts';
import { keysOf, partitionFinder, sortedOrder } from './keys.ts';

const ROWS = 4_500;
/** Wide enough to need many partitions. */
const WIDTH = 200_000;
const NAMES = [
  'Zoë',
  'anna',
  'ANNA',
  'Émile',
  'bert',
  '',
  '請求書',
  'Bert',
  'zoe',
  'ann',
  '𝒶',
  '\u{ff21}',
  'a\u{1}',
];
const NUMBERS = [
  0,
  -0,
  -1,
  1,
  0.1,
  -0.1,
  1e-300,
  -1e300,
  1e300,
  255,
  256,
  -256,
  2 ** 53,
  2 ** 53 + 2,
  1.5,
  12345678.9,
];
/** Integers that no double represents; SQLite keeps them exactly in a numeric column. */
const LARGE = [
  '9007199254740993',
  '9007199254740992',
  '9007199254740995',
  '9223372036854775807',
  '-9007199254740993',
  '9223372036854775806',
];
const itemAt = <T>(list: readonly T[], index: number): T => list[index % list.length]!;

const VALUES: Record<string, { type: string; multi?: boolean; value: (row: number) => Cell }> = {
  size: { type: 'number', value: (row) => (row % 11 === 0 ? null : (row * 7_919) % 997) },
  ratio: { type: 'number', value: (row) => (row % 7 === 0 ? null : itemAt(NUMBERS, row) * ((row % 3) - 1)) },
  large: { type: 'number', value: (row) => (row % 5 === 0 ? 2 ** 53 : itemAt(LARGE, row)) },
  odd: { type: 'number', value: (row) => (row % 3 === 0 ? `no ${row % 40}` : row % 17) },
  name: {
    type: 'text',
    value: (row) => (row % 13 === 0 ? null : `${itemAt(NAMES, row)}${row % 5 === 0 ? ' X' : ''}`),
  },
  subject: {
    type: 'text',
    value: (row) => `${'Re: '.repeat(row % 4)}${itemAt(NAMES, row)} no. ${(row * 7_919) % 100_003}`,
  },
  alike: { type: 'text', value: (row) => `${'x'.repeat(5_000)}${row % 2}` },
  same: { type: 'text', value: () => 'one' },
  none: { type: 'text', value: () => null },
  to: {
    type: 'text',
    multi: true,
    value: (row) => (row % 9 === 0 ? null : [itemAt(NAMES, row), `b${row % 30}`]),
  },
  received: {
    type: 'date',
    value: (row) => new Date(1_700_000_000_000 + ((row * 104_729) % 9_973) * 1_000).toISOString(),
  },
  read: { type: 'boolean', value: (row) => (row % 4 === 0 ? null : row % 3 === 0) },
  mixed: {
    type: 'whatever',
    value: (row) => itemAt([null, itemAt(NAMES, row), row % 50, itemAt(NUMBERS, row), true], row * 3),
  },
};

let folder: string;
let pool: Pool;
let record: SetRecord;
const signal = new AbortController().signal;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-keys-'));
  pool = await createPool({
    entry: THREADS.store,
    kind: 'cache',
    path: join(folder, 'cache.sqlite'),
    key: null,
    now: 0,
  });
  const columns = Object.entries(VALUES).map(([id, { type, multi }]) => ({
    id,
    label: id,
    type,
    multiValues: multi === true,
  }));
  const payload = { sort_by: [], include_copies: false } as unknown as SetRecord['payload'];
  const newest = newRecord({ n: 1, key: 'k1', connectionId: 'c', payload, columns, now: 0 });
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    entity_id: `e-${row}`,
    ...Object.fromEntries(Object.entries(VALUES).map(([id, { value }]) => [id, value(row)])),
  }));
  const { statements, change } = append(newest, rows);
  await pool.write([...createStatements(newest), ...statements]);
  record = Object.assign(newest, change, { state: 'complete' as const, bytes: ROWS * WIDTH });
});
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The order as SQLite sorts all rows at once. */
async function sorted(sort: readonly Sort[]): Promise<Uint32Array> {
  const { from, params, order } = localQuery(record, sort, null, { now: 0, hits: null });
  return pool.integers(`SELECT r.pos ${from} ORDER BY ${order}`, params);
}

async function keysBy(sort: readonly Sort[]) {
  const order = keyOrder(record, sort);
  const lists = order.values.map((value) => listSql(value.sql, value)).join(', ');
  const [row = []] = await pool.rows(`SELECT ${lists} FROM rs_1 r WHERE r.pos < ${ROWS}`);
  const rowIndexes = Uint32Array.from({ length: ROWS }, (_, index) => index);
  return { order, keys: keysOf(listsOf(row), order.descending, rowIndexes) };
}

const SORTS: Sort[][] = [
  ...Object.keys(VALUES).flatMap((dbId) => [
    [{ dbId, direction: 'asc' as const }],
    [{ dbId, direction: 'desc' as const }],
  ]),
  [
    { dbId: 'name', direction: 'asc' },
    { dbId: 'size', direction: 'desc' },
    { dbId: 'subject', direction: 'asc' },
  ],
  [
    { dbId: 'same', direction: 'desc' },
    { dbId: 'mixed', direction: 'desc' },
    { dbId: 'large', direction: 'asc' },
  ],
];

describe('keys', () => {
  it.each(SORTS)("put rows in SQLite's order: %o", async (...sort) => {
    const { keys } = await keysBy(sort);
    expect(sortedOrder(keys)).toEqual(await sorted(sort));
  });

  it('keep the digits of integers that no double represents', async () => {
    const [[text] = []] = await pool.rows(
      `SELECT DISTINCT CAST(c2 AS TEXT) AS text FROM rs_1 ORDER BY text DESC`,
    );
    expect(text).toBe('9223372036854775807');
  });

  it('of a missing column are refused', () => {
    expect(() => keyOrder(record, [{ dbId: 'nowhere', direction: 'asc' }])).toThrow('no column "nowhere"');
  });
});

describe('partitions', () => {
  it.each(SORTS)('are consecutive, and none is much larger than another: %o', async (...sort) => {
    const { order, keys } = await keysBy(sort);
    const splitters = await sampleSplitters(pool, record, order, signal);
    expect(splitters.length).toBeGreaterThan(50);
    const find = partitionFinder(splitters);
    const rows = await sorted(sort);
    const sizes = new Map<number, number>();
    let last = 0;
    for (const row of rows) {
      const partition = find(keys.bytes, keys.ends[row - 1] ?? 0, keys.ends[row]!);
      expect(partition).toBeGreaterThanOrEqual(last);
      last = partition;
      sizes.set(partition, (sizes.get(partition) ?? 0) + 1);
    }
    // Texts that differ only beyond the sampled characters cannot be split and share a partition.
    const most = sort[0]?.dbId === 'alike' ? ROWS : (3 * ROWS) / splitters.length;
    expect(Math.max(...sizes.values())).toBeLessThanOrEqual(most);
  });

  it('of few rows are one', async () => {
    const order = keyOrder(record, [{ dbId: 'size', direction: 'asc' }]);
    expect(await sampleSplitters(pool, { ...record, bytes: ROWS * 10 }, order, signal)).toEqual([]);
  });

  it('are not read for a cancelled caller', async () => {
    const order = keyOrder(record, [{ dbId: 'size', direction: 'asc' }]);
    const control = new AbortController();
    const reading = sampleSplitters(pool, record, order, control.signal);
    control.abort();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
  });
});
