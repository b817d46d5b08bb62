/** A file from before the common text fold is folded again when opened, and keeps its content. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { evidenceSource } from '../evidence/source.ts';
import { FOLDED_COLUMNS, SCHEMA_VERSION } from './schema.ts';
import { openStore, type Store } from './store.ts';

/** A store as the previous version left it. */
function writeOld(file: string): void {
  const old = openStore({ path: file }, evidenceSource);
  old.buildIndexes();
  old.db.exec(`
    INSERT INTO emails (id, entity_id, saas, subject, subject_folded, subject_words, from_email, from_name,
      recipients_count, attachments_count, links_count, verdict, verdict_rank, stack, scans, detail)
      VALUES (1, 'e1', 'a', 'Fatura İPTAL', 'fatura i̇ptal', ' fatura i̇ptal ', 'müller@x.test', 'Ana', 3, 0, 0, 'clean', 0, '|', '[]', '{}');
    INSERT INTO recipients (email_id, position, kind, email) VALUES (1, 0, 'to', 'a@x.test'), (1, 1, 'cc', 'a@x.test'), (1, 2, 'cc', 'b@x.test');
    INSERT INTO lists (id, label, position) VALUES ('l', 'L', 0);
    INSERT INTO list_values (list_id, value) VALUES ('l', 'ärger'), ('l', 'arger');
    DROP INDEX emails_from; DROP INDEX emails_from_domain; DROP INDEX emails_to; DROP INDEX emails_message_id;
    DROP INDEX recipients_by_address; DROP INDEX links_by_host;
    ${FOLDED_COLUMNS.map(([table, column]) => `ALTER TABLE ${table} DROP COLUMN ${column}_folded;`).join(' ')}
    CREATE INDEX emails_from ON emails (from_email);
    ALTER TABLE links DROP COLUMN source;
    PRAGMA user_version = 5;`);
  old.close();
}

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-folds-'));
  file = path.join(folder, 'service.sqlite');
  writeOld(file);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a store of the previous version is folded again', () => {
  const store = openStore({ path: file }, evidenceSource);
  const row = store.db
    .prepare(
      'SELECT subject, subject_folded, subject_words, from_email, from_email_folded, from_name_folded, recipients_count FROM emails',
    )
    .get();
  expect(row).toEqual({
    subject: 'Fatura İPTAL',
    subject_folded: 'fatura iptal',
    subject_words: ' fatura iptal ',
    from_email: 'müller@x.test',
    from_email_folded: 'muller@x.test',
    from_name_folded: 'ana',
    recipients_count: 2,
  });
  expect(store.db.prepare('SELECT value FROM list_values').pluck().all()).toEqual(['arger']);
  expect(
    store.db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'emails_from'").pluck().get(),
  ).toContain('from_email_folded');
  store.close();
});

it('stays unchanged whichever statement fails, and the next start completes it', () => {
  const contentOf = (db: Database.Database) => ({
    version: db.pragma('user_version', { simple: true }),
    schema: db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all(),
    emails: db.prepare('SELECT * FROM emails').all(),
    values: db.prepare('SELECT * FROM list_values').all(),
  });
  const look = () => {
    const db = new Database(file, { readonly: true });
    try {
      return contentOf(db);
    } finally {
      db.close();
    }
  };
  const before = look();
  const exec = Database.prototype.exec;
  let statements = 0;
  let failing = 0;
  const spy = vi.spyOn(Database.prototype, 'exec').mockImplementation(function (
    this: Database.Database,
    sql,
  ) {
    statements += 1;
    if (statements === failing) throw new Error('made to fail');
    return exec.call(this, sql);
  });
  try {
    for (failing = 1; ; failing += 1) {
      statements = 0;
      let store: Store | null = null;
      try {
        store = openStore({ path: file }, evidenceSource);
      } catch (error) {
        expect(error).toMatchObject({ message: 'made to fail' });
      }
      if (store === null) expect(look()).toEqual(before);
      else {
        store.close();
        break;
      }
    }
  } finally {
    spy.mockRestore();
  }
  expect(failing).toBeGreaterThan(5);
  expect(look()).toMatchObject({
    version: SCHEMA_VERSION,
    values: [expect.objectContaining({ value: 'arger' })],
  });
});
