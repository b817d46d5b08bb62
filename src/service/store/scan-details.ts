/** sql_queries/common/scan_details: every tool of the catalogue, with what it said of one entity. */
import type { ScanDetail } from '#shared/model/entities.ts';
import { random } from '../demo/prng.ts';
import { storyOf } from '../demo/stories.ts';
import { appsOf } from './apps.ts';
import { attachmentsOf, detailOf, type EmailRow, scansOf } from './emails.ts';
import { type FileRow, fileScans } from './files.ts';
import type { ScanRecord } from './records.ts';
import { runningRescans } from './rescans.ts';
import type { Store } from './store.ts';
import { STACK } from './verdicts.ts';

const SLOW = /_te$/;

/** What scan details are about: an email, a file or a chat message. */
export interface ScanSubject {
  entityId: string;
  /** Mail files: no tool ran but the provider whose word stands in the mail. */
  evidence: boolean;
  scans: readonly ScanRecord[];
  /** Milliseconds since the epoch at which the entity came. */
  since: number | null;
  /** Milliseconds after it at which verdicts were changed, where the tools themselves do not say. */
  reEvaluatedAfter?: number | undefined;
  from: string;
  domain: string;
  files(): readonly string[];
  links: number;
}

export function emailSubject(store: Store, row: EmailRow): ScanSubject {
  return {
    entityId: row.entity_id,
    evidence: row.file_id !== null,
    scans: scansOf(row),
    since: row.received_at,
    reEvaluatedAfter: detailOf(row).reEvaluatedAfter,
    from: row.from_email ?? '',
    domain: row.from_domain ?? '',
    files: () => attachmentsOf(store, row.id).map(({ name }) => name),
    links: row.links_count,
  };
}

export function fileSubject(store: Store, row: FileRow): ScanSubject {
  return {
    entityId: row.entity_id,
    evidence: false,
    scans: fileScans(store, row),
    since: row.modified_at,
    from: row.owner ?? '',
    domain: '',
    files: () => [row.title],
    links: 0,
  };
}

/** In stack order. Over evidence no tool ran: those of the stack apply and have no result. */
export function scanDetailsOf(store: Store, subject: ScanSubject): ScanDetail[] {
  const scans = new Map(subject.scans.map((scan) => [scan.tool, scan]));
  const running = runningRescans(store, subject.entityId);
  const tools = appsOf(store)
    .filter((app) => !app.is_saas)
    .sort((a, b) => (a.security_stack_order ?? 0) - (b.security_stack_order ?? 0));
  return tools.map(({ name, label }) => {
    const scan = scans.get(name);
    const due = running.get(name);
    const rescan =
      due === undefined ? {} : { rescan: { state: 'running', until: new Date(due).toISOString() } };
    if (scan)
      return { ...(subject.evidence ? plain(scan, label, subject) : told(scan, label, subject)), ...rescan };
    const applies = (subject.evidence && STACK.some(({ id }) => id === name)) || due !== undefined;
    return {
      tool: name,
      label,
      applicable: applies,
      status: null,
      entity_id: subject.entityId,
      ...rescan,
    };
  });
}

function plain(scan: ScanRecord, label: string, subject: ScanSubject): ScanDetail {
  return {
    tool: scan.tool,
    label,
    applicable: true,
    status: scan.status ?? null,
    verdict_code: scan.code ?? null,
    matches: scan.matches ?? null,
    clicks: scan.clicks ?? null,
    suspicious: scan.suspicious ?? false,
    summary: scan.summary ?? null,
    error: scan.error ?? null,
    entity_id: subject.entityId,
  };
}

function told(scan: ScanRecord, label: string, subject: ScanSubject): ScanDetail {
  const rng = random(`${subject.entityId}/${scan.tool}/time`);
  const slow = SLOW.test(scan.tool);
  const duration = scan.error ? 90_000 : slow ? rng.int(12_000, 55_000) : rng.int(180, 1_900);
  const late = scan.after ?? (scan.reEvaluated ? (subject.reEvaluatedAfter ?? 83_000) : duration + 1_000);
  const story = storyOf(scan.story, scan.tool, {
    from: subject.from,
    domain: subject.domain,
    files: subject.files(),
    links: subject.links,
    matches: scan.matches ?? 0,
    clicks: scan.clicks ?? 0,
    seed: subject.entityId,
  });
  return {
    ...plain(scan, label, subject),
    reasons: story.reasons,
    summary: scan.error ?? scan.summary ?? story.summary,
    scanned_at: subject.since === null ? null : new Date(subject.since + late).toISOString(),
    duration_ms: scan.tool === 'clicktime_protection' ? null : duration,
    re_evaluated: scan.reEvaluated ?? false,
  };
}
