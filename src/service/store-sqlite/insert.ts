import type { Statement } from 'better-sqlite3';
import type { Row, SqlValue } from '../store/stored-values.ts';
import type { SqliteStore } from './sqlite-store.ts';

function prepareInsert(
  store: SqliteStore,
  table: string,
  columns: readonly string[],
  rowCount = 1,
): Statement {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const rows = Array.from({ length: rowCount }, () => row).join(', ');
  return store.db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows}`);
}

/** Rows of one statement: far below SQLite's maximum of 32 766 values. */
const ROWS_AT_ONCE = 1_000;

/** Inserts all values of one table, few statements for many rows. */
export function insertAllInto(
  store: SqliteStore,
  table: string,
  columns: readonly string[],
  values: readonly (readonly SqlValue[])[],
): void {
  for (let start = 0; start < values.length; start += ROWS_AT_ONCE) {
    const some = values.slice(start, start + ROWS_AT_ONCE);
    prepareInsert(store, table, columns, some.length).run(...some.flat());
  }
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
