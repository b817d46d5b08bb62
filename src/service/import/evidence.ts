/** Evidence into the store: what is new comes in, what is known stays, what is gone goes. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Statement } from 'better-sqlite3';
import type { EvidenceReport } from '#shared/embedded.ts';
import { type EvidenceBatch, type EvidenceProgress, importEvidence } from '../evidence/import.ts';
import { evidenceApps } from '../generator/apps.ts';
import { ingestInto } from '../store/ingest.ts';
import type { EmailRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { entityIdOf, recordOf } from './record.ts';
import { importSignins } from './signin.ts';

const MAX_REPORTED = 10_000;
const CHILDREN = ['recipients', 'attachments', 'links', 'clicks', 'raw_mail', 'evidence_messages'];

export interface EvidenceImportOptions {
  signal?: AbortSignal;
  onProgress?: (progress: EvidenceProgress) => void;
}

/** Makes an empty store ready for evidence; an older one as well. */
export function prepareEvidence(store: Store): void {
  if (store.meta('source') === null) {
    ingestInto(store, { evidence: true }).apps(evidenceApps());
    store.setMeta('source', JSON.stringify({ kind: 'evidence' }));
  }
  store.buildIndexes();
}

/** Throws when the path cannot be opened, and on abort; batches that came in before stay. */
export async function importInto(
  store: Store,
  root: string,
  options: EvidenceImportOptions = {},
): Promise<EvidenceReport> {
  const run = new ImportRun(store, path.resolve(root));
  await stat(root);
  run.start();
  const summary = await importEvidence(
    root,
    {
      file: (file, size, modified) => run.isKnownFile(file, size, modified),
      message: (source) => run.isKnownMessage(source.file, entityIdOf(run.root, source)),
      copy: (sha256) => run.placeOfCopy(sha256),
    },
    (batch) => run.take(batch),
    { ...options },
  );
  run.dropAbsent(new Set(summary.seen));
  await importSignins(store, root, options.signal ? { signal: options.signal } : {});
  return run.report();
}

class ImportRun {
  readonly root: string;
  private readonly store: Store;
  private readonly statements = new Map<string, Statement>();
  private readonly ingest: ReturnType<typeof ingestInto>;
  /** What was met of files that had messages stored before; of a new file none can be gone. */
  private readonly seen = new Map<string, Set<string>>();
  private imported = 0;
  private unchanged = 0;
  private removed = 0;

  constructor(store: Store, root: string) {
    this.store = store;
    this.root = root;
    this.ingest = ingestInto(store, { evidence: true });
  }

  private sql(text: string): Statement {
    let statement = this.statements.get(text);
    if (statement === undefined) {
      statement = this.store.db.prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }

  /** Files that are no mail are walked anew every time; so are their problems. */
  start(): void {
    this.sql("DELETE FROM evidence_problems WHERE root = ? AND kind IN ('not-mail', 'unreadable')").run(
      this.root,
    );
  }

  isKnownFile(file: string, size: number, modified: number): boolean {
    const row = this.sql(
      'SELECT messages FROM evidence_files WHERE root = ? AND path = ? AND size = ? AND modified_ms = ? AND complete = 1',
    ).get(this.root, file, size, modified) as { messages: number } | undefined;
    if (!row) {
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
    if (known) {
      this.saw(file, entityId);
      this.unchanged += 1;
    }
    return known;
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
      const rows = this.ingest.emails(records);
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

  private finish(file: EvidenceBatch['files'][number]): void {
    const id = this.fileId(file.file);
    const kept = this.seen.get(file.file);
    if (kept !== undefined) {
      const stored = this.sql('SELECT id, entity_id FROM emails WHERE file_id = ?').all(id) as {
        id: number;
        entity_id: string;
      }[];
      for (const one of stored) if (!kept.has(one.entity_id)) this.drop(one.id);
      this.seen.delete(file.file);
    }
    this.sql(
      'UPDATE evidence_files SET size = ?, modified_ms = ?, messages = ?, complete = 1 WHERE id = ?',
    ).run(file.size, file.mtimeMs, file.messages, id);
  }

  private drop(id: number): void {
    for (const table of CHILDREN) this.sql(`DELETE FROM ${table} WHERE email_id = ?`).run(id);
    this.sql('DELETE FROM emails WHERE id = ?').run(id);
    this.removed += 1;
  }

  dropAbsent(present: ReadonlySet<string>): void {
    const files = this.sql('SELECT id, path FROM evidence_files WHERE root = ?').all(this.root) as {
      id: number;
      path: string;
    }[];
    this.store.db.transaction(() => {
      for (const file of files) {
        if (present.has(file.path)) continue;
        const mails = this.sql('SELECT id FROM emails WHERE file_id = ?').pluck().all(file.id) as number[];
        for (const id of mails) this.drop(id);
        this.sql('DELETE FROM evidence_files WHERE id = ?').run(file.id);
        this.sql('DELETE FROM evidence_problems WHERE root = ? AND file = ?').run(this.root, file.path);
      }
    })();
  }

  report(): EvidenceReport {
    return {
      ...reportOf(this.store),
      imported: this.imported,
      unchanged: this.unchanged,
      removed: this.removed,
    };
  }
}

/** What the store knows without an import: its problems and files that are no mail. */
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
  return { imported: 0, unchanged, removed: 0, notMail, problems };
}
