/** Brings a store in line with an evidence folder: adds new mail, keeps known mail, removes mail that is surely gone. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Statement } from 'better-sqlite3';
import type { EvidenceReport } from '#shared/embedded.ts';
import { ingestInto } from '../../store/ingest.ts';
import type { AppRecord, EmailRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { toolCatalogue } from '../../store/tool-catalogue.ts';
import {
  type EvidenceBatch,
  type EvidenceProgress,
  type EvidenceSummary,
  readEvidence,
} from '../reader/read-evidence.ts';
import { entityIdOf, recordOf } from './email-record.ts';
import { forgetLog, ingestSignins, type SigninSummary } from './ingest-signins.ts';
import { applyTrust } from './trust.ts';

const MAX_REPORTED = 10_000;
/** Removing more records than this and more than a tenth of all, or all of them, needs the analyst's answer. */
const GONE_UNASKED = 10;
const GONE_SHARE = 0.1;
/** `evidence_files.complete` of a file that was missing at the last reading, or could not be read to its end. */
const ABSENT = 2;
/** Version of the reader. Raise it when the same bytes give other records: evidence read by an older one is read again. */
const READER = '6';
const CHILDREN = ['recipients', 'attachments', 'links', 'clicks', 'raw_mail', 'evidence_messages'];

interface IngestOptions {
  signal?: AbortSignal;
  /** Authserv-ids that the analyst trusts, lowercased: of what is stored as well as of what comes in. */
  believed?: readonly string[];
  onProgress?: (progress: EvidenceProgress) => void;
}

/** A folder of mail: one app, and no tool that ran. */
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
  ...toolCatalogue(),
];

/** Gives a store the app catalogue of evidence and its indexes; a store that has them is left as it is. */
export function prepareEvidence(store: Store): void {
  store.db.transaction(() => {
    if (store.meta('source') !== null) return;
    ingestInto(store, { evidence: true }).apps(evidenceApps());
    store.setMeta('source', JSON.stringify({ kind: 'evidence' }));
  })();
  store.buildIndexes();
}

/** Throws when the path cannot be opened, and on abort; batches that came in before stay. */
export async function ingestEvidence(
  store: Store,
  root: string,
  options: IngestOptions = {},
): Promise<EvidenceReport> {
  await stat(root);
  applyTrust(store, options.believed ?? []);
  const run = new IngestRun(store, path.resolve(root));
  run.start();
  const summary = await readEvidence(
    root,
    {
      file: (file, size, modified) => run.isKnownFile(file, size, modified),
      message: (source) => run.isKnownMessage(source.file, entityIdOf(run.root, source)),
      copy: (sha256) => run.placeOfCopy(sha256),
    },
    (batch) => run.take(batch),
    { ...options },
  );
  const logs = await ingestSignins(store, run.root, summary.others, {
    rereads: run.rereads,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  run.reconcile(summary, logs);
  return run.report();
}

/**
 * The analyst's answer about what is gone: kept for good, or removed with all that hangs on it. Answers how many
 * emails and sign-ins were removed.
 */
export function resolveAbsent(store: Store, answer: 'keep' | 'remove'): number {
  if (answer === 'remove') return removeGone(store);
  store.db.prepare("UPDATE evidence_absent SET state = 'kept' WHERE state = 'gone'").run();
  return 0;
}

function removeGone(store: Store): number {
  const { db } = store;
  return db.transaction(() => {
    const { gone } = absentOf(store);
    const idsOf = (kind: string) =>
      db
        .prepare("SELECT id FROM evidence_absent WHERE state = 'gone' AND kind = ?")
        .pluck()
        .all(kind) as number[];
    const drops = CHILDREN.map((table) => db.prepare(`DELETE FROM ${table} WHERE email_id = ?`));
    const mail = db.prepare('DELETE FROM emails WHERE id = ?');
    for (const id of idsOf('mail')) {
      for (const drop of drops) drop.run(id);
      mail.run(id);
    }
    for (const id of idsOf('log')) forgetLog(store, id);
    db.prepare("DELETE FROM evidence_absent WHERE state = 'gone'").run();
    // Forget files whose last mail was removed.
    const emptied = `FROM evidence_files WHERE complete = ${ABSENT} AND NOT EXISTS (SELECT 1 FROM emails e WHERE e.file_id = evidence_files.id)`;
    db.prepare(
      `DELETE FROM evidence_problems WHERE EXISTS (SELECT 1 ${emptied} AND evidence_files.root = evidence_problems.root AND evidence_files.path = evidence_problems.file)`,
    ).run();
    db.prepare(`DELETE ${emptied}`).run();
    return gone;
  })();
}

/** Counts of emails and sign-ins that were read before and are missing now. */
function absentOf(store: Store): { gone: number; unreachable: number } {
  const count = store.db
    .prepare(
      `SELECT (SELECT count(*) FROM evidence_absent WHERE kind = 'mail' AND state = @state)
        + (SELECT count(*) FROM logins l JOIN evidence_absent a ON a.kind = 'log' AND a.id = l.file_id WHERE a.state = @state)`,
    )
    .pluck();
  return {
    gone: Number(count.get({ state: 'gone' })),
    unreachable: Number(count.get({ state: 'unreachable' })),
  };
}

const recordsIn = (store: Store): number =>
  Number(
    store.db
      .prepare(
        'SELECT (SELECT count(*) FROM emails) + (SELECT count(*) FROM logins WHERE file_id IS NOT NULL)',
      )
      .pluck()
      .get(),
  );

class IngestRun {
  readonly root: string;
  private readonly store: Store;
  private readonly statements = new Map<string, Statement>();
  private readonly ingest: ReturnType<typeof ingestInto>;
  /** By file that had stored messages: the ones found again in this run. New files are not in it. */
  private readonly seen = new Map<string, Set<string>>();
  /** Emails and sign-ins stored before this run. */
  private readonly known: number;
  /** They were read by an older version of the reader: everything is read again. */
  readonly rereads: boolean;
  private imported = 0;
  private unchanged = 0;
  private removed = 0;

  constructor(store: Store, root: string) {
    this.store = store;
    this.root = root;
    this.ingest = ingestInto(store, { evidence: true });
    this.known = recordsIn(store);
    this.rereads = this.known > 0 && store.meta('reader') !== READER;
  }

  private sql(text: string): Statement {
    let statement = this.statements.get(text);
    if (statement === undefined) {
      statement = this.store.db.prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }

  /** Files that are no mail are listed at every run, so their problems of the last run go first. */
  start(): void {
    // An interrupted first run counts as read by this version.
    if (this.known === 0) this.store.setMeta('reader', READER);
    this.sql("DELETE FROM evidence_problems WHERE root = ? AND kind IN ('not-mail', 'unreadable')").run(
      this.root,
    );
  }

  isKnownFile(file: string, size: number, modified: number): boolean {
    const row = this.sql(
      'SELECT messages FROM evidence_files WHERE root = ? AND path = ? AND size = ? AND modified_ms = ? AND complete = 1',
    ).get(this.root, file, size, modified) as { messages: number } | undefined;
    if (!row || this.rereads) {
      this.sql('DELETE FROM evidence_problems WHERE root = ? AND file = ?').run(this.root, file);
      if (
        this.sql('SELECT 1 FROM evidence_files WHERE root = ? AND path = ?').get(this.root, file) !==
        undefined
      )
        this.seen.set(file, new Set());
      return false;
    }
    this.unchanged += row.messages;
    return true;
  }

  isKnownMessage(file: string, entityId: string): boolean {
    const known = this.sql('SELECT 1 FROM emails WHERE entity_id = ?').get(entityId) !== undefined;
    if (!known || this.rereads) return false;
    this.saw(file, entityId);
    this.unchanged += 1;
    return true;
  }

  placeOfCopy(sha256: string): string | null {
    const place = this.sql('SELECT place FROM evidence_messages WHERE sha256 = ? ORDER BY email_id LIMIT 1')
      .pluck()
      .get(sha256);
    return typeof place === 'string' ? place : null;
  }

  private saw(file: string, entityId: string): void {
    this.seen.get(file)?.add(entityId);
  }

  private fileId(file: string): number {
    const row = this.sql('SELECT id FROM evidence_files WHERE root = ? AND path = ?')
      .pluck()
      .get(this.root, file);
    if (row !== undefined) return Number(row);
    return Number(
      this.sql(
        'INSERT INTO evidence_files (root, path, size, modified_ms, messages, complete) VALUES (?, ?, 0, 0, 0, 0)',
      ).run(this.root, file).lastInsertRowid,
    );
  }

  take(batch: EvidenceBatch): void {
    this.store.db.transaction(() => {
      const ids = new Map<string, number>();
      const records: EmailRecord[] = [];
      for (const message of batch.messages) {
        const { file } = message.source;
        const id = ids.get(file) ?? this.fileId(file);
        ids.set(file, id);
        const record = recordOf(this.root, message, id);
        this.saw(file, record.entityId);
        records.push(record);
      }
      const restoreTags = this.rereads ? this.displace(records) : null;
      const rows = this.ingest.emails(records);
      restoreTags?.(rows);
      const place = this.sql(
        'INSERT OR REPLACE INTO evidence_messages (email_id, place, sha256) VALUES (?, ?, ?)',
      );
      for (const [index, { source }] of batch.messages.entries())
        place.run(rows[index] ?? 0, `${source.file}#${source.offset}`, source.sha256);
      const problem = this.sql(
        'INSERT INTO evidence_problems (root, file, position, kind, reason) VALUES (?, ?, ?, ?, ?)',
      );
      for (const { file, offset, kind, reason } of batch.problems)
        problem.run(this.root, file, offset, kind, reason);
      for (const file of batch.files) this.finish(file);
    })();
    this.imported += batch.messages.length;
  }

  /** Deletes the rows of mail that is read again. The answer puts its tags on the new rows, given in the same order. */
  private displace(records: readonly EmailRecord[]): (rows: readonly number[]) => void {
    const tags = records.map(({ entityId }) => {
      const id = this.sql('SELECT id FROM emails WHERE entity_id = ?').pluck().get(entityId);
      if (id === undefined) return [];
      for (const table of CHILDREN) this.sql(`DELETE FROM ${table} WHERE email_id = ?`).run(id);
      this.sql('DELETE FROM emails WHERE id = ?').run(id);
      this.mark('mail', Number(id), null);
      return this.sql('DELETE FROM tags WHERE email_id = ? RETURNING tag').pluck().all(id);
    });
    return (rows) => {
      for (const [at, mine] of tags.entries())
        for (const tag of mine)
          this.sql('INSERT INTO tags (email_id, tag) VALUES (?, ?)').run(rows[at] ?? 0, tag);
    };
  }

  private finish(file: EvidenceBatch['files'][number]): void {
    const id = this.fileId(file.file);
    const kept = this.seen.get(file.file);
    if (kept !== undefined) {
      for (const one of this.mailsOf(id)) this.mark('mail', one.id, kept.has(one.entity_id) ? null : 'gone');
      this.seen.delete(file.file);
    }
    this.sql(
      'UPDATE evidence_files SET size = ?, modified_ms = ?, messages = ?, complete = 1 WHERE id = ?',
    ).run(file.size, file.mtimeMs, file.messages, id);
  }

  private mailsOf(fileId: number): { id: number; entity_id: string }[] {
    return this.sql('SELECT id, entity_id FROM emails WHERE file_id = ?').all(fileId) as {
      id: number;
      entity_id: string;
    }[];
  }

  /** null: it is there. The state 'kept', an answer of the analyst, is never overwritten. */
  private mark(kind: 'mail' | 'log', id: number, state: 'gone' | 'unreachable' | null): void {
    if (state === null) this.sql('DELETE FROM evidence_absent WHERE kind = ? AND id = ?').run(kind, id);
    else
      this.sql(
        "INSERT INTO evidence_absent (kind, id, state) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state WHERE state <> 'kept'",
      ).run(kind, id, state);
  }

  /** Marks what is missing. A few missing records are removed at once; many, or all of them, wait for the analyst. */
  reconcile({ seen, blocked }: EvidenceSummary, logs: SigninSummary): void {
    const present = new Set(seen);
    const outOfReach = blockedBy([...blocked, ...logs.unread]);
    const files = this.sql('SELECT id, path FROM evidence_files WHERE root = ?').all(this.root) as {
      id: number;
      path: string;
    }[];
    this.store.db.transaction(() => {
      for (const file of files) {
        if (present.has(file.path)) continue;
        // If the file comes back it is compared message by message.
        this.sql('UPDATE evidence_files SET complete = ? WHERE id = ?').run(ABSENT, file.id);
        const state = outOfReach(file.path) ? 'unreachable' : 'gone';
        const met = this.seen.get(file.path);
        for (const mail of this.mailsOf(file.id))
          this.mark('mail', mail.id, met?.has(mail.entity_id) ? null : state);
      }
      const known = this.sql('SELECT id, path FROM evidence_logs WHERE root = ?').all(this.root) as {
        id: number;
        path: string;
      }[];
      for (const log of known)
        this.mark(
          'log',
          log.id,
          logs.seen.has(log.path) ? null : outOfReach(log.path) ? 'unreachable' : 'gone',
        );
      const { gone } = absentOf(this.store);
      const many = gone >= this.known || (gone > GONE_UNASKED && gone > this.known * GONE_SHARE);
      if (!many) this.removed = removeGone(this.store);
      this.store.setMeta('reader', READER);
    })();
  }

  report(): EvidenceReport {
    return {
      ...reportOf(this.store),
      imported: this.imported,
      unchanged: this.unchanged,
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

/** The report without reading anything: problems, files that are no mail, missing records. */
export function reportOf(store: Store): EvidenceReport {
  const { db } = store;
  const notMail = Number(
    db.prepare("SELECT count(*) FROM evidence_problems WHERE kind = 'not-mail'").pluck().get(),
  );
  const problems = db
    .prepare(
      'SELECT file, position AS "offset", reason FROM evidence_problems ORDER BY kind = \'not-mail\', id LIMIT ?',
    )
    .all(MAX_REPORTED) as EvidenceReport['problems'];
  const unchanged = Number(db.prepare('SELECT count(*) FROM emails').pluck().get());
  const unreadable = Number(
    db
      .prepare(
        "SELECT count(DISTINCT file) FROM evidence_problems WHERE kind IN ('unreadable', 'too-large', 'unread sign-in log')",
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
