/** The profile of one email, from its row. */
import type { EmailProfile, Mailbox } from '#shared/model/entities.ts';
import { detailOf, type EmailRow, linksOf, recipientsOf, scansOf } from './emails.ts';
import type { EmailDetail } from './records.ts';
import type { Store } from './store.ts';

const iso = (ms: number | null | undefined): string | null =>
  ms == null ? null : new Date(ms).toISOString();

export function profileOf(store: Store, row: EmailRow): EmailProfile {
  const detail = detailOf(row);
  const recipients = recipientsOf(store, row.id);
  const of = (kind: string): Mailbox[] =>
    recipients.filter((one) => one.kind === kind).map(({ name, email }) => ({ name, email }));
  const bcc = of('bcc');
  return {
    entity_id: row.entity_id,
    entity_type: 'email',
    saas: row.saas,
    from: row.from_email === null ? null : { name: row.from_name, email: row.from_email },
    sender: detail.sender ? { ...detail.sender } : null,
    reply_to: (detail.replyTo ?? []).map((one) => ({ ...one })),
    return_path: detail.returnPath ?? null,
    to: of('to'),
    cc: of('cc'),
    bcc: bcc.length > 0 || detail.bccKnown ? bcc : null,
    subject: row.subject,
    message_id: row.message_id,
    received: iso(row.received_at),
    sent: iso(row.sent_at),
    folder: row.state,
    size: row.size,
    direction: row.direction,
    client_ip: row.client_ip,
    language: row.language,
    ...lifecycle(row, detail),
    encryption_status: detail.encryption ?? null,
    workflow: detail.workflow ?? null,
    link_replacement: row.link_replacement,
    links: linksOf(store, row.id).map((link) => ({
      url: link.url,
      host: link.host,
      text: link.text,
      status: link.status,
      mismatched: link.mismatched === null ? null : link.mismatched === 1,
    })),
    verdict: row.verdict,
    verdict_code: row.verdict_code,
    verdict_reason: detail.reason ?? null,
    re_evaluated_at: reEvaluatedAt(row, detail),
    thread_id: row.thread_id,
    spf: row.spf,
    dkim: row.dkim,
    dmarc: row.dmarc,
    ...(detail.evidence ? { evidence: detail.evidence } : {}),
    is_deleted: detail.deleted ?? row.state === 'Deleted',
  };
}

function reEvaluatedAt(row: EmailRow, detail: EmailDetail): string | null {
  if (row.received_at === null || !scansOf(row).some((scan) => scan.reEvaluated)) return null;
  return iso(row.received_at + (detail.reEvaluatedAfter ?? 83_000));
}

/** A source that keeps no record of these answers null: not known is not the same as no. */
function lifecycle(
  row: EmailRow,
  { quarantine, restore, decline, report }: EmailDetail,
): Partial<EmailProfile> {
  if (row.file_id !== null)
    return { quarantine_info: null, restore_info: null, decline_info: null, report_phishing_info: null };
  return {
    quarantine_info: quarantine
      ? {
          quarantined: row.quarantined === 1,
          time: iso(quarantine.at),
          by: quarantine.by,
          reason: quarantine.reason,
        }
      : { quarantined: false },
    restore_info: {
      requested: restore !== undefined,
      restored: restore?.restoredAt !== undefined,
      time: iso(restore?.restoredAt ?? restore?.requestedAt),
      by: restore?.by ?? null,
      reason: restore?.reason ?? null,
    },
    decline_info: decline
      ? { declined: true, time: iso(decline.at), by: decline.by, reason: decline.reason }
      : { declined: false },
    report_phishing_info: report
      ? {
          reported: true,
          count: report.by.length,
          time: iso(report.at),
          by: report.by,
          comment: report.comment,
        }
      : { reported: false, count: 0 },
  };
}

/** entity/props: the restore fields alone. */
export function propsOf(row: EmailRow): Record<string, unknown> {
  const { restore_info, decline_info, quarantine_info } = lifecycle(row, detailOf(row));
  return {
    entity_id: row.entity_id,
    restore_state: row.restore_state,
    restore_info,
    decline_info,
    quarantine_info,
  };
}
