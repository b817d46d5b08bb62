/** A file of version 1 and a second step: what an update does to it, also if a statement of the step fails. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Migration, newestVersion, versionOf } from '#workers/migrations.ts';
import { backupsOf, makeBackup } from './backup.ts';
import { connect, inspect, type OpenSpec, tablesOf } from './connect.ts';
import { cacheMigrations } from './migrations/cache.ts';
import { workspaceMigrations } from './migrations/workspace.ts';
import { openWriter } from './open.ts';

const KEY = 'ab'.repeat(32);
const NOW = Date.UTC(2026, 10, 27, 9);
const FIRST: Migration[] = [{ version: 1, summary: '', statements: ['CREATE TABLE a (x)'] }];
const STATEMENTS = [
  'ALTER TABLE kv ADD COLUMN who TEXT',
  "UPDATE kv SET who = 'ana'",
  'CREATE TABLE later (x)',
];
const FAILING = 'INSERT INTO nowhere VALUES (1)';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-migrations-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const spec = (migrations = workspaceMigrations): OpenSpec => ({
  ...{ kind: 'workspace', path: join(folder, 'workspace.sqlite'), key: KEY, now: NOW, keyFits: true },
  migrations,
});
const withStep = (statements: readonly string[]): readonly Migration[] => [
  ...workspaceMigrations,
  { version: newestVersion(workspaceMigrations) + 1, summary: 'Another step', statements },
];

/** A workspace of the schema that is released, with a row. */
function make(): void {
  const { db } = openWriter(spec());
  db.exec("INSERT INTO kv VALUES ('theme', '\"dark\"', 1)");
  db.close();
}

/** The file as it is, without a migration. */
function look() {
  const db = connect({ path: spec().path, key: KEY }, true, 1_024);
  try {
    return { version: versionOf(db), tables: tablesOf(db), rows: db.prepare('SELECT * FROM kv').all() };
  } finally {
    db.close();
  }
}

const schemaOf = ({ path }: { path: string }): number | null => {
  const state = inspect({ path, key: KEY }, true);
  return state.state === 'open' && state.sound ? state.version : null;
};

it('steps are numbered from 1, in ascending order', () => {
  for (const list of [cacheMigrations, workspaceMigrations])
    expect(list.map(({ version }) => version)).toEqual(list.map((_, index) => index + 1));
});

describe('a workspace of the version before', () => {
  it('is upgraded, keeps its rows, and is backed up before', () => {
    make();
    const before = look();
    const { db, repair } = openWriter(spec(withStep(STATEMENTS)));
    db.close();
    expect(repair).toBeNull();
    expect(look()).toEqual({
      version: before.version + 1,
      tables: [...before.tables, 'later'].sort(),
      rows: [{ key: 'theme', value: '"dark"', updated_at: 1, who: 'ana' }],
    });
    expect(backupsOf(spec().path).map(schemaOf)).toEqual([before.version]);
  });

  it.each([0, 1, 2, 3])(
    'stays as it was if a step fails after %i statements, and the next start completes it',
    (statements) => {
      make();
      const before = look();
      const broken = withStep(STATEMENTS.toSpliced(statements, 0, FAILING));
      expect(() => openWriter(spec(broken))).toThrow('nowhere');
      expect(look()).toEqual(before);
      openWriter(spec(withStep(STATEMENTS))).db.close();
      expect(look()).toMatchObject({ version: before.version + 1, rows: [{ value: '"dark"', who: 'ana' }] });
    },
  );

  it('stays in a backup beside the later ones of the same day, so that the update can be undone', () => {
    make();
    const { version } = look();
    const later = spec(withStep(STATEMENTS));
    openWriter(later).db.close();
    for (const hour of [1, 2]) makeBackup({ ...later, now: NOW + hour * 1_000 });
    expect(backupsOf(later.path).map(schemaOf)).toEqual([version + 1, version]);
  });

  it('is refused by an older version of Parapet once it is upgraded, and left as it is', () => {
    make();
    openWriter(spec(withStep(STATEMENTS))).db.close();
    const before = look();
    const files = readdirSync(folder).sort();
    expect(() => openWriter(spec())).toThrow(/written by a newer Parapet/);
    expect(look()).toEqual(before);
    expect(readdirSync(folder).sort()).toEqual(files);
  });
});

it('a cache of the version before is upgraded, too', () => {
  const cache: OpenSpec = { kind: 'cache', path: join(folder, 'cache.sqlite'), key: KEY, now: NOW };
  openWriter({ ...cache, migrations: FIRST }).db.close();
  const steps = [...FIRST, { version: 2, summary: '', statements: ['ALTER TABLE a ADD COLUMN y'] }];
  const { db, setAside } = openWriter({ ...cache, migrations: steps });
  expect([setAside, versionOf(db), db.prepare('SELECT x, y FROM a').all()]).toEqual([null, 2, []]);
  db.close();
});
