/** Writes emails with their recipients, attachments, links, clicks and texts. */
import { CHILDREN, type EmailRows, emailRows, OWN_TABLE } from '../store/email-rows.ts';
import type { EmailRecord } from '../store/records.ts';
import type { Row, SqlValue } from '../store/stored-values.ts';
import { insertAllInto, insertValuesInto } from './insert.ts';
import type { SqliteStore } from './sqlite-store.ts';
import { BODIES, HEADERS } from './texts.ts';

const TEXTS: readonly string[] = [BODIES.table, HEADERS.table];

export interface EmailWriter {
  /** Emails are written in a transaction of the writer, and none of them is deleted in it: their texts come at its end. */
  transaction<T>(work: () => T): T;
  /** `extras` are columns of the email that only the writer knows. Returns its row id. */
  write(rows: EmailRows, extras?: Row): number;
}

/**
 * The texts of a transaction are written together. FTS5 writes its index to disk before each statement that may fail
 * half-way, so texts written with their emails would cost a new part of the index for each.
 */
export function emailWriter(store: SqliteStore): EmailWriter {
  const email = insertValuesInto(store, OWN_TABLE);
  const children = CHILDREN.filter((table) => !TEXTS.includes(table)).map(
    (table) => [table, insertValuesInto(store, table)] as const,
  );
  const texts = CHILDREN.filter((table) => TEXTS.includes(table)).map((table) => ({
    table,
    columns: [] as readonly string[],
    values: [] as SqlValue[][],
  }));
  return {
    transaction(work) {
      // What a transaction that failed has left.
      for (const { values } of texts) values.length = 0;
      return store.db.transaction(() => {
        const result = work();
        for (const { table, columns, values } of texts)
          insertAllInto(store, table, columns, values.splice(0));
        return result;
      })();
    },
    write(rows, extras = {}) {
      const { columns, values } = rows[OWN_TABLE];
      const [first = []] = values;
      for (const [column, value] of Object.entries(extras)) first[columns.indexOf(column)] = value;
      const id = email(columns, first);
      for (const [table, insert] of children)
        for (const row of rows[table]?.values ?? []) {
          row[0] = id;
          insert(rows[table]?.columns ?? [], row);
        }
      for (const waiting of texts)
        for (const row of rows[waiting.table]?.values ?? []) {
          row[0] = id;
          waiting.columns = rows[waiting.table]?.columns ?? [];
          waiting.values.push(row);
        }
      return id;
    },
  };
}

/** Builds the rows of emails and writes them, in one transaction. Returns row ids. */
export function writeEmails(
  store: SqliteStore,
  records: readonly EmailRecord[],
  evidence: boolean,
): number[] {
  const emails = emailWriter(store);
  return emails.transaction(() => records.map((record) => emails.write(emailRows(record, evidence))));
}
