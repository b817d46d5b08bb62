import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { withRealThreads } from '#tests/support/reused-threads.ts';
import { THREADS } from '#tests/support/threads.ts';
import { WorkerPool } from '#workers/worker-pool.ts';
import { cacheMigrations } from './migrations/cache.ts';
import { openWriter } from './open.ts';
import { createPool, type Pool, type PoolOptions } from './pool.ts';
import type { RequestBody } from './protocol.ts';

withRealThreads();

const KEY = 'ab'.repeat(32);
let directory: string;
let pools: Pool[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parapet-store-'));
  pools = [];
});
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  rmSync(directory, { recursive: true });
});

const open = async (options: Partial<PoolOptions> = {}) => {
  const kind = options.kind ?? 'cache';
  const pool = await createPool({
    entry: THREADS.store,
    kind,
    path: join(directory, `${kind}.sqlite`),
    key: KEY,
    now: Date.UTC(2026, 0, 2, 3, 4, 5),
    ...options,
  });
  pools.push(pool);
  return pool;
};

describe('pool', () => {
  it('writes in one transaction and reads the same from the readers', async () => {
    const pool = await open();
    await pool.maintain('CREATE TABLE t (a INTEGER, b BLOB)');
    const [ran] = await pool.write([
      {
        sql: 'INSERT INTO t VALUES (?, ?)',
        many: [
          [1, new Uint8Array([1, 2])],
          [2, null],
        ],
      },
    ]);
    expect(ran?.changes).toBe(2);
    expect(await pool.all('SELECT a FROM t ORDER BY a')).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await pool.get('SELECT a FROM t WHERE a = $a', { a: 2 })).toEqual({ a: 2 });
    expect(await pool.get('SELECT a FROM t WHERE a = 9')).toBeUndefined();
    expect(await pool.rows('SELECT a FROM t ORDER BY a DESC')).toEqual([[2], [1]]);
    // One statement can return both objects and arrays.
    expect(await pool.all('SELECT a FROM t ORDER BY a DESC')).toEqual([{ a: 2 }, { a: 1 }]);
    await expect(
      pool.write([{ sql: 'INSERT INTO t VALUES (3, NULL)' }, { sql: 'INSERT INTO nowhere VALUES (1)' }]),
    ).rejects.toMatchObject({ code: 'internal' });
    expect(await pool.get('SELECT count(*) AS n FROM t')).toEqual({ n: 2 });
  });

  it('transfers large blobs whole', async () => {
    const pool = await open();
    const [row] = await pool.rows("SELECT CAST(printf('%.*c', 100000, 'x') AS BLOB)");
    expect(row?.[0]).toHaveLength(100_000);
  });

  it('rejects a cancelled read at once and continues', async () => {
    const pool = await open();
    const controller = new AbortController();
    const slow =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT count(*) AS n FROM n';
    const reads = [1, 2, 3].map(() => pool.get(slow, [], { signal: controller.signal }));
    controller.abort();
    for (const read of reads) await expect(read).rejects.toMatchObject({ code: 'cancelled' });
    expect(await pool.get('SELECT 1 AS one')).toEqual({ one: 1 });
  });

  it('lets requests of urgency "later" yield: they never take the last reader, and never go before other writes', async () => {
    const pool = await open();
    const control = new AbortController();
    const endless = `WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x % 4096 <> 0 OR pp_probe())
      SELECT count(*) FROM c`;
    const waiting = [1, 2, 3].map(() => pool.get(endless, [], { signal: control.signal, urgency: 'later' }));
    // Would hang if the searches occupied all readers, or came first in the queue.
    expect(await pool.integers('SELECT 7', [], { urgency: 'now' })).toEqual(Uint32Array.of(7));
    control.abort();
    for (const read of waiting) await expect(read).rejects.toMatchObject({ code: 'cancelled' });

    const order: string[] = [];
    const write = (name: string, urgency?: 'now' | 'later') =>
      pool.write([], urgency === undefined ? {} : { urgency }).then(() => order.push(name));
    await Promise.all([
      write('begun', 'later'),
      write('later', 'later'),
      write('normal'),
      write('now', 'now'),
      write('normal too'),
    ]);
    expect(order).toEqual(['begun', 'now', 'normal', 'normal too', 'later']);
  });

  it('reads no texts ahead while a whole table is scanned; a search continues', async () => {
    const pool = await open();
    await pool.write([
      { sql: 'CREATE TABLE rs_1 (pos INTEGER PRIMARY KEY, c0 TEXT)' },
      { sql: "INSERT INTO rs_1 VALUES (0, 'invoice')" },
    ]);
    const task = {
      type: 'search' as const,
      n: 1,
      setId: 's',
      columns: [{ id: 'c0', sql: 'c0', storage: 'text' as const }],
      loaded: 1,
      start: 0,
      end: 10,
      list: false,
      early: false,
    };
    const control = new AbortController();
    onTestFinished(() => control.abort());
    const scan = pool.scan(
      'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE pp_probe()) SELECT count(*) FROM n',
      [],
      { signal: control.signal },
    );
    let isReady = false;
    const ahead = pool.search({ ...task, terms: [] }).then(() => {
      isReady = true;
    });
    expect(await pool.search({ ...task, terms: ['voice'] })).toMatchObject({ count: 1, rowIndexes: [0] });
    for (let turn = 0; turn < 20; turn++)
      expect(await pool.search({ ...task, terms: [`no ${turn}`] })).toMatchObject({ count: 0 });
    expect(isReady).toBe(false);
    control.abort();
    await expect(scan).rejects.toMatchObject({ code: 'cancelled' });
    await ahead;
  });

  it('writes a list of numbers row by row', async () => {
    const pool = await open();
    await pool.maintain('CREATE TABLE t (a INTEGER)');
    await pool.write([{ sql: 'INSERT INTO t VALUES (?)', each: Uint32Array.of(3, 1, 4_294_967_295) }]);
    expect(await pool.integers('SELECT a FROM t ORDER BY a')).toEqual(Uint32Array.of(1, 3, 4_294_967_295));
    // One statement can return every shape.
    expect(await pool.all('SELECT a FROM t ORDER BY a')).toEqual([{ a: 1 }, { a: 3 }, { a: 4_294_967_295 }]);
    expect(await pool.rows('SELECT a FROM t ORDER BY a')).toEqual([[1], [3], [4_294_967_295]]);
  });

  it('reports slow statements without their values', async () => {
    const slow: string[] = [];
    const pool = await open({ onSlow: (_, sql) => slow.push(sql) });
    await pool.get(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000000) SELECT count(*) AS n FROM n WHERE i <> ?',
      ['secret'],
    );
    expect(slow).toHaveLength(1);
    expect(slow[0]).not.toContain('secret');
  });

  it('keeps rows across a restart, and they are unreadable without the key', async () => {
    const first = await open();
    await first.maintain('CREATE TABLE t (a)');
    await first.write([{ sql: 'INSERT INTO t VALUES (?)', params: ['lorem-ipsum-needle'] }]);
    const walBytes = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
    await first.close();
    const bytes = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
    for (const file of [...walBytes, ...bytes]) expect(file.includes('lorem-ipsum-needle')).toBe(false);
    expect(readdirSync(directory)).toEqual(['cache.sqlite']);
    const second = await open();
    expect(await second.get('SELECT a FROM t')).toEqual({ a: 'lorem-ipsum-needle' });
    await expect(first.get('SELECT 1')).rejects.toMatchObject({ code: 'cancelled' });
  });
});

it('threads of a pool end after their idle time and are restarted on demand', async () => {
  await (await open()).maintain('CREATE TABLE t (a INTEGER)');
  const path = join(directory, 'cache.sqlite');
  const idle = new WorkerPool<RequestBody>(
    {
      entry: THREADS.store,
      name: 'idle',
      label: 'A reader of the database',
      data: { role: 'reader', kind: 'cache', path, key: KEY, now: 0, cacheKib: 1_024 },
      size: 2,
      concurrency: 1,
      idle: 20,
      onDamaged: () => undefined,
    },
    new Int32Array(new SharedArrayBuffer(4)),
  );
  for (let turn = 0; turn < 2; turn++) {
    const counts = [1, 2, 3].map(() => idle.run({ type: 'rows', sql: 'SELECT count(*) FROM t', params: [] }));
    expect(await Promise.all(counts)).toEqual([[[0]], [[0]], [[0]]]);
    await expect.poll(() => idle.isUp).toBe(false);
  }
  await idle.close();
  await expect(idle.run({ type: 'rows', sql: 'SELECT 1', params: [] })).rejects.toMatchObject({
    code: 'cancelled',
  });
});

it('the writer of an idle database ends, and any request restarts it', async () => {
  const pool = await open({ idle: 20 });
  await pool.maintain('CREATE TABLE t (a INTEGER)');
  // The last connection to close removes the log.
  const isClosed = () => readdirSync(directory).join() === 'cache.sqlite';
  pool.rest(true);
  await expect.poll(isClosed).toBe(true);
  await pool.write([{ sql: 'INSERT INTO t VALUES (?)', params: [7] }]);
  await expect.poll(isClosed).toBe(true);
  expect(await pool.get('SELECT a FROM t')).toEqual({ a: 7 });
  await expect.poll(isClosed).toBe(true);
  pool.rest(false);
  await expect.poll(isClosed).toBe(false);
});

describe('damage', () => {
  it('sets a damaged cache aside and creates a new one', async () => {
    writeFileSync(join(directory, 'cache.sqlite'), 'this was a database once '.repeat(500));
    const pool = await open();
    expect(pool.setAside).toBe('cache.sqlite.damaged-20260102T030405Z');
    expect(readdirSync(directory)).toContain('cache.sqlite.damaged-20260102T030405Z');
    expect(await pool.get('SELECT count(*) AS n FROM answers')).toEqual({ n: 0 });
  });

  it('keeps the one just set aside and the newest before, also after the clock was set back', () => {
    const path = join(directory, 'often.sqlite');
    const asides = [2050, 2051, 2000, 2001].map((year) => {
      writeFileSync(path, 'this was a database once '.repeat(500));
      const { db, setAside } = openWriter({ kind: 'cache', path, key: null, now: Date.UTC(year, 0, 1) });
      db.close();
      return String(setAside);
    });
    const copies = readdirSync(directory).filter((name) => name.startsWith('often.sqlite.damaged-'));
    expect(copies.toSorted()).toEqual([asides[3], asides[1]]);
  });

  it('sets a cache aside whose tables are of another program', () => {
    const path = join(directory, 'odd.sqlite');
    const foreign = new Sqlite(path);
    foreign.exec('CREATE TABLE answers (other TEXT)');
    foreign.close();
    const { db, setAside } = openWriter({ kind: 'cache', path, key: null, now: 0 });
    expect(setAside).toMatch(/^odd\.sqlite\.damaged-/);
    expect(db.pragma('user_version', { simple: true })).toBe(cacheMigrations.at(-1)?.version);
    db.close();
  });

  it('leaves a workspace with another key as it is', async () => {
    const first = await open({ kind: 'workspace' });
    await first.write([{ sql: "INSERT INTO kv VALUES ('a', '1', 1)" }]);
    await first.close();
    const before = readFileSync(join(directory, 'workspace.sqlite'));
    await expect(open({ kind: 'workspace', key: 'cd'.repeat(32) })).rejects.toMatchObject({
      code: 'secrets-locked',
    });
    expect(readdirSync(directory)).toEqual(['workspace.sqlite']);
    expect(readFileSync(join(directory, 'workspace.sqlite')).equals(before)).toBe(true);
  });

  it('keeps two damaged caches of the same second apart', async () => {
    const names: (string | null)[] = [];
    for (const text of ['one', 'two']) {
      writeFileSync(join(directory, 'cache.sqlite'), `${text} `.repeat(2_000));
      const pool = await open();
      names.push(pool.setAside);
      await pool.close();
    }
    expect(new Set(names).size).toBe(2);
    for (const [index, text] of ['one', 'two'].entries())
      expect(readFileSync(join(directory, String(names[index])), 'utf8').startsWith(text)).toBe(true);
  });

  it('databases and their companion files are readable by their owner only, also those of an older Parapet', async () => {
    writeFileSync(join(directory, 'workspace.sqlite'), '', { mode: 0o644 });
    for (const kind of ['cache', 'workspace'] as const) {
      const pool = await open({ kind });
      await pool.write([{ sql: 'CREATE TABLE IF NOT EXISTS mode_probe (a)' }]);
    }
    await Promise.all(pools.filter((_, index) => index === 1).map((pool) => pool.backup(1)));
    const modes = readdirSync(directory).map((name) => [
      name,
      (statSync(join(directory, name)).mode & 0o777).toString(8),
    ]);
    expect(modes.length).toBeGreaterThanOrEqual(7);
    if (process.platform !== 'win32') expect(modes.filter(([, mode]) => mode !== '600')).toEqual([]);
  });

  it('reports damage found while reading', async () => {
    const first = await open();
    await first.maintain('CREATE TABLE t (a)');
    await first.write([
      { sql: 'INSERT INTO t VALUES (?)', many: Array.from({ length: 500 }, () => ['x'.repeat(500)]) },
    ]);
    await first.close();
    const path = join(directory, 'cache.sqlite');
    const bytes = readFileSync(path);
    bytes.fill(7, bytes.length - 40_000, bytes.length - 4000);
    writeFileSync(path, bytes);
    let reported = 0;
    const second = await open({ onDamaged: () => reported++ });
    await expect(second.get('SELECT sum(length(a)) FROM t')).rejects.toMatchObject({ code: 'damaged' });
    await expect(second.get('SELECT sum(length(a)) FROM t')).rejects.toMatchObject({ code: 'damaged' });
    expect(reported).toBe(1);
  });

  describe('[bad input] of a cache, indicated by an error', () => {
    const path = () => join(directory, 'cache.sqlite');
    beforeEach(async () => {
      const before = await open();
      await before.maintain('CREATE TABLE t (a)');
      await before.write([
        { sql: 'INSERT INTO t VALUES (?)', many: Array.from({ length: 500 }, () => ['x'.repeat(500)]) },
      ]);
      await before.close();
    });

    it('is ignored if the file is sound: a temporary failure of the disk looks the same', async () => {
      const again = await open({ suspect: true });
      expect(again.setAside).toBeNull();
      expect(await again.get('SELECT count(*) AS n FROM t')).toEqual({ n: 500 });
    });

    it('sets it aside when a page deep in the file is damaged', async () => {
      const bytes = readFileSync(path());
      bytes.fill(7, bytes.length - 40_000, bytes.length - 4000);
      writeFileSync(path(), bytes);
      const again = await open({ suspect: true });
      expect(readFileSync(join(directory, String(again.setAside))).equals(bytes)).toBe(true);
      expect(await again.get('SELECT count(*) AS n FROM answers')).toEqual({ n: 0 });
    });

    it('leaves everything in its place while the disk fails', async () => {
      const bytes = readFileSync(path());
      // Every read of it fails.
      mkdirSync(`${path()}-wal`);
      await expect(open({ suspect: true })).rejects.toMatchObject({ code: 'internal' });
      expect(readdirSync(directory).sort()).toEqual(['cache.sqlite', 'cache.sqlite-wal']);
      expect(readFileSync(path()).equals(bytes)).toBe(true);
    });
  });

  it.each(['workspace', 'cache'] as const)('refuses a newer %s and leaves it as it was', async (kind) => {
    const path = join(directory, `${kind}.sqlite`);
    const first = await open({ kind });
    await first.maintain('PRAGMA user_version = 999');
    await first.close();
    const before = readFileSync(path);
    await expect(open({ kind })).rejects.toMatchObject({ code: 'newer-schema' });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(directory)).toEqual([`${kind}.sqlite`]);
  });
});
