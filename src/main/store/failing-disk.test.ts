/** A temporary disk failure, which SQLite reports as damage, must not set a database aside or repair it. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeBackup } from './backup.ts';
import type { DatabaseKind, OpenSpec } from './connect.ts';
import { openWriter } from './open.ts';

const CONNECTION = 'SELECT count(*) FROM sqlite_schema';
const ROWS = 'AS "pp place"';
/** After this many successful statements with the text, this many report a damaged file, or fail with the code. */
const failing = vi.hoisted(() => ({ text: '', after: 0, times: 0, code: 'SQLITE_NOTADB' }));
vi.mock('better-sqlite3', async (original) => {
  const { default: Real } = await original<{ default: typeof Sqlite }>();
  return {
    default: class extends Real {
      override prepare<T extends unknown[] | object, R>(text: string) {
        if (text.includes(failing.text) && failing.after-- <= 0 && failing.times-- > 0)
          throw new Real.SqliteError('made to fail', failing.code);
        return super.prepare<T, R>(text);
      }
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-failing-'));
  Object.assign(failing, { text: CONNECTION, after: 0, times: 0, code: 'SQLITE_NOTADB' });
});
afterEach(() => rmSync(folder, { recursive: true }));

const spec = (kind: DatabaseKind): OpenSpec => ({
  kind,
  path: join(folder, `${kind}.sqlite`),
  key: 'ab'.repeat(32),
  now: Date.UTC(2026, 0, 20),
  keyFits: true,
  expected: true,
});
function open(kind: DatabaseKind) {
  const { db, setAside, repair } = openWriter(spec(kind));
  const rows = db.prepare('SELECT count(*) FROM kept').pluck().get();
  db.close();
  return { setAside, repair, rows };
}

it.each([
  { kind: 'cache' as const, after: 0 },
  { kind: 'cache' as const, after: 1 },
  { kind: 'workspace' as const, after: 0 },
])('$kind, after $after successful connections', ({ kind, after }) => {
  const { db } = openWriter({ ...spec(kind), expected: false });
  db.exec('CREATE TABLE kept (a); INSERT INTO kept VALUES (1)');
  db.close();
  Object.assign(failing, { after, times: 1 });
  expect(open(kind)).toEqual({ setAside: null, repair: null, rows: 1 });
  expect(failing.times).toBeLessThan(1);
  expect(readdirSync(folder)).toEqual([`${kind}.sqlite`]);
});

it.each([
  ['connection', CONNECTION, 'SQLITE_NOTADB'],
  ['connection', CONNECTION, 'SQLITE_CANTOPEN'],
  ['reading of rows', ROWS, 'SQLITE_CORRUPT'],
])('[bad input] a repair during which any %s fails once loses nothing (%s, %s)', (_, text, code) => {
  const { path } = spec('workspace');
  const first = openWriter({ ...spec('workspace'), expected: false }).db;
  const insert = first.prepare('INSERT INTO kv (key, value, updated_at) VALUES (?, ?, 1)');
  for (let n = 0; n < 60; n++) insert.run(`draft:${n}`, 'v'.repeat(500));
  first.close();
  makeBackup(spec('workspace'));
  const { db } = openWriter(spec('workspace'));
  db.prepare("INSERT INTO kv (key, value, updated_at) VALUES ('a-after', 'the backup', 1)").run();
  db.close();
  const bytes = readFileSync(path);
  // Pages with rows that only the backup has then.
  const pages = bytes.length / 4096;
  for (const part of [0.4, 0.5, 0.6]) {
    const from = 4096 * Math.floor(pages * part);
    bytes.fill(0x5a, from, from + 4096);
  }
  writeFileSync(path, bytes);
  const origin = mkdtempSync(join(tmpdir(), 'parapet-failing-origin-'));
  cpSync(folder, origin, { recursive: true });
  try {
    let after = 0;
    for (let consumed = true; consumed; after++) {
      rmSync(folder, { recursive: true });
      cpSync(origin, folder, { recursive: true });
      Object.assign(failing, { text, after, times: 1, code });
      try {
        openWriter(spec('workspace')).db.close();
      } catch (error) {
        expect(String(error)).toMatch(/made to fail|cannot be read/);
      }
      consumed = failing.times < 1;
      failing.times = 0;
      const again = openWriter(spec('workspace')).db;
      const keys = again.prepare('SELECT key FROM kv').pluck().all();
      again.close();
      expect([after, keys.length, keys.includes('a-after')]).toEqual([after, 61, true]);
    }
    expect(after).toBeGreaterThan(5);
  } finally {
    rmSync(origin, { recursive: true });
  }
});

it('a repair does not go on without a backup that cannot be read', () => {
  const { path } = spec('workspace');
  openWriter({ ...spec('workspace'), expected: false }).db.close();
  makeBackup(spec('workspace'));
  rmSync(path);
  Object.assign(failing, { times: 99, code: 'SQLITE_CANTOPEN' });
  expect(() => openWriter(spec('workspace'))).toThrow(/backup workspace\.sqlite\.backup-.* cannot be read/);
  failing.times = 0;
  expect(openWriter(spec('workspace')).repair).toMatchObject({
    cause: 'missing',
    backupAt: expect.any(Number),
  });
});

it('a repair that is done is reported, also if opening the new file fails once', () => {
  for (let after = 0; after < 12; after++) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    writeFileSync(spec('cache').path, 'x'.repeat(20_000));
    Object.assign(failing, { after, times: 1, code: 'SQLITE_IOERR_READ' });
    const open = () => {
      try {
        const { db, setAside } = openWriter(spec('cache'));
        db.close();
        return setAside;
      } catch {
        return null;
      }
    };
    expect(
      [open(), open()].filter((item) => item !== null),
      `after ${after}`,
    ).toHaveLength(1);
  }
});
