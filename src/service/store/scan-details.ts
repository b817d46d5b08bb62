/** sql_queries/common/scan_details: every tool of the catalogue, with its result for one entity. */
import type { ScanDetail } from '#shared/model/entities.ts';
import { detailOf, type EmailRow, scansOf } from './emails.ts';
import { type FileRow, fileScans } from './files.ts';
import type { ScanSubject } from './mail-source.ts';
import type { ScanRecord } from './records.ts';
import type { Store } from './store.ts';
import { CHECK_STACK } from './verdicts.ts';

export async function emailSubject(store: Store, row: EmailRow): Promise<ScanSubject> {
  return {
    entityId: row.entity_id,
    scans: scansOf(row),
    since: row.received_at,
    reEvaluatedAfter: detailOf(row).reEvaluatedAfter,
    from: row.from_email ?? '',
    domain: row.from_domain ?? '',
    files: (await store.mails.attachments(row.id)).map(({ name }) => name),
    links: row.links_count,
  };
}

export async function fileSubject(store: Store, row: FileRow): Promise<ScanSubject> {
  return {
    entityId: row.entity_id,
    scans: fileScans(row, await store.entities.state(row.entity_id), store.source.tenant),
    since: row.modified_at,
    from: row.owner ?? '',
    domain: '',
    files: [row.title],
    links: 0,
  };
}

/** In stack order. For evidence: the kinds of checks. */
export async function scanDetailsOf(store: Store, subject: ScanSubject): Promise<ScanDetail[]> {
  const scans = new Map(subject.scans.map((scan) => [scan.tool, scan]));
  const running = await store.entities.rescans(subject.entityId);
  const { tenant } = store.source;
  const apps = await store.stack.apps();
  const tools = apps
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
