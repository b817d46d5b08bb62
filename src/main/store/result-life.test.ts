/** Old caches, as earlier versions left them, migrated by step 005. */
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { cacheMigrations } from './migrations/cache/index.ts';
import { migrate } from './open.ts';

interface Old {
  state: string;
  reason: string | null;
  origin?: string;
  loaded?: number;
  total?: number;
  target?: number | null;
  usedAt?: number;
  cursorAt?: number | null;
}

const here = '525 of 2 500 rows are here.';

/** Every sentence that an earlier version stored, and the code it becomes. */
const CASES: readonly { old: Old; stop: string | null; detail: string | null }[] = [
  { old: { state: 'filling', reason: null }, stop: null, detail: null },
  { old: { state: 'complete', reason: null }, stop: null, detail: null },
  {
    old: {
      state: 'complete',
      reason: '1 row came without an id: they can be read and exported, not opened.',
    },
    stop: null,
    detail: null,
  },
  { old: { state: 'paused', reason: null }, stop: 'enough', detail: null },
  { old: { state: 'paused', reason: 'Paused.' }, stop: 'paused', detail: null },
  {
    old: {
      state: 'partial',
      reason: `Parapet closed while these results were being fetched. ${here}`,
      target: null,
    },
    stop: 'closed',
    detail: null,
  },
  { old: { state: 'partial', reason: `You stopped the fetch: ${here}` }, stop: 'stopped', detail: null },
  {
    old: {
      state: 'partial',
      reason: `The service forgot its place 6 times before all rows were read: ${here}`,
    },
    stop: 'forgot',
    detail: null,
  },
  {
    old: { state: 'partial', reason: `The service repeats the same page: ${here}` },
    stop: 'stuck',
    detail: null,
  },
  {
    old: {
      state: 'partial',
      reason: 'The service announced 2 500 rows and gave 2 400 different ones up to its end.',
    },
    stop: 'short',
    detail: null,
  },
  {
    old: {
      state: 'partial',
      reason: `${here} You are offline, so the service was not asked. Go online and try again.`,
    },
    stop: 'offline',
    detail: null,
  },
  {
    old: {
      state: 'partial',
      reason: `${here} The service failed (HTTP 500). The fault is not on your side: try again, and report it if it keeps failing.`,
    },
    stop: 'failed',
    detail:
      'The service failed (HTTP 500). The fault is not on your side: try again, and report it if it keeps failing.',
  },
  {
    old: { state: 'partial', reason: '1 of 1 row are here. The disk is full.', loaded: 1, total: 1 },
    stop: 'failed',
    detail: 'The disk is full.',
  },
  {
    old: { state: 'partial', reason: 'Error: something else' },
    stop: 'failed',
    detail: 'Error: something else',
  },
  { old: { state: 'partial', reason: null }, stop: 'failed', detail: null },
  {
    old: {
      state: 'partial',
      origin: '{}',
      reason: 'The earlier run is not whole: rows may be called new or gone that were only not fetched.',
    },
    stop: 'sources',
    detail: 'the earlier run was not whole',
  },
  {
    old: {
      state: 'partial',
      origin: '{}',
      reason: 'Both runs are not whole: rows may be called new or gone that were only not fetched.',
    },
    stop: 'sources',
    detail: 'both runs were not whole',
  },
];

function oldCache(): Sqlite.Database {
  const db = new Sqlite(':memory:');
  migrate(db, cacheMigrations.slice(0, 4));
  return db;
}

function insert(db: Sqlite.Database, n: number, old: Old): void {
  const { state, reason, origin = null, loaded = 525, total = 2_500, target = 20_000 } = old;
  db.prepare(
    `INSERT INTO result_sets (n, id, key, connection_id, payload, columns, cursor, cursor_at, total, loaded, target,
      state, reason, started_at, fetched_at, used_at, origin) VALUES (?, ?, 'k', 'c', '{}', '[]', '["525"]', ?, ?, ?, ?, ?, ?, 1, 1, ?, ?)`,
  ).run(
    n,
    `id-${n}`,
    old.cursorAt === undefined ? 5 : old.cursorAt,
    total,
    loaded,
    target,
    state,
    reason,
    old.usedAt ?? 1,
    origin,
  );
}

it.each(CASES)('cache 005: $old.state, $old.reason', ({ old, stop, detail }) => {
  const db = oldCache();
  insert(db, 3, old);
  migrate(db, cacheMigrations);
  expect(db.prepare('SELECT * FROM result_sets').get()).toMatchObject({
    id: 'id-3',
    state: old.state,
    stop,
    detail,
    total: old.total ?? 2_500,
    first_total: old.total ?? 2_500,
    loaded: old.loaded ?? 525,
    target: old.target === undefined ? 20_000 : old.target,
    shifts: 0,
    scans: 0,
    born: 3,
    turn: 1,
  });
  expect(db.prepare("SELECT name FROM pragma_table_info('result_sets')").pluck().all()).not.toContain(
    'reason',
  );
});

it('cache 005: a run that never got its first page is removed, and is no longer fetched automatically', () => {
  const db = oldCache();
  insert(db, 1, { state: 'filling', reason: null, loaded: 0, total: 0, target: null, cursorAt: null });
  db.prepare("UPDATE result_sets SET cursor = NULL WHERE id = 'id-1'").run();
  insert(db, 2, { state: 'filling', reason: null, target: null });
  migrate(db, cacheMigrations);
  expect(db.prepare('SELECT id FROM result_sets').pluck().all()).toEqual(['id-2']);
});

it('cache 005: the turn of a run is that of its last use, whatever its number', () => {
  const db = oldCache();
  [30, 10, 20, 20].forEach((usedAt, at) => {
    insert(db, at + 1, { state: 'complete', reason: null, usedAt });
  });
  migrate(db, cacheMigrations);
  expect(db.prepare('SELECT turn FROM result_sets ORDER BY n').pluck().all()).toEqual([4, 1, 2, 3]);
});
