/** Writes one email with its recipients, attachments, links, clicks and text. */
import { CHILDREN, type EmailRows, emailRows, OWN_TABLE } from '../store/email-rows.ts';
import type { EmailRecord } from '../store/records.ts';
import type { Row } from '../store/stored-values.ts';
import { insertValuesInto } from './insert.ts';
import type { SqliteStore } from './sqlite-store.ts';

/** `extras` are columns of the email that only the writer knows. Returns its row id. */
export function emailRowsWriter(store: SqliteStore): (rows: EmailRows, extras?: Row) => number {
  const email = insertValuesInto(store, OWN_TABLE);
  const children = CHILDREN.map((table) => [table, insertValuesInto(store, table)] as const);
  return (rows, extras = {}) => {
    const { columns, values } = rows[OWN_TABLE];
    const [first = []] = values;
    for (const [column, value] of Object.entries(extras)) first[columns.indexOf(column)] = value;
    const id = email(columns, first);
    for (const [table, insert] of children)
      for (const row of rows[table]?.values ?? []) {
        row[0] = id;
        insert(rows[table]?.columns ?? [], row);
      }
    return id;
  };
}

/** Builds `emailRows` and writes them. Returns row ids. */
export function emailWriter(store: SqliteStore, evidence: boolean): (record: EmailRecord) => number {
  const write = emailRowsWriter(store);
  return (record) => write(emailRows(record, evidence));
}
