/** Rescans: they take some time and may change a tool's result. */

import type { MatchSubject } from '#shared/exceptions/match.ts';
import { verdictRank } from '#shared/model/verdict.ts';
import { roleOf } from '../roles.ts';
import type { Actor } from '../store/action.ts';
import { detailOf, type EmailRow, scansOf } from '../store/emails.ts';
import { rulingWords, subjectOfFile } from '../store/exceptions.ts';
import { type FileRow, fileScans } from '../store/files.ts';
import type { ScanRecord } from '../store/records.ts';
import { storedVerdict, verdictOf } from '../store/verdicts.ts';
import { findEmail } from './emails.ts';
import { changeState, stateOf } from './entity-state.ts';
import { record } from './events.ts';
import { rulingOf, subjectOfEmail } from './exceptions.ts';
import { findFile } from './files.ts';
import type { SqliteStore } from './sqlite-store.ts';

const FILE_TOOLS: readonly string[] = [
  'checkpoint_te',
  'lastline_av_file',
  'checkpoint_av',
  'dlp_checkpoint',
];

interface Subject {
  entityId: string;
  scans: readonly ScanRecord[];
  /** Milliseconds since the epoch to which `after` is relative. */
  since: number;
  reported: boolean;
  /** What exceptions can match. */
  match(): MatchSubject;
  save(scans: ScanRecord[]): void;
}

/** Null if there is no such entity, or no tool scans this kind. */
function subjectOf(store: SqliteStore, entityType: string, entityId: string): Subject | null {
  if (store.source.tenant === null) return null;
  if (entityType === 'email') {
    const row = findEmail(store, entityId);
    return row && emailSubject(store, row);
  }
  if (entityType === 'file') {
    const row = findFile(store, entityId);
    return row ? fileSubject(store, row) : null;
  }
  return null;
}

function emailSubject(store: SqliteStore, row: EmailRow): Subject {
  return {
    entityId: row.entity_id,
    scans: scansOf(row),
    since: row.received_at ?? 0,
    reported: (row.user_reported ?? 0) > 0 || detailOf(row).report !== undefined,
    match: () => subjectOfEmail(store, row),
    save: (scans) => {
      const { scans: json, stack, verdict, rank, code } = storedVerdict(scans, false);
      store.db
        .prepare(
          'UPDATE emails SET scans = ?, stack = ?, verdict = ?, verdict_rank = ?, verdict_code = ? WHERE id = ?',
        )
        .run(json, stack, verdict, rank, code, row.id);
    },
  };
}

function fileSubject(store: SqliteStore, row: FileRow): Subject {
  return {
    entityId: row.entity_id,
    scans: fileScans(row, stateOf(store, row.entity_id), store.source.tenant),
    since: row.modified_at,
    reported: false,
    match: () => subjectOfFile(row),
    save: (scans) => {
      changeState(store, row.entity_id, { scans });
      const { verdict, code } = storedVerdict(scans, false);
      store.db
        .prepare('UPDATE files SET verdict = ?, verdict_rank = ?, verdict_code = ? WHERE id = ?')
        .run(verdict, verdictRank(verdict), code, row.id);
    },
  };
}

export function rescannable(store: SqliteStore, entityType: string, entityId: string): string[] | null {
  const subject = subjectOf(store, entityType, entityId);
  if (!subject) return null;
  const tools = subject.scans.map(({ tool }) => tool);
  // An antivirus that has not scanned yet can be asked to.
  return entityType === 'file' ? [...new Set([...tools, ...FILE_TOOLS])] : tools;
}

/** Starts the rescans, or keeps running ones. Returns when the last one will be done (ms since the epoch). */
export function beginRescan(
  store: SqliteStore,
  entityType: string,
  entityId: string,
  tools: readonly string[],
  by: Actor,
  now: number,
): number {
  const insert = store.db.prepare(
    `INSERT INTO rescans (entity_type, entity_id, tool, asked_at, due_at, actor) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const due = store.db.prepare('SELECT max(due_at) FROM rescans WHERE entity_id = ?').pluck();
  return store.db.transaction(() => {
    for (const tool of tools) {
      const takes = store.source.tenant?.rescanTime(entityId, tool) ?? 0;
      insert.run(entityType, entityId, tool, now, now + takes, by.name);
    }
    record(store, {
      entityId,
      at: now,
      type: 'rescan_requested',
      actor: by.name,
      actorLabel: roleOf(by.role).label,
      summary: `Rescan asked of ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`,
      detail: tools.join(', '),
    });
    return Number(due.get(entityId));
  })();
}

export function runningRescans(store: SqliteStore, entityId: string): Map<string, number> {
  const rows = store.db
    .prepare<
      unknown[],
      {
        tool: string;
        due_at: number;
      }
    >('SELECT tool, due_at FROM rescans WHERE entity_id = ?')
    .all(entityId);
  return new Map(rows.map(({ tool, due_at }) => [tool, due_at]));
}

interface RescanRow {
  entity_type: string;
  entity_id: string;
  tool: string;
  due_at: number;
}

export function finishRescans(store: SqliteStore, now: number): void {
  const rows = store.db
    .prepare<unknown[], RescanRow>(
      'DELETE FROM rescans WHERE due_at <= ? RETURNING entity_type, entity_id, tool, due_at',
    )
    .all(now);
  for (const row of rows.sort((a, b) => a.due_at - b.due_at)) finish(store, row);
}

function finish(store: SqliteStore, { entity_type, entity_id, tool, due_at }: RescanRow): void {
  const { tenant } = store.source;
  const subject = subjectOf(store, entity_type, entity_id);
  if (!subject || !tenant) return;
  const before = subject.scans.find((scan) => scan.tool === tool);
  const runs = (before?.runs ?? 0) + 1;
  const { scans: earlier, reported } = subject;
  const outcome = tenant.rescan({ entityId: entity_id, tool, before, scans: earlier, reported, run: runs });
  const result = ruled(store, tool, subject, outcome);
  const was = before ? verdictOf(before) : null;
  const is = verdictOf(result);
  const changed = was !== null && (was.verdict !== is.verdict || was.error !== is.error);
  const after: ScanRecord = {
    ...result,
    runs,
    after: Math.max(1, due_at - subject.since),
    ...(changed || before?.reEvaluated ? { reEvaluated: true as const } : {}),
  };
  const others = subject.scans.filter((scan) => scan.tool !== tool);
  const index = subject.scans.findIndex((scan) => scan.tool === tool);
  const scans = index < 0 ? [...others, after] : others.toSpliced(index, 0, after);
  subject.save(scans);
  record(store, {
    entityId: entity_id,
    at: due_at,
    type: changed ? 're_evaluated' : 'scanned',
    actor: tool,
    actorLabel: null,
    summary: changed
      ? `Verdict changed from ${was?.verdict} to ${is.verdict}`
      : `Scanned again: ${is.verdict}`,
    reEvaluated: changed,
  });
}

const MALWARE_TOOLS: readonly string[] = ['checkpoint_te', 'lastline_av_file', 'checkpoint_av'];

/** Applies exceptions, which override the tool's own result. */
function ruled(store: SqliteStore, tool: string, subject: Subject, result: ScanRecord): ScanRecord {
  const ruling = rulingOf(store, tool, subject.match());
  if (!ruling || (ruling.spamOnly && verdictOf(result).verdict !== 'spam')) return result;
  const summary = rulingWords(ruling);
  if (ruling.list === 'block')
    return {
      tool,
      status: 'finished',
      code: MALWARE_TOOLS.includes(tool) ? 'malw' : 'phsh',
      matches: 1,
      summary,
    };
  return { tool, status: /_te$/.test(tool) ? 'benign' : 'clean', code: 'clean', matches: 0, summary };
}
