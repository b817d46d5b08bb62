/** A reading of evidence: stores new mail, keeps the mail that is there already, and notes where each was seen. */

import type { EvidenceReport } from '#shared/embedded.ts';
import {
  type EvidenceBatch,
  type EvidenceFile,
  type EvidenceMail,
  type EvidenceSource,
  entityIdOf,
  type KeptMail,
  type Reached,
  type Reading,
  type ReadingOptions,
} from '../../store/evidence.ts';
import type { Row } from '../../store/stored-values.ts';
import { type EmailWriter, emailWriter } from '../ingest-emails.ts';
import { EMAIL_CHILDREN } from '../schema.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import { type Statements, statementsOf } from '../statements.ts';
import { markAbsent, recordsIn, removeFew, reportOf } from './absent.ts';
import { nameCampaigns } from './campaigns.ts';
import { storeCaseFacts } from './case-facts.ts';
import { campaignGroups } from './key-groups.ts';
import { SigninLogs } from './signin-logs.ts';
import { StoredHashes } from './stored-hashes.ts';
import { Threads } from './threads.ts';

type Given<Name extends keyof Reading> = Parameters<Reading[Name]>;

class SqliteReading implements Reading {
  readonly #store: SqliteStore;
  readonly #root: string;
  readonly #options: ReadingOptions;
  readonly #sql: Statements;
  readonly #emails: EmailWriter;
  readonly #threads: Threads;
  readonly #campaigns: ReturnType<typeof campaignGroups>;
  readonly #logs: SigninLogs;
  /** Emails and sign-ins stored before this reading. */
  readonly #before: number;
  /** The hashes that this reading stored, if the store was empty. */
  readonly #stored: StoredHashes | null;
  /** Treats every file as unknown. */
  readonly #rereads: boolean;
  /** Marks the places that this reading visited. */
  readonly #run: number;
  readonly #now = Date.now();
  #imported = 0;
  /** Rows of unfinished files, without places of an earlier reading if it `isNew`. */
  readonly #begun = new Map<string, { id: number; isNew: boolean }>();
  /** Whether an earlier reading left files, or problems other than those that the constructor removes. */
  readonly #hasFiles: boolean;
  readonly #hasProblems: boolean;

  constructor(store: SqliteStore, root: string, options: ReadingOptions) {
    this.#store = store;
    this.#root = root;
    this.#options = options;
    this.#sql = statementsOf(store.db);
    this.#emails = emailWriter(store);
    this.#threads = new Threads(this.#sql);
    this.#campaigns = campaignGroups(this.#sql);
    this.#logs = new SigninLogs(store.db, root);
    this.#before = recordsIn(store);
    this.#stored = this.#before === 0 ? new StoredHashes() : null;
    // A store that an older version of the reader filled is read again.
    this.#rereads = options.verifies || (this.#before > 0 && store.meta('reader') !== options.reader);
    this.#run = Number(store.meta('run') ?? 0) + 1;
    store.setMeta('run', String(this.#run));
    // An interrupted first run counts as read by this version.
    if (this.#before === 0) store.setMeta('reader', options.reader);
    // Files that are not mail are reported in every run.
    this.#sql(
      "DELETE FROM evidence_problems WHERE root = ? AND kind IN ('not-mail', 'unopened', 'unreadable', 'keys')",
    ).run(root);
    const has = (table: string) => this.#sql(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
    this.#hasFiles = has('evidence_files');
    this.#hasProblems = has('evidence_problems');
  }

  /** A program can restore the modification time of a file, but not its change time. */
  async hasFile(...[{ file, size, mtimeMs, ctimeMs, ino }]: Given<'hasFile'>): Promise<boolean> {
    return (
      this.#hasFiles &&
      !this.#rereads &&
      this.#sql(
        `SELECT 1 FROM evidence_files WHERE root = ? AND path = ? AND size = ? AND modified_ms = ? AND changed_ms = ?
         AND inode = ? AND complete = 1`,
      ).get(this.#root, file, size, mtimeMs, ctimeMs, String(ino)) !== undefined
    );
  }

  async beginFile(file: string): Promise<void> {
    if (!this.#hasProblems) return;
    this.#store.db.transaction(() => {
      // Its own rows, and those of files in it: '0' is the character after '/'.
      const { changes } = this.#sql(
        "DELETE FROM evidence_problems WHERE root = ? AND (file = ? OR file > ? || '/' AND file < ? || '0')",
      ).run(this.#root, file, file, file);
      // If this reading is interrupted, the next one must find them again.
      if (changes > 0)
        this.#sql('UPDATE evidence_files SET complete = 0 WHERE root = ? AND path = ?').run(this.#root, file);
    })();
  }

  async hasMail(sha256: string): Promise<boolean> {
    if (this.#stored?.mayHave(sha256) === false) return false;
    const reader = this.#sql(
      'SELECT m.reader FROM emails e JOIN evidence_messages m ON m.email_id = e.id WHERE e.entity_id = ?',
    )
      .pluck()
      .get(entityIdOf(sha256));
    return reader === this.#options.reader;
  }

  async add(batch: EvidenceBatch<KeptMail>): Promise<void> {
    this.#emails.transaction(() => {
      for (const message of batch.messages) {
        const file = this.#fileOf(message.source.file).id;
        this.#placeInFile(this.#keep(message, file, message.source.isRead), file, message.source);
      }
      for (const source of batch.copies) {
        const id = this.#idOf(source.sha256);
        // A mail counts as read if any of its copies was opened.
        if (source.isRead != null)
          this.#sql('UPDATE emails SET is_read = max(ifnull(is_read, 0), ?) WHERE id = ?').run(
            source.isRead ? 1 : 0,
            id,
          );
        this.#placeInFile(id, this.#fileOf(source.file).id, source);
      }
      const problem = this.#sql(
        'INSERT INTO evidence_problems (root, file, position, kind, reason) VALUES (?, ?, ?, ?, ?)',
      );
      for (const { file, offset, kind, reason } of batch.problems)
        problem.run(this.#root, file, offset, kind, reason);
      for (const file of batch.files) this.#finish(file);
    });
  }

  #idOf(sha256: string): number {
    if (this.#stored?.mayHave(sha256) === false) return 0;
    return Number(
      this.#sql('SELECT id FROM emails WHERE entity_id = ?').pluck().get(entityIdOf(sha256)) ?? 0,
    );
  }

  #fileOf(file: string): { id: number; isNew: boolean } {
    let row = this.#begun.get(file);
    if (row !== undefined) return row;
    const stored = this.#sql('SELECT id FROM evidence_files WHERE root = ? AND path = ?')
      .pluck()
      .get(this.#root, file);
    const id =
      stored ??
      this.#sql(
        'INSERT INTO evidence_files (root, path, size, modified_ms, messages, complete) VALUES (?, ?, 0, 0, 0, 0)',
      ).run(this.#root, file).lastInsertRowid;
    row = { id: Number(id), isNew: stored === undefined };
    this.#begun.set(file, row);
    return row;
  }

  /**
   * Stores a mail with the mails attached to it, replacing the result of an older reader version. `isRead` is as marked by
   * its location; omitted: the mail's own fields decide.
   */
  #keep(mail: EvidenceMail<KeptMail>, file: number, isRead?: boolean | null): number {
    const thread_id = this.#threads.join(mail.thread);
    const campaign_id = mail.campaignKeys.length === 0 ? null : this.#campaigns.join(mail.campaignKeys);
    const old = this.#idOf(mail.sha256);
    if (old > 0) this.#displace(old);
    const mark: Row = isRead === undefined ? {} : { is_read: isRead === null ? null : Number(isRead) };
    const id = this.#emails.write(mail.rows, { thread_id, campaign_id, file_id: file, ...mark });
    this.#stored?.add(mail.sha256);
    if (old > 0) this.#putBack(old, id);
    this.#threads.joinBySubject(mail.thread, id, thread_id);
    this.#sql(
      'INSERT INTO evidence_messages (email_id, sha256, imported_at, reader) VALUES (?, ?, ?, ?)',
    ).run(id, mail.sha256, this.#now, this.#options.reader);
    if (this.#options.queues) this.#sql('INSERT INTO rule_queue (email_id) VALUES (?)').run(id);
    this.#imported += 1;
    for (const { part, sha256, content } of mail.attached) {
      const child = content === null ? this.#idOf(sha256) : this.#keep(content, file, null);
      this.#sql(
        `INSERT OR IGNORE INTO evidence_places (email_id, file_id, position, length, mbox, parent_id, part, run)
         VALUES (?, 0, 0, 0, 0, ?, ?, ?)`,
      ).run(child, id, part, this.#run);
    }
    return id;
  }

  #placeInFile(email: number, file: number, { entry, offset, length, mbox }: EvidenceSource): void {
    this.#sql(
      `INSERT INTO evidence_places (email_id, file_id, position, length, mbox, parent_id, part, run)
       VALUES (?, ?, ?, ?, ?, 0, ?, ?)
       ON CONFLICT DO UPDATE SET length = excluded.length, mbox = excluded.mbox, absent = NULL, run = excluded.run`,
    ).run(email, file, offset, length, mbox ? 1 : 0, entry, this.#run);
  }

  /** Deletes the row of a mail that is read again; its tags and places are kept under the negative id meanwhile. */
  #displace(id: number): void {
    for (const table of EMAIL_CHILDREN) this.#sql(`DELETE FROM ${table} WHERE email_id = ?`).run(id);
    this.#sql('DELETE FROM evidence_places WHERE parent_id = ? AND parent_id > 0').run(id);
    for (const table of ['tags', 'evidence_places'])
      this.#sql(`UPDATE ${table} SET email_id = -email_id WHERE email_id = ?`).run(id);
    this.#sql('DELETE FROM emails WHERE id = ?').run(id);
    this.#sql("DELETE FROM evidence_absent WHERE kind = 'mail' AND id = ?").run(id);
  }

  #putBack(old: number, id: number): void {
    for (const table of ['tags', 'evidence_places'])
      this.#sql(`UPDATE ${table} SET email_id = ? WHERE email_id = ?`).run(id, -old);
  }

  #finish({ file, size, mtimeMs, ctimeMs, ino, messages }: EvidenceFile): void {
    const { id, isNew } = this.#fileOf(file);
    this.#begun.delete(file);
    if (!isNew)
      this.#sql(
        "UPDATE evidence_places SET absent = 'gone' WHERE file_id = ? AND file_id > 0 AND run <> ?",
      ).run(id, this.#run);
    this.#sql(
      'UPDATE evidence_files SET size = ?, modified_ms = ?, changed_ms = ?, inode = ?, messages = ?, complete = 1 WHERE id = ?',
    ).run(size, mtimeMs, ctimeMs, String(ino), messages, id);
  }

  async stateOfLog(...[log]: Given<'stateOfLog'>): ReturnType<Reading['stateOfLog']> {
    return this.#logs.stateOf(log);
  }

  async beginLog(...[log]: Given<'beginLog'>): Promise<number> {
    return this.#logs.begin(log);
  }

  async addSignins(...[log, signins]: Given<'addSignins'>): Promise<void> {
    this.#logs.add(log, signins);
  }

  async endLog(...args: Given<'endLog'>): Promise<void> {
    this.#logs.end(...args);
  }

  async refuseLog(...[file, reason]: Given<'refuseLog'>): Promise<void> {
    this.#logs.refuse(file, reason);
  }

  async end(reached: Reached): Promise<EvidenceReport> {
    const store = this.#store;
    const removed = store.db.transaction(() => {
      this.#logs.accept(reached.logs.seen);
      markAbsent(store, this.#root, this.#run, reached);
      const count = removeFew(store, this.#before);
      nameCampaigns(store);
      store.setMeta('reader', this.#options.reader);
      if (this.#imported > 0 || count > 0) storeCaseFacts(store);
      return count;
    })();
    const present = Number(
      this.#sql(
        "SELECT (SELECT count(*) FROM emails) - (SELECT count(*) FROM evidence_absent WHERE kind = 'mail')",
      )
        .pluck()
        .get(),
    );
    return {
      ...reportOf(store),
      imported: this.#imported,
      unchanged: Math.max(0, present - this.#imported),
      removed,
      known: this.#before,
    };
  }
}

export const startReading = (store: SqliteStore, root: string, options: ReadingOptions): Reading =>
  new SqliteReading(store, root, options);
