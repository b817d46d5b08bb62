/** A temporary disk failure, which SQLite reports as damage, must not set a database aside or repair it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DatabaseKind, OpenSpec } from './connect.ts';
import { openWriter } from './open.ts';

/** After this many successful connections, this many report a damaged file. */
const failing = vi.hoisted(() => ({ after: 0, times: 0 }));
vi.mock('better-sqlite3', async (original) => {
  const { default: Real } = await original<{ default: typeof Sqlite }>();
  return {
    default: class extends Real {
      override prepare<T extends unknown[] | object, R>(text: string) {
        if (text === 'SELECT count(*) FROM sqlite_schema' && failing.after-- <= 0 && failing.times-- > 0)
          throw new Real.SqliteError('file is not a database', 'SQLITE_NOTADB');
        return super.prepare<T, R>(text);
      }
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-failing-'));
  Object.assign(failing, { after: 0, times: 0 });
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
