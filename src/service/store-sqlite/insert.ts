/** Prepared statements that insert rows. */
import type { Statement } from 'better-sqlite3';
import type { Row, SqlValue } from '../store/stored-values.ts';
import type { SqliteStore } from './sqlite-store.ts';

function prepareInsert(store: SqliteStore, table: string, columns: readonly string[]): Statement {
  const marks = columns.map(() => '?').join(', ');
  return store.db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
}

/** Inserts values of one table, all with the same columns in the same order. Returns the row id. */
export function insertValuesInto(
  store: SqliteStore,
  table: string,
): (columns: readonly string[], values: readonly SqlValue[]) => number {
  let statement: Statement | null = null;
  return (columns, values) => {
    statement ??= prepareInsert(store, table, columns);
    return Number(statement.run(...values).lastInsertRowid);
  };
}

/** `insertValuesInto` for rows by column name. */
export function insertInto(store: SqliteStore, table: string): (row: Row) => number {
  const insert = insertValuesInto(store, table);
  return (row) => insert(Object.keys(row), Object.values(row));
}
