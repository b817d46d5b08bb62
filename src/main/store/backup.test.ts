/** A backup counts only if it has everything the original had: faulty copies never get a name. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { backupsOf, makeBackup } from './backup.ts';
import { connect, type OpenSpec } from './connect.ts';
import { openWriter } from './open.ts';
import { PAGE_SIZE } from './salvage.ts';

/** Spoils a copy right after SQLite has made it. */
const fault = vi.hoisted(() => ({ spoil: null as ((copy: string) => void) | null }));
vi.mock('./connect.ts', async (original) => {
  const real = await original<typeof import('./connect.ts')>();
  const copying = (db: Sqlite.Database) => {
    const prepare = db.prepare.bind(db) as (sql: string) => Sqlite.Statement;
    const run = (sql: string, copy: string) => {
      prepare(sql).run(copy);
      fault.spoil?.(copy);
    };
    return Object.assign(db, {
      prepare: (sql: string) =>
        sql.startsWith('VACUUM') ? { run: (copy: string) => run(sql, copy) } : prepare(sql),
    });
  };
  return {
    ...real,
    connect: (...args: Parameters<typeof real.connect>) => copying(real.connect(...args)),
  };
});

const KEY = 'ab'.repeat(32);
let directory: string;
let spec: OpenSpec;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parapet-backup-'));
  spec = { kind: 'workspace', path: join(directory, 'workspace.sqlite'), key: KEY, now: 0, keyFits: true };
  fault.spoil = null;
  const { db } = openWriter(spec);
  const insert = db.prepare('INSERT INTO kv (key, value, updated_at) VALUES (?, ?, 1)');
  for (let n = 0; n < 100; n++) insert.run(`draft:${n}`, JSON.stringify('x'.repeat(500)));
  db.close();
  makeBackup(spec);
});
afterEach(() => rmSync(directory, { recursive: true }));

const spoilers: Record<string, (copy: string) => void> = {
  'one flipped bit': (copy) => {
    const bytes = readFileSync(copy);
    const offset = bytes.length - PAGE_SIZE - 100;
    bytes[offset] = (bytes[offset] ?? 0) ^ 1;
    writeFileSync(copy, bytes);
  },
  'a missing end': (copy) => writeFileSync(copy, readFileSync(copy).subarray(0, -PAGE_SIZE)),
  'a missing row': (copy) => {
    const db = connect({ path: copy, key: KEY }, false, 1024);
    db.exec("DELETE FROM kv WHERE key = 'draft:50'");
    db.close();
  },
};

it.each(Object.keys(spoilers))('a copy with %s is made again', (name) => {
  let turns = 0;
  fault.spoil = (copy) => {
    if (++turns === 1) spoilers[name]?.(copy);
  };
  const [before] = backupsOf(spec.path);
  makeBackup({ ...spec, now: 86_400_000 });
  expect(turns).toBe(2);
  const [newest, older] = backupsOf(spec.path);
  expect(older).toEqual(before);
  const db = connect({ path: String(newest?.path), key: KEY }, true, 1024);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(db.prepare('SELECT count(*) FROM kv').pluck().get()).toBe(100);
  db.close();
});

it.each(Object.keys(spoilers))(
  'if every copy has %s, it is reported, and the earlier backup stays',
  (name) => {
    fault.spoil = spoilers[name] ?? null;
    const before = backupsOf(spec.path);
    const bytes = readFileSync(String(before[0]?.path));
    expect(() => makeBackup({ ...spec, now: 86_400_000 })).toThrow(/is not intact/);
    expect(backupsOf(spec.path)).toEqual(before);
    expect(readFileSync(String(before[0]?.path)).equals(bytes)).toBe(true);
    expect(readdirSync(directory).filter((file) => file.includes('.new'))).toEqual([]);
  },
);

it('a backup that was copied to another disk is still of the day in its name', () => {
  const madeAt = Date.UTC(2026, 10, 27, 9, 30);
  makeBackup({ ...spec, now: madeAt });
  const [backup] = backupsOf(spec.path);
  if (!backup) throw new Error('There is no backup.');
  utimesSync(backup.path, madeAt / 1_000, madeAt / 1_000);
  expect(backupsOf(spec.path)[0]?.at).toBe(madeAt);
  // A copy has the time of copying.
  const copied = Date.UTC(2026, 11, 24) / 1_000;
  utimesSync(backup.path, copied, copied);
  expect(backupsOf(spec.path)[0]?.at).toBe(Date.UTC(2026, 10, 27));
});
