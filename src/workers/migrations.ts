/** The schema of a database as a list of steps, for the console's databases and the service's. */

/** What the steps need of a connection to SQLite. */
interface Connection {
  pragma(sql: string, options?: { simple: boolean }): unknown;
  exec(sql: string): unknown;
  transaction(work: () => void): () => void;
}

/** One step of a database's schema. Released steps are never edited: a change is a new step. */
export interface Migration {
  /** Ascending from 1. */
  version: number;
  summary: string;
  statements: readonly string[];
}

export const newestVersion = (migrations: readonly Migration[]): number => migrations.at(-1)?.version ?? 0;

export const versionOf = (db: Connection): number => Number(db.pragma('user_version', { simple: true }));

/** Runs the missing steps, each in a transaction, so that a kill leaves the schema before a step or after it. */
export function migrate(db: Connection, migrations: readonly Migration[]): void {
  const version = versionOf(db);
  for (const migration of migrations.filter((step) => step.version > version))
    db.transaction(() => {
      for (const sql of migration.statements) db.exec(sql);
      db.pragma(`user_version = ${migration.version}`);
    })();
}
