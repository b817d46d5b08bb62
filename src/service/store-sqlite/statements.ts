import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { remembering } from '#shared/remember.ts';

export type Statements = (sql: string) => Statement;

/** Prepares each statement once. */
export const statementsOf = (db: Database.Database): Statements =>
  remembering(Number.POSITIVE_INFINITY, (sql) => db.prepare(sql));
