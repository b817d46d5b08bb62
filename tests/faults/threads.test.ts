/** Threads that end in the middle of their work: waiting callers get an error, and the next call finds a new thread. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPool, type Pool } from '#main/store/pool.ts';
import { createSlot } from '#main/store/slot.ts';
import type { SearchTask } from '#main/store/tasks.ts';
import { createRestarts } from '#workers/restarts.ts';
import { openData } from '../support/data-services.ts';
import { END, NO_START } from '../support/ending-store-worker.ts';
import { withRealThreads } from '../support/reused-threads.ts';
import { startRowsFixture } from '../support/rows-fixture.ts';
import { lapsed } from '../support/rows-service.ts';
import { allowUncaught } from '../support/uncaught.ts';

withRealThreads();

const ENTRY = new URL('../support/ending-store-worker.ts', import.meta.url);
const ROWS = 3_000;
let folder: string;
let path: string;
let pool: Pool;
let damages: number;

const open = () =>
  createPool({
    entry: ENTRY,
    kind: 'cache',
    path,
    key: 'ab'.repeat(32),
    now: 0,
    onDamaged: () => {
      damages++;
    },
  });

beforeEach(async () => {
  allowUncaught(/made to fail/);
  damages = 0;
  folder = mkdtempSync(join(tmpdir(), 'parapet-threads-'));
  path = join(folder, 'cache.sqlite');
  pool = await open();
  await pool.write([
    { sql: 'CREATE TABLE rs_1 (pos INTEGER PRIMARY KEY, c0 TEXT)' },
    {
      sql: 'INSERT INTO rs_1 VALUES (?, ?)',
      many: Array.from({ length: ROWS }, (_, pos) => [pos, `row ${pos} ${pos % 10 === 0 ? 'tenth' : ''}`]),
    },
  ]);
});
afterEach(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const retryable = { code: 'internal', retryable: true };
const task = (term: string): SearchTask => ({
  type: 'search',
  n: 1,
  setId: 's',
  columns: [{ id: 'c0', sql: 'c0', storage: 'text' }],
  loaded: ROWS,
  terms: [term],
  start: 0,
  end: 10,
  list: false,
  early: false,
});

describe.each([
  ['ends', END],
  ['fails', `${END}_by_error`],
])('a thread that %s', (_, end) => {
  it('while reading is replaced; requests waiting behind it are answered', async () => {
    const last = pool.all(`SELECT '${end}'`);
    const behind = Array.from({ length: 6 }, (_, n) => pool.get('SELECT ? AS n', [n]));
    await expect(last).rejects.toMatchObject(retryable);
    expect(await Promise.all(behind)).toEqual(Array.from({ length: 6 }, (_, n) => ({ n })));
    // Both readers, one after the other.
    await expect(
      Promise.all([pool.all(`SELECT '${end}'`), pool.all(`SELECT 1, '${end}'`)]),
    ).rejects.toMatchObject(retryable);
    expect(await pool.get('SELECT count(*) AS n FROM rs_1')).toEqual({ n: ROWS });
  });

  it('while writing is replaced; nothing of the interrupted write is there, and waiting writes are done', async () => {
    const last = pool.write([{ sql: 'DELETE FROM rs_1' }, { sql: `SELECT '${end}'` }]);
    const behind = pool.write([{ sql: 'INSERT INTO rs_1 VALUES (?, ?)', params: [ROWS, 'behind'] }]);
    await expect(last).rejects.toMatchObject(retryable);
    expect(await behind).toMatchObject([{ changes: 1 }]);
    expect(await pool.get('SELECT count(*) AS n FROM rs_1')).toEqual({ n: ROWS + 1 });
    expect(await pool.get('PRAGMA quick_check')).toEqual({ quick_check: 'ok' });
  });

  it('while searching does not affect later searches', async () => {
    const last = pool.search(task(end));
    const beside = pool.search(task('tenth'));
    await expect(last).rejects.toMatchObject(retryable);
    await expect(beside).rejects.toMatchObject(retryable);
    // Requested before the exit of the ended thread is noticed, and after.
    for (let turn = 0; turn < 5; turn++)
      expect(await pool.search(task('tenth'))).toMatchObject({ count: ROWS / 10, counting: false });
  });

  it('while scanning for an export is replaced', async () => {
    const last = pool.scan(`SELECT '${end}'`);
    const behind = Array.from({ length: 6 }, (_, n) => pool.scan('SELECT ?', [n]));
    await expect(last).rejects.toMatchObject(retryable);
    expect(await Promise.all(behind)).toEqual(Array.from({ length: 6 }, (_, n) => [[n]]));
    expect(await pool.scan('SELECT count(*) FROM rs_1')).toEqual([[ROWS]]);
  });
});

it('threads that cannot start are not restarted for ever, and every call is answered', async () => {
  writeFileSync(`${path}.${NO_START}`, '');
  await Promise.allSettled([pool.all(`SELECT '${END}'`), pool.all(`SELECT 2, '${END}'`)]);
  await expect(pool.write([{ sql: `SELECT '${END}'` }])).rejects.toMatchObject(retryable);
  for (let turn = 0; turn < 12; turn++) {
    const calls = [
      pool.get('SELECT 1 AS one'),
      pool.write([{ sql: 'DELETE FROM rs_1' }]),
      pool.search(task('tenth')),
      pool.scan('SELECT 1'),
    ];
    for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[])
      expect([status, reason]).toMatchObject(['rejected', retryable]);
  }
  await expect(pool.get('SELECT 1 AS one')).rejects.toThrow(/10 times within a minute/);
  rmSync(`${path}.${NO_START}`);
  await pool.close();
  pool = await open();
  expect(await pool.get('SELECT count(*) AS n FROM rs_1')).toEqual({ n: ROWS });
  expect(damages).toBe(0);
});

it('[limit 10 restarts a minute] starts are allowed again once the failures are a minute old', () => {
  let now = 0;
  const restarts = createRestarts(() => now);
  for (let turn = 0; turn < 9; turn++) restarts.ended();
  expect(restarts.allowed()).toBe(true);
  restarts.ended();
  expect(restarts.allowed()).toBe(false);
  now = 59_999;
  expect(restarts.allowed()).toBe(false);
  now = 60_000;
  expect(restarts.allowed()).toBe(true);
});

it('a closed slot opens no database, even if one is requested while it closes', async () => {
  const slot = createSlot();
  await slot.replace(async () => pool);
  let opened = 0;
  const again = async () => {
    opened++;
    return open();
  };
  const closing = slot.close();
  await expect(slot.replace(again)).rejects.toMatchObject({ code: 'cancelled' });
  await closing;
  await expect(slot.replace(again)).rejects.toMatchObject({ code: 'cancelled' });
  await expect(slot.get('SELECT 1')).rejects.toMatchObject({ code: 'cancelled' });
  expect(opened).toBe(0);
});

it("a caller bound to a slot's database never reads from the one that replaced it", async () => {
  const slot = createSlot();
  await slot.replace(async () => pool);
  const bound = slot.bound();
  expect(await bound.get('SELECT count(*) AS n FROM rs_1')).toEqual({ n: ROWS });
  const other = createPool({
    entry: new URL('../../src/main/results/store-worker.ts', import.meta.url),
    kind: 'cache',
    path: join(folder, 'other.sqlite'),
    key: null,
    now: 0,
  });
  await slot.replace(() => other);
  expect(await slot.get('SELECT 1 AS one')).toEqual({ one: 1 });
  await expect(bound.get('SELECT 1 AS one')).rejects.toMatchObject({ code: 'cancelled' });
  await slot.close();
});

it('the writer ends while rows are matched: that fetch is PARTIAL and says so, the next one restarts the scan', async () => {
  const fixture = await startRowsFixture(2_500);
  try {
    await fixture.data.close();
    fixture.data = await openData(fixture.profile, fixture.service.url, undefined, null, {
      store: ENTRY,
      exports: new URL('../../src/main/export/worker.ts', import.meta.url),
    });
    let forgets = 1;
    let ends = 0;
    fixture.service.fault = async ({ at }) => {
      if (at >= 1_025 && forgets > 0) {
        forgets--;
        return lapsed;
      }
      // In the second scan, with some of its rows already seen.
      if (forgets === 0 && at >= 525 && ends === 0) {
        ends++;
        await fixture.data.ctx.cache.write([{ sql: `SELECT '${END}'` }]).catch(() => undefined);
      }
      return undefined;
    };
    const { id } = await fixture.open();
    const broken = await fixture.fetchAll(id);
    expect(ends).toBe(1);
    expect(broken).toMatchObject({ state: 'partial', stop: 'storage' });
    const whole = await fixture.fetchAll(id);
    expect(whole).toMatchObject({ state: 'complete', loaded: 2_500, total: 2_500 });
    expect(new Set(await fixture.idsOf(id)).size).toBe(2_500);
  } finally {
    await fixture.close();
  }
});
