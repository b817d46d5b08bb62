/** The cipher of a store: new ones use AEGIS-256, those of earlier versions are read and written with their own. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ingestEvidence } from '#service/evidence/ingest/ingest-evidence.ts';
import { evidenceSource, openEvidence } from '#service/evidence/source.ts';
import { isDamaged, openReader } from '#service/store/store.ts';

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

/** Creates a store like an earlier version. */
function begunEarlier(): void {
  const db = opened('chacha20');
  db.pragma('journal_mode = WAL');
  db.close();
}

const subjects = (db: Database.Database) => db.prepare('SELECT subject FROM emails').pluck().all();

it('is AEGIS-256 in a new store', () => {
  openEvidence({ path: file, key: KEY }).close();
  const db = opened('aegis');
  expect(db.prepare('SELECT count(*) > 0 FROM apps').pluck().get()).toBe(1);
  db.close();
  expect(() => opened('chacha20').prepare('SELECT * FROM apps').all()).toThrow('not a database');
});

it('stays the one the store was created with, including what a killed process left in its log', async () => {
  const mail = path.join(folder, 'a.eml');
  writeFileSync(mail, 'From: a@x.example\nSubject: Kept\n\nbody\n');
  begunEarlier();
  const earlier = openEvidence({ path: file, key: KEY });
  await ingestEvidence(earlier, mail);
  earlier.db.prepare("INSERT INTO tags (email_id, tag) VALUES (1, 'mine')").run();
  // The state after a kill: nothing of the log has reached the file yet.
  const left = path.join(folder, 'left.sqlite');
  for (const end of ['', '-wal']) copyFileSync(file + end, left + end);
  earlier.close();

  for (const at of [file, left]) {
    const now = openEvidence({ path: at, key: KEY });
    const reader = openReader({ path: at, key: KEY }, evidenceSource);
    expect(subjects(reader.db)).toEqual(['Kept']);
    expect(now.db.prepare('SELECT tag FROM tags').pluck().all()).toEqual(['mine']);
    reader.close();
    now.close();
    expect(existsSync(`${at}-wal`)).toBe(false);
  }
  const db = opened('chacha20');
  expect(subjects(db)).toEqual(['Kept']);
  db.close();
});

it('rejects another key, and leaves the file unchanged', () => {
  for (const begin of [begunEarlier, () => openEvidence({ path: file, key: KEY }).close()]) {
    rmSync(file, { force: true });
    begin();
    const before = readFileSync(file);
    let error: unknown = null;
    try {
      openEvidence({ path: file, key: 'd5'.repeat(32) });
    } catch (thrown) {
      error = thrown;
    }
    expect(isDamaged(error)).toBe(true);
    expect(readFileSync(file).equals(before)).toBe(true);
  }
});
