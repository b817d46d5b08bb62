/** A temporary disk failure, which SQLite reports as damage, must not replace a database or set it aside. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openDemo } from '../demo/open-demo.ts';
import { openIndex } from '../evidence/open-index.ts';

const failing = vi.hoisted(() => ({ times: 0, logs: [] as { close(): void }[], keepsLog: false }));
vi.mock('../store-sqlite/sqlite-store.ts', async (original) => {
  const real = await original<typeof import('../store-sqlite/sqlite-store.ts')>();
  return {
    ...real,
    openStore(...args: Parameters<typeof real.openStore>) {
      if (failing.times-- > 0) throw new Database.SqliteError('file is not a database', 'SQLITE_NOTADB');
      const store = real.openStore(...args);
      if (failing.keepsLog) {
        // With a reader, its log is not emptied when it is closed.
        const { db } = real.openReader(...args);
        db.exec('BEGIN; SELECT * FROM meta');
        failing.logs.push(db);
      }
      return store;
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-failing-'));
  failing.times = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

const options = () => ({ path: join(folder, 'x.sqlite'), key: 'cd'.repeat(32) });
const opened = {
  demo: async () => {
    const { store, replaced } = await openDemo({
      ...options(),
      key: null,
      emails: 20,
      seed: 1,
      now: Date.now(),
    });
    store.close();
    return replaced;
  },
  evidence: () => {
    const { store, repaired } = openIndex(folder, options(), Date.now());
    store.close();
    return repaired;
  },
};

it.each(['demo', 'evidence'] as const)('a database of the %s service stays', async (kind) => {
  await opened[kind]();
  failing.times = 2;
  expect(await opened[kind]()).toBeNull();
  expect(failing.times).toBeLessThan(1);
  expect(readdirSync(folder)).toEqual(['x.sqlite']);
  // Real damage is found every time.
  failing.times = 3;
  expect(await opened[kind]()).toMatchObject({ level: 'error' });
});

it('[bad input] an index whose repair could not be written completely is left as it was', () => {
  opened.evidence();
  const { path } = options();
  const foreign = new Database(path);
  foreign.pragma("cipher = 'aegis'");
  foreign.pragma(`key = "x'${options().key}'"`);
  foreign.exec(
    "INSERT INTO queries (id, entity_type, name, position, body) VALUES ('q', 'email', 'a', 0, '{}')",
  );
  foreign.pragma('application_id = 7');
  foreign.close();
  failing.keepsLog = true;
  // Opening it fails without a reader: the first store that is opened is the new one.
  expect(() => opened.evidence()).toThrow();
  expect(readdirSync(folder).filter((name) => name.includes('.damaged-'))).toEqual([]);
  failing.keepsLog = false;
  for (const log of failing.logs.splice(0)) log.close();
  expect(opened.evidence()).toMatchObject({
    message: expect.stringContaining('Carried over from it: 1 saved query'),
  });
});
