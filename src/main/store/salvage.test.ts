/**
 * Damages the workspace in many places and compares what is recovered with a plain model of what was written.
 * PARAPET_LONG=1: every 61st byte of the file, and of its log.
 */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_SYMLINKS } from '#tests/support/symlinks.ts';
import { backupsOf, makeBackup } from './backup.ts';
import { connect, type OpenSpec } from './connect.ts';
import { workspaceMigrations } from './migrations/workspace.ts';
import { openWriter } from './open.ts';
import { PAGE_SIZE, type Repair } from './salvage.ts';
import { repairedLog } from './wal.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
const KEY = 'ab'.repeat(32);
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 20, 3, 4, 5);
const NEWEST = workspaceMigrations.at(-1)?.version ?? 0;
let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parapet-salvage-'));
  path = join(directory, 'workspace.sqlite');
});
afterEach(() => rmSync(directory, { recursive: true }));

const spec = (change: Partial<OpenSpec> = {}): OpenSpec => ({
  kind: 'workspace',
  path,
  key: KEY,
  now: NOW,
  keyFits: true,
  expected: true,
  ...change,
});

it.for([
  ['workspace', '-shm'],
  ['cache', '-wal'],
] as const)('a %s that cannot be looked up is not treated as missing', ([kind, companion], { skip }) => {
  skip(NO_SYMLINKS !== null, `${NO_SYMLINKS}`);
  path = join(directory, `${kind}.sqlite`);
  openWriter(spec({ kind, expected: false })).db.close();
  makeBackup(spec({ kind }));
  rmSync(path);
  writeFileSync(path + companion, '');
  // A link to itself: the lookup fails with ELOOP.
  symlinkSync(`${kind}.sqlite`, path);
  const before = readdirSync(directory).sort();
  expect(() => openWriter(spec({ kind }))).toThrow('ELOOP');
  expect(readdirSync(directory).sort()).toEqual(before);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
});

/** Row contents by row key. */
type Model = Map<string, string>;

const VALUES = 60;
const ENTRIES = 300;
const textOf = (n: number) => JSON.stringify({ n, text: 'v'.repeat(700) });
const requestOf = (n: number) => JSON.stringify({ n, text: 'r'.repeat(300) });
/** Journal rows that fit one page. */
const LEAF_ROWS = Math.ceil(PAGE_SIZE / requestOf(0).length);

function addRows(into: ReturnType<typeof connect>, model: Model, from: number, to: number): void {
  const kv = into.prepare('INSERT INTO kv (key, value, updated_at) VALUES (?, ?, 1)');
  const journal = into.prepare(
    "INSERT INTO journal (id, at, connection_id, endpoint, request, outcome) VALUES (?, 1, 'c', 'query.save', ?, '{}')",
  );
  const target = into.prepare("INSERT INTO journal_targets VALUES (?, ?, ?, 'done', NULL, NULL, NULL)");
  for (let n = from; n < to; n++) {
    if (n < VALUES) {
      kv.run(`draft:${n}`, textOf(n));
      model.set(`kv draft:${n}`, textOf(n));
    }
    journal.run(n + 1, requestOf(n));
    model.set(`journal ${n + 1}`, requestOf(n));
    target.run(n + 1, 0, `e${n}`);
    model.set(`target ${n + 1}`, `e${n}`);
  }
}

function read(db: ReturnType<typeof connect>): Model {
  const model: Model = new Map();
  for (const row of db.prepare('SELECT key, value FROM kv').all() as { key: string; value: string }[])
    model.set(`kv ${row.key}`, row.value);
  for (const row of db.prepare('SELECT id, request FROM journal').all() as { id: number; request: string }[])
    model.set(`journal ${row.id}`, row.request);
  for (const row of db.prepare('SELECT journal_id, entity_id FROM journal_targets').all() as {
    journal_id: number;
    entity_id: string;
  }[])
    model.set(`target ${row.journal_id}`, row.entity_id);
  return model;
}

/** A workspace whose first `upTo` entries are in the backup. Returns its content. */
function make(upTo: number, after: (db: ReturnType<typeof connect>) => void = (db) => db.close()): Model {
  const model: Model = new Map();
  const { db } = openWriter(spec({ expected: false }));
  db.transaction(() => addRows(db, model, 0, upTo))();
  makeBackup(spec());
  db.transaction(() => addRows(db, model, upTo, ENTRIES))();
  after(db);
  return model;
}

/** Opens the workspace, compares it with the model, and returns the repair report. */
function reopen(model: Model, inBackup: number): { repair: Repair | null; missing: string[] } {
  const { db, repair } = openWriter(spec());
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('user_version', { simple: true })).toBe(NEWEST);
    const rescued = read(db);
    for (const [name, content] of rescued) expect(content, name).toBe(model.get(name));
    const missing = [...model.keys()].filter((name) => !rescued.has(name));
    // Rows in the backup are never lost.
    const numbers = missing.map((name) => Number(/\d+/.exec(name)?.[0]) - (name.startsWith('kv') ? 0 : 1));
    expect(numbers.filter((n) => n < inBackup)).toEqual([]);
    if (missing.length > 0) {
      expect(repair).not.toBeNull();
      const open = new Set(repair?.tables.filter(({ whole }) => !whole).map(({ name }) => name));
      const tables = new Set(missing.map((name) => name.split(' ')[0]));
      if (tables.has('kv')) expect(open.has('kv')).toBe(true);
      if (tables.has('journal')) expect(open.has('journal')).toBe(true);
      if (tables.has('target')) expect(open.has('journal_targets')).toBe(true);
      const lost = repair?.tables.find(({ name }) => name === 'journal')?.lost ?? null;
      const gone = missing.filter((name) => name.startsWith('journal')).length;
      if (lost !== null) expect(lost).toBe(gone);
    }
    if (repair !== null) {
      const count = (name: string) => [...rescued.keys()].filter((key) => key.startsWith(name)).length;
      for (const [table, name] of [
        ['kv', 'kv'],
        ['journal', 'journal '],
        ['journal_targets', 'target'],
      ] as const) {
        const report = repair.tables.find((item) => item.name === table);
        expect((report?.kept ?? 0) + (report?.restored ?? 0), table).toBe(count(name));
      }
    }
    return { repair, missing };
  } finally {
    db.close();
  }
}

/** Returns a function that restores the folder's files. */
function keeper(): () => void {
  const files = readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))] as const);
  return () => {
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
    for (const [name, bytes] of files) writeFileSync(join(directory, name), bytes);
  };
}

const flip = (file: string, offset: number, bit: number) => {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
  writeFileSync(file, bytes);
};

describe('one flipped bit', () => {
  it('[bad input] anywhere in the file loses at most the rows of one page that the backup lacks, and reports them', () => {
    const inBackup = 200;
    const model = make(inBackup);
    const back = keeper();
    const size = readFileSync(path).length;
    let repaired = 0;
    let most = 0;
    let beyondLeaf = 0;
    let lostAll = 0;
    const pages = size / PAGE_SIZE;
    const offsets = LONG
      ? Array.from({ length: Math.floor(size / 61) }, (_, n) => n * 61)
      : Array.from({ length: pages }, (_, page) => page * PAGE_SIZE + ((page * 977) % PAGE_SIZE));
    for (const offset of offsets) {
      back();
      flip(path, offset, offset % 8);
      const { repair, missing } = reopen(model, inBackup);
      if (repair !== null) {
        repaired += 1;
        expect(repair.setAside).toMatch(/^workspace\.sqlite\.damaged-/);
      }
      // Without its first page nothing of a file is readable, so only the backup remains.
      if (offset < PAGE_SIZE) lostAll = Math.max(lostAll, missing.length);
      else {
        most = Math.max(most, missing.length);
        if (missing.length > LEAF_ROWS) beyondLeaf += 1;
      }
    }
    expect(repaired).toBeGreaterThan(offsets.length / 2);
    expect(lostAll).toBeLessThanOrEqual(2 * (ENTRIES - inBackup));
    // Usually the rows of one leaf page; damage to one of the few interior pages loses the rest of that table, and of
    // no other.
    expect(beyondLeaf).toBeLessThanOrEqual(offsets.length / 10);
    expect(most).toBeLessThanOrEqual(ENTRIES - inBackup);
  });

  it('in the log loses nothing that is still readable in it, and reports the rest', () => {
    const inBackup = 100;
    const model = make(inBackup, (db) => {
      // As after a kill: file and log are copied while the log is in use.
      for (const suffix of ['', '-wal']) copyFileSync(path + suffix, `${path}${suffix}.copy`);
      db.close();
      for (const suffix of ['', '-wal']) {
        copyFileSync(`${path}${suffix}.copy`, path + suffix);
        rmSync(`${path}${suffix}.copy`);
      }
    });
    const back = keeper();
    expect(reopen(model, ENTRIES)).toEqual({ repair: null, missing: [] });
    back();
    const log = readFileSync(`${path}-wal`);
    expect(repairedLog(log, PAGE_SIZE)).toBeNull();
    const frame = PAGE_SIZE + 24;
    const frames = Math.floor((log.length - 32) / frame);
    const offsets = LONG
      ? Array.from({ length: Math.floor(log.length / 61) }, (_, n) => n * 61)
      : [
          ...[0, 4, 8, 16, 24],
          ...Array.from(
            { length: Math.ceil(frames / 4) },
            (_, n) => 32 + 4 * n * frame + ((n * 523) % frame),
          ),
          // Every field of the header of a middle frame
          ...[0, 3, 4, 7, 8, 12, 16, 20].map((n) => 32 + Math.floor(frames / 2) * frame + n),
        ];
    let reported = 0;
    for (const offset of offsets) {
      back();
      flip(`${path}-wal`, offset, offset % 8);
      const { repair } = reopen(model, inBackup);
      if (repair !== null) reported += 1;
    }
    // Damage to the last frame's salts cannot be told from the remains of an older log.
    expect(reported).toBeGreaterThanOrEqual(offsets.length - (LONG ? 1 : 0));
  });
});

describe('truncated, empty or missing files', () => {
  it.each([0, 1, 100, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1, 10 * PAGE_SIZE, 20 * PAGE_SIZE + 7])(
    'cut to %i bytes',
    (length) => {
      const model = make(200);
      writeFileSync(path, readFileSync(path).subarray(0, length));
      const { repair } = reopen(model, 200);
      expect(repair?.cause).toBe(length < 2 ? 'empty' : 'damaged');
      expect(repair?.backupAt).not.toBeNull();
    },
  );

  it('truncated, without a backup: the rows of the pages that are left', () => {
    const model = make(200);
    for (const backup of backupsOf(path)) rmSync(backup.path);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * 0.7)));
    const { db, repair } = openWriter(spec());
    const rescued = read(db);
    db.close();
    expect(repair).toMatchObject({ cause: 'damaged', backupAt: null });
    expect([...rescued].filter(([key, value]) => model.get(key) !== value)).toEqual([]);
    expect(rescued.size).toBeGreaterThan(model.size / 4);
  });

  it('missing: replaced by the backup', () => {
    const model = make(200);
    rmSync(path);
    const { repair, missing } = reopen(model, 200);
    expect(repair).toMatchObject({ cause: 'missing', setAside: null });
    expect(missing.filter((name) => name.startsWith('journal'))).toHaveLength(ENTRIES - 200);
  });

  it('missing, with the log of another file beside it: the log is not applied to the new one', () => {
    const model = make(200, (db) => {
      copyFileSync(`${path}-wal`, `${path}.copy`);
      db.close();
      copyFileSync(`${path}.copy`, `${path}-wal`);
    });
    rmSync(path);
    expect(reopen(model, 200).repair?.cause).toBe('missing');
  });

  it('missing, without a backup: reported, and started empty', () => {
    const { db, repair } = openWriter(spec());
    db.close();
    expect(repair).toMatchObject({ cause: 'missing', backupAt: null });
    expect(repair?.tables.every(({ whole }) => !whole)).toBe(true);
  });

  it('a first start has nothing to report', () => {
    const { db, repair } = openWriter(spec({ expected: false, keyFits: false }));
    expect(repair).toBeNull();
    db.close();
  });

  it('a damaged backup is skipped in favour of the one before', () => {
    const model = make(100);
    makeBackup(spec({ now: NOW + DAY }));
    const [newest] = backupsOf(path);
    flip(String(newest?.path), 3 * PAGE_SIZE + 9, 1);
    rmSync(path);
    const { missing } = reopen(model, 100);
    expect(missing.length).toBeGreaterThan(0);
  });
});

describe('backups', () => {
  it('[limit 7 days of use] exist for each of the last days of use, whatever the clock says', () => {
    openWriter(spec({ expected: false })).db.close();
    const days = [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, -400, 9];
    for (const day of days) makeBackup(spec({ now: NOW + day * DAY }));
    const backups = backupsOf(path);
    expect(backups).toHaveLength(7);
    expect(backups.map(({ number }) => number)).toEqual(
      backups.map(({ number }) => number).sort((a, b) => b - a),
    );
    // The day far in the past was a day of use as well, and the newest backup is the last one made.
    expect(backups[0]?.day).toBe('20260129');
    expect(backups[1]?.day).toBe('20241216');
    expect(new Set(backups.map(({ day }) => day)).size).toBe(7);
  });

  it('do not open without the key, and contain every row', () => {
    const model = make(ENTRIES);
    const [backup] = backupsOf(path);
    const bytes = readFileSync(String(backup?.path));
    for (const text of ['query.save', 'draft:1', 'SQLite format']) expect(bytes.includes(text)).toBe(false);
    const db = connect({ path: String(backup?.path), key: KEY }, true, 1024);
    expect(read(db)).toEqual(model);
    db.close();
  });

  it('of a workspace that cannot be copied stay as they are', () => {
    make(100);
    const before = backupsOf(path);
    rmSync(path);
    expect(() => makeBackup(spec({ now: NOW + DAY }))).toThrow();
    expect(backupsOf(path)).toEqual(before);
    expect(readdirSync(directory).filter((name) => name.includes('.new'))).toEqual([]);
  });
});

it('the workspace is synced to disk on every write, the cache is not', () => {
  const workspace = openWriter(spec({ expected: false })).db;
  expect(workspace.pragma('synchronous', { simple: true })).toBe(2);
  const cache = openWriter({ ...spec(), kind: 'cache', path: join(directory, 'cache.sqlite') }).db;
  expect(cache.pragma('synchronous', { simple: true })).toBe(1);
  workspace.close();
  cache.close();
  expect(existsSync(path)).toBe(true);
});
