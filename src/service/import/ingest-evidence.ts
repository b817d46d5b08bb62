/**
 * Synchronises a store with an evidence folder: adds new mail, keeps known mail, removes mail that is certainly gone.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Statement } from 'better-sqlite3';
import type { EvidenceReport } from '#shared/embedded.ts';
import type { EvidenceMail, EvidenceSource } from '../formats/mail/types.ts';
import type { EvidenceRules } from '../rules/evidence-rules.ts';
import type { EmailRows } from '../store/email-rows.ts';
import type { AppRecord } from '../store/records.ts';
import type { Row } from '../store/stored-values.ts';
import { checkCatalogue } from '../store/tool-catalogue.ts';
import { nameCampaigns } from '../store-sqlite/evidence/campaigns.ts';
import { storeCaseFacts } from '../store-sqlite/evidence/case-facts.ts';
import { campaignGroups, type KeyGroups } from '../store-sqlite/evidence/key-groups.ts';
import { StoredHashes } from '../store-sqlite/evidence/stored-hashes.ts';
import { Threads } from '../store-sqlite/evidence/threads.ts';
import { ingestInto } from '../store-sqlite/ingest.ts';
import { emailRowsWriter } from '../store-sqlite/ingest-emails.ts';
import { EMAIL_CHILDREN } from '../store-sqlite/schema.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { entityIdOf } from './email-record.ts';
import { saveHunts } from './hunts.ts';
import { forgetLog, ingestSignins, isLog, type SigninSummary } from './ingest-signins.ts';
import type { KeptMail } from './kept-mail.ts';
import { Parsers } from './parsers.ts';
import {
  type EvidenceBatch,
  type EvidenceProgress,
  type EvidenceSummary,
  readEvidenceBy,
} from './read-evidence.ts';
import { applyTrust } from './trust.ts';
import type { ListedFile } from './walk.ts';

const MAX_REPORTED = 10_000;
/** Removing more than this many records and more than a tenth of all, or all of them, needs the analyst's decision. */
const GONE_UNASKED = 10;
const GONE_SHARE = 0.1;
/** `evidence_files.complete` of a file that was missing at the last reading, or could not be fully read. */
const ABSENT = 2;
/**
 * Version of the reader of mail. Increment it when the same bytes give other records: mail read by an earlier version is
 * read again. Sign-in logs have a version of their own.
 */
export const READER = '40';

interface IngestOptions {
  signal?: AbortSignal;
  /** Authserv-ids that the analyst trusts, lowercased: for stored mail as well as new mail. */
  believed?: readonly string[];
  onProgress?: (progress: EvidenceProgress) => void;
  /** Reads every file and compares each mail with its hash, ignoring file times. */
  verifies?: boolean | undefined;
  /** Checks each new mail by the rules of the analyst. */
  rules?: EvidenceRules;
  /** Entry of the threads that parse mail; omitted: it is parsed in this thread. */
  threads?: URL;
}

/** The app catalogue of a mail folder: one app, and the checks of its mail. */
const evidenceApps = (): AppRecord[] => [
  {
    name: 'evidence',
    label: 'Mail evidence',
    state: 'enabled',
    category: 'Email',
    family: 'evidence',
    is_saas: true,
    license_info: null,
    options: {},
    app_store_order: 0,
    security_stack_order: null,
  },
  ...checkCatalogue(),
];

/** Gives a store the app catalogue of evidence, its hunts and its indexes, unless it has them. */
export function prepareEvidence(store: SqliteStore): void {
  store.db.transaction(() => {
    if (store.meta('source') !== null) return;
    ingestInto(store, { evidence: true }).apps(evidenceApps());
    saveHunts(store);
    store.setMeta('source', JSON.stringify({ kind: 'evidence' }));
  })();
  store.buildIndexes();
}

/** Throws when the path cannot be opened, and on abort; batches stored before that stay. */
export async function ingestEvidence(
  store: SqliteStore,
  root: string,
  options: IngestOptions = {},
): Promise<EvidenceReport> {
  await stat(root);
  applyTrust(store, options.believed ?? []);
  const run = new IngestRun(store, path.resolve(root), options);
  run.start();
  const { signal, believed = [], threads, rules } = options;
  const parsers = new Parsers({ entry: threads, believed, signal });
  const summary = await readEvidenceBy(
    parsers.read,
    root,
    {
      file: (file) => run.isKnownFile(file),
      begin: (file) => run.begin(file),
      content: (sha256) => run.isKnownContent(sha256),
    },
    async (batch) => {
      if (rules === undefined) return run.take(batch);
      await rules.inTurn(() => run.take(batch));
      await rules.checkNew();
    },
    { ...options, isReadLater: isLog, onListed: ({ size }) => parsers.expect(size) },
  ).finally(() => parsers.close());
  const logs = await ingestSignins(store, run.root, summary.others, {
    rereads: options.verifies ?? false,
    onProgress: ({ file, files, bytes }) =>
      options.onProgress?.({ ...summary, file, files: summary.files + files, bytes: summary.bytes + bytes }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  run.reconcile(summary, logs);
  if (run.hasChanged()) storeCaseFacts(store);
  return run.report();
}

/**
 * Applies the analyst's decision about missing records: keeps them permanently, or removes them with everything that
 * belongs to them. Returns how many emails and logins were removed.
 */
export function resolveAbsent(store: SqliteStore, answer: 'keep' | 'remove'): number {
  if (answer === 'remove') return removeGone(store);
  store.db.prepare("UPDATE evidence_absent SET state = 'kept' WHERE state = 'gone'").run();
  return 0;
}

function removeGone(store: SqliteStore): number {
  const { db } = store;
  return db.transaction(() => {
    const { gone } = absentOf(store);
    const idsOf = (kind: string) =>
      db
        .prepare<unknown[], number>("SELECT id FROM evidence_absent WHERE state = 'gone' AND kind = ?")
        .pluck()
        .all(kind);
    const drops = [...EMAIL_CHILDREN, 'tags', 'evidence_places'].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE email_id = ?`),
    );
    const parted = db.prepare('DELETE FROM evidence_places WHERE parent_id = ? AND parent_id > 0');
    const mail = db.prepare('DELETE FROM emails WHERE id = ?');
    for (const id of idsOf('mail')) {
      for (const drop of drops) drop.run(id);
      parted.run(id);
      mail.run(id);
    }
    for (const id of idsOf('log')) forgetLog(store, id);
    db.prepare("DELETE FROM evidence_absent WHERE state = 'gone'").run();
    nameCampaigns(store);
    // Remove files without any remaining mail.
    const emptied = `FROM evidence_files WHERE complete = ${ABSENT} AND NOT EXISTS (SELECT 1 FROM evidence_places p WHERE p.file_id = evidence_files.id AND p.file_id > 0)`;
    db.prepare(
      `DELETE FROM evidence_problems WHERE EXISTS (SELECT 1 ${emptied} AND evidence_files.root = evidence_problems.root AND (evidence_problems.file = evidence_files.path
        OR evidence_problems.file > evidence_files.path || '/' AND evidence_problems.file < evidence_files.path || '0'))`,
    ).run();
    db.prepare(`DELETE ${emptied}`).run();
    return gone;
  })();
}

/**
 * Counts emails and logins that were read before and are missing now. A login in several logs is missing if all of them
 * are: gone if each of them is gone, else unreachable.
 */
function absentOf(store: SqliteStore): { gone: number; unreachable: number } {
  const count = store.db
    .prepare(
      `SELECT (SELECT count(*) FROM evidence_absent WHERE kind = 'mail' AND state = @state)
        + (SELECT count(*) FROM logins l JOIN evidence_absent a ON a.kind = 'log' AND a.id = l.file_id WHERE a.state = @state
          AND NOT EXISTS (
            SELECT 1 FROM logins c LEFT JOIN evidence_absent b ON b.kind = 'log' AND b.id = c.file_id
            WHERE c.event = l.event AND c.listed IN (0, 1) AND coalesce(c.country = l.country, 1)
              AND (coalesce(b.state, '') NOT IN ('gone', @state) OR (b.state = @state AND c.id < l.id))))`,
    )
    .pluck();
  return {
    gone: Number(count.get({ state: 'gone' })),
    unreachable: Number(count.get({ state: 'unreachable' })),
  };
}

const recordsIn = (store: SqliteStore): number =>
  Number(
    store.db
      .prepare(
        'SELECT (SELECT count(*) FROM emails) + (SELECT count(*) FROM logins WHERE file_id IS NOT NULL AND listed = 1)',
      )
      .pluck()
      .get(),
  );

class IngestRun {
  readonly root: string;
  private readonly store: SqliteStore;
  private readonly statements = new Map<string, Statement>();
  private readonly write: (rows: EmailRows, own: Row) => number;
  private readonly threads: Threads;
  private readonly campaigns: KeyGroups;
  /** Emails and sign-ins stored before this run. */
  private readonly known: number;
  /** The hashes that this run stored in an empty store; null: the store was not empty. */
  private readonly stored: StoredHashes | null;
  /** The store was filled by an older version of the reader, so everything is read again. */
  private readonly rereads: boolean;
  /** Treats every file as unknown. */
  private readonly rereadsFiles: boolean;
  /** Marks the places that this reading found. */
  private readonly run: number;
  /** New mail waits for the rules. */
  private readonly queues: boolean;
  private readonly now = Date.now();
  private imported = 0;
  private removed = 0;
  /** Rows of unfinished files; `isNew`: without places of an earlier reading. */
  private readonly begun = new Map<string, { id: number; isNew: boolean }>();
  /** Whether an earlier reading left files, or problems other than those that `start` removes. */
  private hasFiles = true;
  private hasProblems = true;

  constructor(store: SqliteStore, root: string, { verifies = false, rules }: IngestOptions) {
    this.store = store;
    this.root = root;
    this.queues = rules !== undefined;
    this.write = emailRowsWriter(store);
    this.threads = new Threads((text) => this.sql(text));
    this.campaigns = campaignGroups((text) => this.sql(text));
    this.known = recordsIn(store);
    this.stored = this.known === 0 ? new StoredHashes() : null;
    this.rereads = this.known > 0 && store.meta('reader') !== READER;
    this.rereadsFiles = this.rereads || verifies;
    this.run = Number(store.meta('run') ?? 0) + 1;
  }

  private sql(text: string): Statement {
    let statement = this.statements.get(text);
    if (statement === undefined) {
      statement = this.store.db.prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }

  /** Files that are not mail are reported in every run, so the problems of the last run are removed first. */
  start(): void {
    this.store.setMeta('run', String(this.run));
    // An interrupted first run counts as read by this version.
    if (this.known === 0) this.store.setMeta('reader', READER);
    this.sql(
      "DELETE FROM evidence_problems WHERE root = ? AND kind IN ('not-mail', 'unopened', 'unreadable')",
    ).run(this.root);
    const has = (table: string) => this.sql(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
    this.hasFiles = has('evidence_files');
    this.hasProblems = has('evidence_problems');
  }

  /** Nothing changed: a program can restore the modification time of a file, but not its change time. */
  isKnownFile({ file, size, mtimeMs, ctimeMs, ino }: ListedFile): boolean {
    return (
      this.hasFiles &&
      !this.rereadsFiles &&
      this.sql(
        `SELECT 1 FROM evidence_files WHERE root = ? AND path = ? AND size = ? AND modified_ms = ? AND changed_ms = ?
         AND inode = ? AND complete = 1`,
      ).get(this.root, file, size, mtimeMs, ctimeMs, String(ino)) !== undefined
    );
  }

  /** The file is about to be read: its problems are found again. */
  begin({ file }: ListedFile): void {
    if (!this.hasProblems) return;
    this.store.db.transaction(() => {
      // Its own rows, and those of files in it: '0' is the character after '/'.
      const { changes } = this.sql(
        "DELETE FROM evidence_problems WHERE root = ? AND (file = ? OR file > ? || '/' AND file < ? || '0')",
      ).run(this.root, file, file, file);
      // If this reading is interrupted, the next one must find them again.
      if (changes > 0)
        this.sql('UPDATE evidence_files SET complete = 0 WHERE root = ? AND path = ?').run(this.root, file);
    })();
  }

  isKnownContent(sha256: string): boolean {
    if (this.stored?.mayHave(sha256) === false) return false;
    const reader = this.sql(
      'SELECT m.reader FROM emails e JOIN evidence_messages m ON m.email_id = e.id WHERE e.entity_id = ?',
    )
      .pluck()
      .get(entityIdOf(sha256));
    return reader === READER;
  }

  private idOf(sha256: string): number {
    if (this.stored?.mayHave(sha256) === false) return 0;
    return Number(this.sql('SELECT id FROM emails WHERE entity_id = ?').pluck().get(entityIdOf(sha256)) ?? 0);
  }

  private fileOf(file: string): { id: number; isNew: boolean } {
    let row = this.begun.get(file);
    if (row !== undefined) return row;
    const known = this.sql('SELECT id FROM evidence_files WHERE root = ? AND path = ?')
      .pluck()
      .get(this.root, file);
    const id =
      known ??
      this.sql(
        'INSERT INTO evidence_files (root, path, size, modified_ms, messages, complete) VALUES (?, ?, 0, 0, 0, 0)',
      ).run(this.root, file).lastInsertRowid;
    row = { id: Number(id), isNew: known === undefined };
    this.begun.set(file, row);
    return row;
  }

  take(batch: EvidenceBatch<KeptMail>): void {
    this.store.db.transaction(() => {
      for (const message of batch.messages) {
        const file = this.fileOf(message.source.file).id;
        this.placeInFile(this.keep(message, file, message.source.isRead), file, message.source);
      }
      for (const source of batch.copies) {
        const id = this.idOf(source.sha256);
        // A mail counts as read if any of its copies was opened.
        if (source.isRead != null)
          this.sql('UPDATE emails SET is_read = max(ifnull(is_read, 0), ?) WHERE id = ?').run(
            source.isRead ? 1 : 0,
            id,
          );
        this.placeInFile(id, this.fileOf(source.file).id, source);
      }
      const problem = this.sql(
        'INSERT INTO evidence_problems (root, file, position, kind, reason) VALUES (?, ?, ?, ?, ?)',
      );
      for (const { file, offset, kind, reason } of batch.problems)
        problem.run(this.root, file, offset, kind, reason);
      for (const file of batch.files) this.finish(file);
    })();
  }

  /**
   * Stores a mail with the mails attached to it, replacing the result of an older reader version. `isRead`: as marked by
   * its location; omitted: the mail's own fields decide.
   */
  private keep(mail: EvidenceMail<KeptMail>, file: number, isRead?: boolean | null): number {
    const thread_id = this.threads.join(mail.thread);
    const campaign_id = mail.campaignKeys.length === 0 ? null : this.campaigns.join(mail.campaignKeys);
    const old = this.idOf(mail.sha256);
    if (old > 0) this.displace(old);
    const mark: Row = isRead === undefined ? {} : { is_read: isRead === null ? null : Number(isRead) };
    const id = this.write(mail.rows, { thread_id, campaign_id, file_id: file, ...mark });
    this.stored?.add(mail.sha256);
    if (old > 0) this.putBack(old, id);
    this.threads.joinBySubject(mail.thread, id, thread_id);
    this.sql('INSERT INTO evidence_messages (email_id, sha256, imported_at, reader) VALUES (?, ?, ?, ?)').run(
      id,
      mail.sha256,
      this.now,
      READER,
    );
    if (this.queues) this.sql('INSERT INTO rule_queue (email_id) VALUES (?)').run(id);
    this.imported += 1;
    for (const { part, sha256, content } of mail.attached) {
      const child = content === null ? this.idOf(sha256) : this.keep(content, file, null);
      this.sql(
        `INSERT OR IGNORE INTO evidence_places (email_id, file_id, position, length, mbox, parent_id, part, run)
         VALUES (?, 0, 0, 0, 0, ?, ?, ?)`,
      ).run(child, id, part, this.run);
    }
    return id;
  }

  private placeInFile(email: number, file: number, { entry, offset, length, mbox }: EvidenceSource): void {
    this.sql(
      `INSERT INTO evidence_places (email_id, file_id, position, length, mbox, parent_id, part, run)
       VALUES (?, ?, ?, ?, ?, 0, ?, ?)
       ON CONFLICT DO UPDATE SET length = excluded.length, mbox = excluded.mbox, absent = NULL, run = excluded.run`,
    ).run(email, file, offset, length, mbox ? 1 : 0, entry, this.run);
  }

  /** Deletes the row of a mail that is read again; its tags and places are kept under the negative id meanwhile. */
  private displace(id: number): void {
    for (const table of EMAIL_CHILDREN) this.sql(`DELETE FROM ${table} WHERE email_id = ?`).run(id);
    this.sql('DELETE FROM evidence_places WHERE parent_id = ? AND parent_id > 0').run(id);
    for (const table of ['tags', 'evidence_places'])
      this.sql(`UPDATE ${table} SET email_id = -email_id WHERE email_id = ?`).run(id);
    this.sql('DELETE FROM emails WHERE id = ?').run(id);
    this.sql("DELETE FROM evidence_absent WHERE kind = 'mail' AND id = ?").run(id);
  }

  private putBack(old: number, id: number): void {
    for (const table of ['tags', 'evidence_places'])
      this.sql(`UPDATE ${table} SET email_id = ? WHERE email_id = ?`).run(id, -old);
  }

  private finish({ file, size, mtimeMs, ctimeMs, ino, messages }: EvidenceBatch['files'][number]): void {
    const { id, isNew } = this.fileOf(file);
    this.begun.delete(file);
    if (!isNew)
      this.sql(
        "UPDATE evidence_places SET absent = 'gone' WHERE file_id = ? AND file_id > 0 AND run <> ?",
      ).run(id, this.run);
    this.sql(
      'UPDATE evidence_files SET size = ?, modified_ms = ?, changed_ms = ?, inode = ?, messages = ?, complete = 1 WHERE id = ?',
    ).run(size, mtimeMs, ctimeMs, String(ino), messages, id);
  }

  /** null: it exists. The analyst's decision 'kept' is never overwritten. */
  private markLog(id: number, state: 'gone' | 'unreachable' | null): void {
    if (state === null) this.sql("DELETE FROM evidence_absent WHERE kind = 'log' AND id = ?").run(id);
    else
      this.sql(
        "INSERT INTO evidence_absent (kind, id, state) VALUES ('log', ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state WHERE state <> 'kept'",
      ).run(id, state);
  }

  /**
   * Folders that were mount points of another disk or share at an earlier reading and are not now: the mail read there is
   * not gone, its disk is disconnected. An unmounted disk leaves an empty folder.
   */
  private unmounted(mounts: readonly string[]): string[] {
    const name = `mounts:${this.root}`;
    const earlier = JSON.parse(this.store.meta(name) ?? '[]') as string[];
    const has = this.sql(
      `SELECT 1 FROM (SELECT root, path FROM evidence_files UNION ALL SELECT root, path FROM evidence_logs)
       WHERE root = ? AND path > ? AND (? = '' OR path < ?)`,
    );
    const missing = earlier.filter(
      (folder) =>
        !mounts.includes(folder) &&
        has.get(this.root, folder === '' ? '' : `${folder}/`, folder, `${folder}0`) !== undefined,
    );
    this.store.setMeta(name, JSON.stringify([...mounts, ...missing]));
    for (const folder of missing)
      this.sql(
        "INSERT INTO evidence_problems (root, file, position, kind, reason) VALUES (?, ?, NULL, 'unreadable', ?)",
      ).run(this.root, folder || '.', 'the disk or share that was read here is not connected');
    return missing;
  }

  /** Whether this reading added or removed mail. */
  hasChanged(): boolean {
    return this.imported > 0 || this.removed > 0;
  }

  /** Marks missing records. A few are removed at once; many, or all of them, wait for the analyst. */
  reconcile({ seen, blocked, mounts }: EvidenceSummary, logs: SigninSummary): void {
    const present = new Set(seen);
    const outOfReach = blockedBy([...blocked, ...logs.unread, ...this.unmounted(mounts)]);
    const files = this.sql('SELECT id, path FROM evidence_files WHERE root = ?').all(this.root) as {
      id: number;
      path: string;
    }[];
    this.store.db.transaction(() => {
      for (const file of files) {
        if (present.has(file.path)) continue;
        // If the file returns, it is compared message by message.
        this.sql('UPDATE evidence_files SET complete = ? WHERE id = ?').run(ABSENT, file.id);
        this.sql('UPDATE evidence_places SET absent = ? WHERE file_id = ? AND file_id > 0 AND run <> ?').run(
          outOfReach(file.path) ? 'unreachable' : 'gone',
          file.id,
          this.run,
        );
      }
      this.markMail();
      const known = this.sql('SELECT id, path FROM evidence_logs WHERE root = ?').all(this.root) as {
        id: number;
        path: string;
      }[];
      for (const { id, path } of known) {
        const isRead = logs.seen.has(path) || logs.begun.has(path);
        this.markLog(id, isRead ? null : outOfReach(path) ? 'unreachable' : 'gone');
      }
      const { gone } = absentOf(this.store);
      const many = gone >= this.known || (gone > GONE_UNASKED && gone > this.known * GONE_SHARE);
      if (!many) this.removed = removeGone(this.store);
      nameCampaigns(this.store);
      this.store.setMeta('reader', READER);
    })();
  }

  /** A mail is gone when its last place, and the last mail that it is attached to, is gone. */
  private markMail(): void {
    // Follows attachments from mail to mail, starting from the files that contain or may contain the outermost ones.
    for (const [table, state] of [
      ['present', 'absent IS NULL'],
      ['possible', "(absent IS NULL OR absent = 'unreachable')"],
    ])
      this.store.db.exec(`CREATE TEMP TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY); DELETE FROM ${table};
        INSERT INTO ${table} WITH RECURSIVE reached (id) AS (
          SELECT email_id FROM evidence_places WHERE file_id > 0 AND ${state}
          UNION SELECT p.email_id FROM reached r JOIN evidence_places p ON p.parent_id = r.id AND p.parent_id > 0)
        SELECT id FROM reached`);
    this.store.db.exec(`
      DELETE FROM evidence_absent WHERE kind = 'mail' AND id IN present;
      INSERT INTO evidence_absent (kind, id, state)
        SELECT 'mail', id, iif(id IN possible, 'unreachable', 'gone') FROM emails
        WHERE file_id IS NOT NULL AND id NOT IN present
        ON CONFLICT DO UPDATE SET state = excluded.state WHERE state <> 'kept';
      DELETE FROM evidence_places WHERE file_id > 0 AND absent = 'gone' AND email_id IN present;
      DROP TABLE temp.present; DROP TABLE temp.possible`);
  }

  report(): EvidenceReport {
    const present = Number(
      this.sql(
        "SELECT (SELECT count(*) FROM emails) - (SELECT count(*) FROM evidence_absent WHERE kind = 'mail')",
      )
        .pluck()
        .get(),
    );
    return {
      ...reportOf(this.store),
      imported: this.imported,
      unchanged: Math.max(0, present - this.imported),
      removed: this.removed,
      known: this.known,
    };
  }
}

/** Tests whether a path or a folder above it is in the list. '' is the root. */
function blockedBy(places: readonly string[]): (file: string) => boolean {
  const blocked = new Set(places);
  return (file) => {
    if (blocked.has('') || blocked.has(file)) return true;
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
      if (blocked.has(file.slice(0, at))) return true;
    return false;
  };
}

/** The report without reading anything: problems, files that are not mail, missing records. */
export function reportOf(store: SqliteStore): EvidenceReport {
  const { db } = store;
  const notMail = Number(
    db
      .prepare("SELECT count(*) FROM evidence_problems WHERE kind IN ('not-mail', 'other entry')")
      .pluck()
      .get(),
  );
  const problems = db
    .prepare(
      "SELECT file, position AS \"offset\", reason FROM evidence_problems ORDER BY kind IN ('not-mail', 'other entry'), id LIMIT ?",
    )
    .all(MAX_REPORTED) as EvidenceReport['problems'];
  const unchanged = Number(db.prepare('SELECT count(*) FROM emails').pluck().get());
  const unreadable = Number(
    db
      .prepare(
        "SELECT count(DISTINCT file) FROM evidence_problems WHERE kind IN ('unreadable', 'unopened', 'too-large', 'unread entry', 'unread sign-in log')",
      )
      .pluck()
      .get(),
  );
  return {
    imported: 0,
    unchanged,
    removed: 0,
    notMail,
    problems,
    unreadable,
    known: recordsIn(store),
    ...absentOf(store),
  };
}
