import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';

export type Statements = (sql: string) => Statement;

/** Prepares each statement once. */
export function statementsOf(db: Database.Database): Statements {
  const prepared = new Map<string, Statement>();
  return (sql) => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = db.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
}
