/** sql_queries/common/scan_details: every tool of the catalogue, with what it said of one email. */
import type { ScanDetail } from '#shared/model/entities.ts';
import { random } from '../generator/prng.ts';
import { storyOf } from '../generator/stories.ts';
import { appsOf } from './apps.ts';
import { attachmentsOf, detailOf, type EmailRow, scansOf } from './emails.ts';
import type { ScanRecord } from './records.ts';
import type { Store } from './store.ts';
import { STACK } from './verdicts.ts';

const SLOW = /_te$/;

/** In stack order. Over evidence no tool ran: those of the stack apply and have no result. */
export function scanDetailsOf(store: Store, row: EmailRow): ScanDetail[] {
  const scans = new Map(scansOf(row).map((scan) => [scan.tool, scan]));
  const isEvidence = row.file_id !== null;
  const tools = appsOf(store)
    .filter((app) => !app.is_saas)
    .sort((a, b) => (a.security_stack_order ?? 0) - (b.security_stack_order ?? 0));
  return tools.map(({ name, label }) => {
    const scan = scans.get(name);
    if (scan) return isEvidence ? plain(scan, label, row) : told(store, scan, label, row);
    const applies = isEvidence && STACK.some(({ id }) => id === name);
    return { tool: name, label, applicable: applies, status: null, entity_id: row.entity_id };
  });
}

function plain(scan: ScanRecord, label: string, row: EmailRow): ScanDetail {
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
    entity_id: row.entity_id,
  };
}

function told(store: Store, scan: ScanRecord, label: string, row: EmailRow): ScanDetail {
  const rng = random(`${row.entity_id}/${scan.tool}/time`);
  const slow = SLOW.test(scan.tool);
  const duration = scan.error ? 90_000 : slow ? rng.int(12_000, 55_000) : rng.int(180, 1_900);
  const late = scan.reEvaluated ? (detailOf(row).reEvaluatedAfter ?? 83_000) : duration + 1_000;
  const story = storyOf(scan.story, scan.tool, {
    from: row.from_email ?? '',
    domain: row.from_domain ?? '',
    files: attachmentsOf(store, row.id).map(({ name }) => name),
    links: row.links_count,
    matches: scan.matches ?? 0,
    clicks: scan.clicks ?? 0,
    seed: row.entity_id,
  });
  return {
    ...plain(scan, label, row),
    reasons: story.reasons,
    summary: scan.error ?? story.summary,
    scanned_at: row.received_at === null ? null : new Date(row.received_at + late).toISOString(),
    duration_ms: scan.tool === 'clicktime_protection' ? null : duration,
    re_evaluated: scan.reEvaluated ?? false,
  };
}
