/** The cipher of a store, and what another key or a kill leaves of it. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { evidenceSource, openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { isDamaged, openReader } from '#service/store-sqlite/sqlite-store.ts';

const KEY = 'c4'.repeat(32);
let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-cipher-'));
  file = path.join(folder, 'e.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opens the file without Parapet's code. */
function opened(cipher: string): Database.Database {
  const db = new Database(file);
  db.pragma(`cipher = '${cipher}'`);
  db.pragma(`key = "x'${KEY}'"`);
  return db;
}

const subjects = (db: Database.Database) => db.prepare('SELECT subject FROM emails').pluck().all();

it('is AEGIS-256', () => {
  openEvidence({ path: file, key: KEY }).close();
  const db = opened('aegis');
  expect(db.prepare('SELECT count(*) > 0 FROM apps').pluck().get()).toBe(1);
  db.close();
  expect(() => opened('chacha20').prepare('SELECT * FROM apps').all()).toThrow('not a database');
});

it('is also that of what a killed process left in its log', async () => {
  const mail = path.join(folder, 'a.eml');
  writeFileSync(mail, 'From: a@x.example\nSubject: Kept\n\nbody\n');
  const killed = openEvidence({ path: file, key: KEY });
  await ingestEvidence(killed, mail);
  killed.db.prepare("INSERT INTO tags (email_id, tag) VALUES (1, 'mine')").run();
  // The state after a kill: nothing of the log has reached the file yet.
  const copy = path.join(folder, 'left.sqlite');
  for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
  killed.close();

  for (const database of [file, copy]) {
    const now = openEvidence({ path: database, key: KEY });
    const reader = openReader({ path: database, key: KEY }, evidenceSource);
    expect(subjects(reader.db)).toEqual(['Kept']);
    expect(now.db.prepare('SELECT tag FROM tags').pluck().all()).toEqual(['mine']);
    reader.close();
    now.close();
    expect(existsSync(`${database}-wal`)).toBe(false);
  }
  const db = opened('aegis');
  expect(subjects(db)).toEqual(['Kept']);
  db.close();
});

it('rejects another key, and leaves the file unchanged', () => {
  openEvidence({ path: file, key: KEY }).close();
  const before = readFileSync(file);
  let error: unknown = null;
  try {
    openEvidence({ path: file, key: 'd5'.repeat(32) });
  } catch (thrown) {
    error = thrown;
  }
  expect(isDamaged(error)).toBe(true);
  expect(readFileSync(file).equals(before)).toBe(true);
});
