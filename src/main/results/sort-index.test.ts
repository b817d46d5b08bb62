import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { THREADS } from '#tests/support/threads.ts';
import { createPool, type Pool } from '../store/pool.ts';
import type { ResultStore } from '../store/tasks.ts';
import { createLeases, type Leases, type RowLease } from './leases.ts';
import { append, createStatements, dropStatements, newRecord, type SetRecord } from './record.ts';
import { SortedRows } from './sorted-rows.ts';

/** More than two slices of a sort index. */
const ROWS = 45_000;
const SORT = [{ dbId: 'size', direction: 'desc' }] as const;
const sizeOf = (index: number) => (index * 7_919) % 10_007;

let folder: string;
let pool: Pool;
let record: SetRecord;
let leases: Leases;
let rows: RowLease;
let sorted: SortedRows;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-index-'));
  pool = await createPool({
    entry: THREADS.store,
    kind: 'cache',
    path: join(folder, 'cache.sqlite'),
    key: null,
    now: 0,
  });
  const columns = [
    { id: 'size', label: 'Size', type: 'number', multiValues: false },
    { id: 'odd', label: 'Odd', type: 'boolean', multiValues: false },
  ];
  const payload = { sort_by: [], include_copies: false } as unknown as SetRecord['payload'];
  record = newRecord({ n: 1, key: 'k', connectionId: 'c', payload, columns, now: 0 });
  const unsorted = Array.from({ length: ROWS }, (_, index) => ({
    entity_id: `e-${index}`,
    size: sizeOf(index),
    odd: index % 2 === 1,
  }));
  const { statements, change } = append(record, unsorted);
  await pool.write([...createStatements(record), ...statements]);
  Object.assign(record, change, { state: 'complete' });
  leases = createLeases(
    () => pool,
    (n) => pool.write(dropStatements([{ n }], sorted.forget(n))).then(() => undefined),
  );
  rows = leases.take(record);
  sorted = new SortedRows(() => pool, { now: () => 0, ticks: () => 0 }, leases);
});
afterEach(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const expected = Array.from({ length: ROWS }, (_, index) => index).sort(
  (a, b) => sizeOf(b) - sizeOf(a) || a - b,
);
const idsOf = (rows: readonly (readonly unknown[])[]) => rows.map(([id]) => id);
const tables = () => pool.all("SELECT name FROM sqlite_schema WHERE name GLOB 'rv_*'");

describe('sort indexes', () => {
  it('hold the whole order, written in slices', async () => {
    const held = await sorted.lease(rows, SORT, null);
    expect(held).toMatchObject({ count: ROWS, loaded: ROWS });
    expect(await pool.integers(`SELECT pos FROM rv_${held.n} ORDER BY rank`)).toEqual(
      Uint32Array.from(expected),
    );
    held.release();
  });

  it('count a filter and page through it', async () => {
    const filter = { text: '', facets: { odd: [true] } };
    const odd = expected.filter((row) => row % 2 === 1).map((row) => `e-${row}`);
    const first = await sorted.slice(rows, 0, 50, SORT, filter);
    expect(first.count).toBe(odd.length);
    expect(idsOf(first.rows)).toEqual(odd.slice(0, 50));
    const far = await sorted.slice(rows, 20_000, 20_010, SORT, filter);
    expect(idsOf(far.rows)).toEqual(odd.slice(20_000, 20_010));
  });

  it('let other writes run between their slices', async () => {
    const order: string[] = [];
    let other: Promise<unknown> | null = null;
    const watched: ResultStore = {
      ...pool,
      async write(statements, options) {
        const written = pool.write(statements, options);
        // Requested when the first slice is being written.
        other ??= pool.write([]).then(() => order.push('other'));
        const answer = await written;
        order.push('slice');
        return answer;
      },
    };
    const sliced = new SortedRows(() => watched, { now: () => 0, ticks: () => 0 }, leases);
    (await sliced.lease({ record, db: watched }, SORT, null)).release();
    await other;
    expect(order).toEqual(['slice', 'other', 'slice', 'slice']);
  });

  it('stay readable together with their rows while leased, and are removed with the last lease', async () => {
    const lease = leases.take(record);
    const page = sorted.slice(lease, 30_000, 30_005, SORT, null);
    const going = leases.retire(record.n);
    sorted.abandon(record.n, true);
    expect(idsOf((await page).rows)).toEqual(expected.slice(30_000, 30_005).map((row) => `e-${row}`));
    const held = await sorted.lease(lease, SORT, null);
    lease.release();
    held.release();
    expect(await tables()).toHaveLength(1);
    rows.release();
    await going;
    expect(await pool.all("SELECT name FROM sqlite_schema WHERE name GLOB 'r[sv]_*'")).toEqual([]);
    expect(await pool.all('SELECT n FROM result_views')).toEqual([]);
  });

  it('are never built for an order that was replaced at once', async () => {
    const first = { dbId: 'size', direction: 'asc' } as const;
    const directions = new Set<'falling' | 'rising'>();
    const watched: ResultStore = {
      ...pool,
      askColumns(task, options) {
        if (task.want.kind === 'order') directions.add(task.sort[0]?.descending ? 'falling' : 'rising');
        return pool.askColumns(task, options);
      },
      integers(sql, params, options) {
        directions.add(sql.includes('DESC') ? 'falling' : 'rising');
        return pool.integers(sql, params, options);
      },
    };
    const changed = new SortedRows(() => watched, { now: () => 0, ticks: () => 0 }, leases);
    await changed.slice({ record, db: watched }, 0, 50, [first], null);
    const second = await changed.slice({ record, db: watched }, 0, 50, SORT, null);
    expect(idsOf(second.rows)).toEqual(expected.slice(0, 50).map((row) => `e-${row}`));
    await expect.poll(tables).toHaveLength(1);
    expect([...directions]).toEqual(['falling']);
  });

  it('are abandoned, leaving nothing, when their set is removed or another order replaces them', async () => {
    const going = sorted.lease(rows, SORT, null);
    sorted.forget(record.n);
    await expect(going).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(tables).toEqual([]);

    const control = new AbortController();
    const page = sorted.slice(rows, 100, 110, SORT, null, control.signal);
    control.abort();
    await expect(page).rejects.toMatchObject({ code: 'cancelled' });
    const held = await sorted.lease(rows, [{ dbId: 'size', direction: 'asc' }], null);
    await expect.poll(tables).toEqual([{ name: `rv_${held.n}` }]);
    held.release();
  });
});
