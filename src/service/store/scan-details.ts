/** sql_queries/common/scan_details: every tool of the catalogue, with its result for one entity. */
import type { ScanDetail } from '#shared/model/entities.ts';
import { appsOf } from '../store-sqlite/apps.ts';
import { attachmentsOf } from '../store-sqlite/emails.ts';
import { runningRescans } from '../store-sqlite/rescans.ts';
import type { Store } from '../store-sqlite/store.ts';
import { detailOf, type EmailRow, scansOf } from './emails.ts';
import { type FileRow, fileScans } from './files.ts';
import type { ScanSubject } from './mail-source.ts';
import type { ScanRecord } from './records.ts';
import { CHECK_STACK } from './verdicts.ts';

export function emailSubject(store: Store, row: EmailRow): ScanSubject {
  return {
    entityId: row.entity_id,
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
    scans: fileScans(store, row),
    since: row.modified_at,
    from: row.owner ?? '',
    domain: '',
    files: () => [row.title],
    links: 0,
  };
}

/** In stack order. For evidence: the kinds of checks. */
export function scanDetailsOf(store: Store, subject: ScanSubject): ScanDetail[] {
  const scans = new Map(subject.scans.map((scan) => [scan.tool, scan]));
  const running = runningRescans(store, subject.entityId);
  const { tenant } = store.source;
  const tools = appsOf(store)
    .filter((app) => !app.is_saas)
    .sort((a, b) => (a.security_stack_order ?? 0) - (b.security_stack_order ?? 0));
  return tools.map(({ name, label }) => {
    const scan = scans.get(name);
    const due = running.get(name);
    const rescan =
      due === undefined ? {} : { rescan: { state: 'running', until: new Date(due).toISOString() } };
    if (scan) return { ...plain(scan, label, subject), ...tenant?.scanDetail(scan, subject), ...rescan };
    const applies = (tenant === null && CHECK_STACK.includes(name)) || due !== undefined;
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
