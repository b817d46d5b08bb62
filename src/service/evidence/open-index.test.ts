/**
 * Indexes of evidence with damage at any page: saved queries are carried over or named as lost, nothing is deleted.
 * PARAPET_LONG=1: every page.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createServiceApp } from '../app.ts';
import { HUNTS } from '../import/hunts.ts';
import { savedQueries } from '../store-sqlite/queries.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { NewerStoreError } from '../store-sqlite/sqlite-store.ts';
import { openIndex } from './open-index.ts';
import { openEvidence } from './source.ts';

const KEY = 'cd'.repeat(32);
const NOW = Date.UTC(2026, 10, 26, 8);
const PAGE = 4096;
const STRIDE = process.env['PARAPET_LONG'] === '1' ? 1 : 6;
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-index-'));
  path = join(folder, 'e.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const options = () => ({ path, key: KEY });
const READY_MADE = new Set(HUNTS.map(({ name }) => name));
/** Without the hunts, which every index has. */
const names = (store: SqliteStore) =>
  [...savedQueries(store).names()].filter((name) => !READY_MADE.has(name)).sort();
const aside = () => readdirSync(folder).filter((name) => /\.damaged-[^-]+$/.test(name));

/** An index with three saved queries. */
function make(): void {
  const store = openEvidence(options());
  const queries = savedQueries(store);
  for (const name of ['a', 'b', 'c'])
    queries.add(
      { name, entityType: 'email', filter: null, columns: [] } as unknown as Parameters<
        typeof queries.add
      >[0],
      { time: new Date(NOW).toISOString(), by: null },
    );
  store.close();
}

function overwrite(offset: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}

it('an intact index is opened unchanged, and one of a newer version is left alone', () => {
  make();
  const { store, repaired } = openIndex(folder, options(), NOW);
  expect([names(store), repaired]).toEqual([['a', 'b', 'c'], null]);
  store.db.pragma('user_version = 9999');
  store.close();
  const before = readFileSync(path);
  expect(() => openIndex(folder, options(), NOW)).toThrow(NewerStoreError);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(aside()).toEqual([]);
});

it('a database that is not of the service is not read as one, and is kept; its queries are carried over', () => {
  make();
  const foreign = openEvidence(options());
  foreign.db.pragma('application_id = 7');
  foreign.close();
  const before = readFileSync(path);
  expect(() => openIndex(join(folder, 'unplugged'), options(), NOW)).toThrow('and the evidence is not at');
  const { store, repaired } = openIndex(folder, options(), NOW);
  expect(names(store)).toEqual(['a', 'b', 'c']);
  store.close();
  expect(repaired?.level).toBe('error');
  expect(repaired?.message).toContain('Carried over from it: 3 saved queries');
  const file = 'e.sqlite.damaged-20261126T080000Z';
  expect(repaired?.message).toContain(`kept as ${file}.`);
  expect(readFileSync(join(folder, file)).equals(before)).toBe(true);
  // As after a kill between the two renames: the next opening completes the repair.
  renameSync(path, `${path}.rebuilt`);
  const again = openIndex(folder, options(), NOW);
  again.store.close();
  expect(again.repaired?.message).toContain('had been interrupted');
});

it('[bad input] after damage to any page, readable queries are carried over, and the file is kept', () => {
  make();
  const whole = join(folder, 'whole');
  copyFileSync(path, whole);
  const pages = statSync(path).size / PAGE;
  let repairs = 0;
  for (let page = 0; page < pages; page += STRIDE) {
    copyFileSync(whole, path);
    overwrite(page * PAGE + 100, Buffer.alloc(32, 0x5a));
    const damaged = readFileSync(path);
    const { store, repaired } = openIndex(folder, options(), NOW);
    try {
      if (repaired === null) continue;
      repairs += 1;
      const listed = names(store);
      expect(repaired.message, `page ${page}`).toContain(`kept as ${aside().at(-1)}`);
      if (listed.length === 3) expect(repaired.message).toContain('3 saved queries');
      else
        expect(repaired.message, `page ${page}`).toMatch(
          /Nothing in it was readable|Not all of its saved queries/,
        );
      expect(readFileSync(join(folder, aside().at(-1) ?? '')).equals(damaged)).toBe(true);
    } finally {
      store.close();
    }
    for (const name of readdirSync(folder)) if (name.includes('.damaged-')) rmSync(join(folder, name));
  }
  expect(repairs).toBeGreaterThan(1);
});

it('damage found by a call is reported, and the next start builds a new index', async () => {
  make();
  const opened = openEvidence(options());
  const root = Number(
    opened.db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'queries'").pluck().get(),
  );
  opened.close();
  overwrite((root - 1) * PAGE + 100, Buffer.alloc(32, 0x5a));
  const { store, repaired } = openIndex(folder, options(), NOW);
  expect(repaired).toBeNull();
  const { answer } = createServiceApp(store, { token: 't', caller: 'you' });
  const { status, body } = await answer({
    method: 'GET',
    url: 'http://x/api/v1/query',
    authorization: 'Bearer t',
    contentType: '',
    acceptEncoding: '',
    body: new Uint8Array(),
  });
  expect([status, Buffer.from(body).toString()]).toEqual([500, expect.stringContaining('start it again')]);
  store.close();
  // Not repaired while the evidence is unavailable: the rest of the index stays readable meanwhile.
  const unplugged = openIndex(join(folder, 'unplugged'), options(), NOW);
  expect(unplugged.repaired).toBeNull();
  unplugged.store.close();
  const again = openIndex(folder, options(), NOW);
  expect(again.repaired?.message).toContain('Not all of its saved queries could be read');
  again.store.close();
  const last = openIndex(folder, options(), NOW);
  expect(last.repaired).toBeNull();
  last.store.close();
});

it.each([
  ['garbage', () => overwrite(0, Buffer.alloc(PAGE, 7))],
  ['cut', () => ftruncateSync(openSync(path, 'r+'), PAGE + 7)],
  ['of another key', () => rmSync(path)],
])('a file that cannot be read at all (%s) is kept, and the loss is reported', (what, damage) => {
  make();
  damage();
  if (what === 'of another key') openEvidence({ path, key: 'ef'.repeat(32) }).close();
  const before = readFileSync(path);
  const { store, repaired } = openIndex(folder, options(), NOW);
  expect(names(store)).toEqual([]);
  store.close();
  expect(repaired?.message).toContain('the queries saved for this evidence are missing');
  expect(readFileSync(join(folder, aside()[0] ?? '')).equals(before)).toBe(true);
});

it('[bad input] an intact index marked as damaged is kept, as a temporary disk failure leaves such a mark', () => {
  make();
  const marked = () => existsSync(`${path}.found-damaged`);
  writeFileSync(`${path}.found-damaged`, '');
  // The log is unreadable even for root, like a failing disk: nothing is changed.
  mkdirSync(`${path}-wal`);
  expect(() => openIndex(folder, options(), NOW)).toThrow('EISDIR');
  expect([aside(), marked()]).toEqual([[], true]);
  rmSync(`${path}-wal`, { recursive: true });
  const { store, repaired } = openIndex(folder, options(), NOW);
  expect([names(store), repaired, aside(), marked()]).toEqual([['a', 'b', 'c'], null, [], false]);
  store.close();
});

it('nothing is changed while the evidence is not available to be read again', () => {
  make();
  overwrite(0, Buffer.alloc(PAGE, 7));
  expect(() => openIndex(join(folder, 'unplugged'), options(), NOW)).toThrow('Nothing was removed');
  expect(aside()).toEqual([]);
  expect(existsSync(path)).toBe(true);
});

it('the notice about a repair that fails at its very end comes with the next start, once', () => {
  make();
  overwrite(0, Buffer.alloc(PAGE, 7));
  // A folder that stands for a mark that the disk does not let be removed.
  mkdirSync(`${path}.found-damaged`);
  expect(() => openIndex(folder, options(), NOW)).toThrow();
  rmSync(`${path}.found-damaged`, { recursive: true });
  const repaired = () => {
    const opened = openIndex(folder, options(), NOW);
    opened.store.close();
    return opened.repaired;
  };
  expect(repaired()).toMatchObject({
    level: 'error',
    message: expect.stringContaining('Nothing in it was readable'),
  });
  expect(repaired()).toBeNull();
});

it('the log of a damaged index is kept with it if renaming it had failed', () => {
  make();
  copyFileSync(path, `${path}.rebuilt`);
  const copy = `${path}.damaged-20261126T080000Z`;
  renameSync(path, copy);
  writeFileSync(`${path}-wal`, 'the log');
  openIndex(folder, options(), NOW).store.close();
  expect(readFileSync(`${copy}-wal`, 'utf8')).toBe('the log');
});

it('evidence that cannot be looked up is not called missing', () => {
  make();
  overwrite(0, Buffer.alloc(PAGE, 7));
  expect(() => openIndex(join(folder, 'x'.repeat(300)), options(), NOW)).toThrow(
    /cannot be read again: its name is too long\. Nothing was removed\. When it can be read, open the connection again/,
  );
});

it('a repair interrupted between its renames is completed', () => {
  make();
  copyFileSync(path, `${path}.rebuilt`);
  rmSync(path);
  const { store, repaired } = openIndex(folder, options(), NOW);
  expect(names(store)).toEqual(['a', 'b', 'c']);
  expect(repaired?.message).toContain('interrupted');
  store.close();
});

it('[limit 2 indexes] the newest two damaged indexes are kept', () => {
  for (let turn = 0; turn < 4; turn += 1) {
    make();
    overwrite(0, Buffer.alloc(PAGE, turn));
    openIndex(folder, options(), NOW + turn * 1_000).store.close();
  }
  expect(aside()).toEqual(['e.sqlite.damaged-20261126T080002Z', 'e.sqlite.damaged-20261126T080003Z']);
});
