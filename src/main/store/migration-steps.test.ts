/** Migrations that fail at each of their statements in turn: the next start completes them, and no row is lost. */
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { cacheMigrations } from './migrations/cache/index.ts';
import type { Migration } from './migrations/migration.ts';
import { workspaceMigrations } from './migrations/workspace/index.ts';
import { migrate } from './open.ts';

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

const tablesOf = (db: Sqlite.Database) =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all() as string[];

/** Two rows per table, as far as its constraints accept generated values. */
function fill(db: Sqlite.Database): void {
  db.pragma('foreign_keys = OFF');
  for (const table of tablesOf(db)) {
    const columns = db.pragma(`table_info("${table}")`) as Column[];
    const names = columns.map(({ name }) => `"${name}"`);
    const insert = db.prepare(
      `INSERT OR IGNORE INTO "${table}" (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    );
    for (const n of [1, 2])
      insert.run(
        columns.map(({ type }) =>
          /INT|REAL|NUM/i.test(type) ? n : /BLOB/i.test(type) ? Buffer.of(n) : `"${n}"`,
        ),
      );
  }
}

const contentOf = (db: Sqlite.Database) =>
  Object.fromEntries(tablesOf(db).map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).all()]));

/** Fails at the n-th statement of a migration, as a disk error or a kill would. */
function failAt(db: Sqlite.Database, at: number): void {
  let n = 0;
  const exec = db.exec.bind(db);
  db.exec = (sql: string) => {
    n += 1;
    if (n === at) throw new Error('made to fail');
    return exec(sql);
  };
}

describe.each<[string, readonly Migration[]]>([
  ['cache', cacheMigrations],
  ['workspace', workspaceMigrations],
])('%s', (_, migrations) => {
  const steps = migrations.flatMap((migration, at) =>
    migration.statements.map((__, n) => [migration.version, n + 1, at] as const),
  );
  it.each(steps)('version %i fails at its statement %i', (version, statement, at) => {
    // The result of migrating the same rows without a fault.
    const whole = new Sqlite(':memory:');
    const broken = new Sqlite(':memory:');
    for (const db of [whole, broken]) {
      migrate(db, migrations.slice(0, at));
      fill(db);
    }
    const before = contentOf(broken);
    expect(at === 0 || Object.values(before).flat().length > 0).toBe(true);
    migrate(whole, migrations.slice(0, at + 1));

    const { exec } = broken;
    failAt(broken, statement);
    expect(() => migrate(broken, migrations.slice(0, at + 1))).toThrow('made to fail');
    broken.exec = exec;
    expect(contentOf(broken)).toEqual(before);
    migrate(broken, migrations.slice(0, at + 1));
    expect(broken.pragma('user_version', { simple: true })).toBe(version);
    expect(contentOf(broken)).toEqual(contentOf(whole));
    for (const [table, rows] of Object.entries(before))
      if (tablesOf(broken).includes(table))
        expect([table, contentOf(broken)[table]!.length]).toEqual([table, rows.length]);
    migrate(broken, migrations);
  });
});
