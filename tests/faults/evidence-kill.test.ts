/**
 * An import of evidence is killed at any of its writes: nothing is lost or duplicated, and no file counts as read
 * before it is.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { evidenceSource, prepareEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { openStore, type SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { dyingAt } from '#tests/support/dying-store.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
vi.setConfig({ testTimeout: LONG ? 900_000 : 300_000 });
/** The long form tries every write, the short form every fifth. */
const STEP = LONG ? 1 : 5;
const CHILD = new URL('../support/import-child.ts', import.meta.url);
const KEY = 'c3'.repeat(32);
let folder = '';
let mail = '';

const message = (subject: string) => `From: a@x.example\r\nSubject: ${subject}\r\n\r\nbody of ${subject}\r\n`;
const box = (...subjects: string[]) =>
  subjects.map((subject) => `From a@b Thu Nov 19 08:00:00 2026\n${message(subject)}\n`).join('');
const log = (...users: string[]) =>
  `time,user,ip,city\n${users.map((user) => `2026-01-05T10:00:00Z,${user}@x.example,203.0.113.9,Paris\n`).join('')}`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-kill-'));
  mail = join(folder, 'mail');
  mkdirSync(mail);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the folder contains, and what a plain count of it yields. */
const FIRST = {
  files: ['a.eml', 'b.eml', 'box.mbox', 'c.eml', 'signins.csv'],
  subjects: ['a', 'b', 'c', 'm1', 'm2', 'm3'],
  users: 3,
};
const SECOND = {
  files: ['a.eml', 'box.mbox', 'c.eml', 'd.eml', 'signins.csv'],
  subjects: ['a', 'c2', 'd', 'm1', 'm3', 'm4'],
  users: 4,
};
function layFirst(): void {
  for (const name of ['a', 'b', 'c']) writeFileSync(join(mail, `${name}.eml`), message(name));
  writeFileSync(join(mail, 'box.mbox'), box('m1', 'm2', 'm3'));
  writeFileSync(join(mail, 'signins.csv'), log('u1', 'u2', 'u3'));
}
/** One mail is removed, one added, one changed; the mailbox and the log are rewritten. */
function laySecond(): void {
  rmSync(join(mail, 'b.eml'));
  writeFileSync(join(mail, 'c.eml'), message('c2'));
  writeFileSync(join(mail, 'd.eml'), message('d'));
  writeFileSync(join(mail, 'box.mbox'), box('m1', 'm3', 'm4'));
  writeFileSync(join(mail, 'signins.csv'), log('u1', 'u2', 'u3', 'u4'));
}

const facts = (store: SqliteStore) => ({
  files: [
    ...(store.db.prepare('SELECT path FROM evidence_files').pluck().all() as string[]),
    ...(store.db.prepare('SELECT path FROM evidence_logs').pluck().all() as string[]),
  ].sort(),
  subjects: store.db.prepare('SELECT subject FROM emails ORDER BY subject').pluck().all(),
  users: Number(store.db.prepare('SELECT count(*) FROM logins').pluck().get()),
});
const children = (store: SqliteStore) =>
  ['raw_mail', 'evidence_messages'].map((table) =>
    Number(store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
  );

/** Each file that counts as read has all its messages, each log all its sign-ins. */
function nothingTooEarly(store: SqliteStore): void {
  const read = store.db
    .prepare(
      `SELECT f.path, f.messages, (SELECT count(*) FROM evidence_places p JOIN emails e ON e.id = p.email_id
         WHERE p.file_id = f.id AND p.absent IS NULL) AS stored
       FROM evidence_files f WHERE f.complete = 1`,
    )
    .all() as { path: string; messages: number; stored: number }[];
  for (const { path, messages, stored } of read) expect([path, stored]).toEqual([path, messages]);
  const logs = store.db
    .prepare(
      'SELECT (SELECT count(*) FROM logins WHERE file_id = l.id) FROM evidence_logs l WHERE complete = 1',
    )
    .pluck()
    .all() as number[];
  for (const sign of logs) expect([3, 4]).toContain(sign);
}

class Died extends Error {}
async function dyingImport(path: string, write: number): Promise<number> {
  const store = openStore({ path, key: KEY }, evidenceSource);
  const writes = dyingAt(store, write, () => {
    throw new Died();
  });
  try {
    prepareEvidence(store);
    await ingestEvidence(store, mail);
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  } finally {
    store.close();
  }
  return writes();
}
async function wholeImport(path: string, counts: typeof FIRST): Promise<void> {
  const store = openStore({ path, key: KEY }, evidenceSource);
  try {
    nothingTooEarly(store);
    prepareEvidence(store);
    await ingestEvidence(store, mail);
    expect(facts(store)).toEqual(counts);
    expect(children(store)).toEqual([counts.subjects.length, counts.subjects.length]);
    nothingTooEarly(store);
  } finally {
    store.close();
  }
}

it('the first import, at every write', async () => {
  layFirst();
  const all = await dyingImport(join(folder, 'all.sqlite'), Number.POSITIVE_INFINITY);
  expect(all).toBeGreaterThan(30);
  for (let write = 1; write <= all; write += STEP) {
    const path = join(folder, `${write}.sqlite`);
    await dyingImport(path, write);
    await wholeImport(path, FIRST);
  }
});

it('a later import of the changes, at every write', async () => {
  layFirst();
  const before = join(folder, 'before.sqlite');
  await wholeImport(before, FIRST);
  laySecond();
  /** A separate database in which the first import is complete. */
  const prepared = (name: string) => {
    const path = join(folder, `${name}.sqlite`);
    copyFileSync(before, path);
    return path;
  };
  const all = await dyingImport(prepared('all'), Number.POSITIVE_INFINITY);
  expect(all).toBeGreaterThan(30);
  for (let write = 1; write <= all; write += STEP) {
    const path = prepared(String(write));
    await dyingImport(path, write);
    await wholeImport(path, SECOND);
  }
});

it('kill -9 in the middle of an import', async () => {
  layFirst();
  for (let write = 1; write <= 120; write += LONG ? 1 : 40) {
    const path = join(folder, `k${write}.sqlite`);
    const child = fork(CHILD, [path, mail, '', String(write)], { stdio: 'ignore' });
    await once(child, 'exit');
    await wholeImport(path, FIRST);
  }
});
