import type { EmailProfile, Mailbox } from '#shared/model/entities.ts';
import type { RecipientKind } from '#shared/model/enums.ts';
import { detailOf, type EmailRow, scansOf, senderOf } from './emails.ts';
import { iso } from './instants.ts';
import type { EmailDetail } from './records.ts';
import type { Store } from './store.ts';

/** `requestedId` is the id by which it was asked for. */
export async function profileOf(
  store: Store,
  row: EmailRow,
  requestedId = row.entity_id,
): Promise<EmailProfile> {
  const detail = detailOf(row);
  const recipients = await store.mails.recipients(row.id);
  const of = (kind: RecipientKind): Mailbox[] =>
    recipients
      .filter((recipient) => recipient.kind === kind)
      .map(({ name, email, shown }) => ({ name, email: shown ?? email }));
  const bcc = of('bcc');
  const evidence = await store.mails.evidence(row);
  const campaign = await store.campaigns.name(row.campaign_id);
  const links = await store.mails.links(row.id);
  const { identifier } = await store.entities.state(row.entity_id);
  const from = senderOf(row);
  return {
    entity_id: row.entity_id,
    ...(requestedId === row.entity_id ? {} : { requested_id: requestedId }),
    entity_type: 'email',
    saas: row.saas,
    from: from === null ? null : { name: row.from_name, email: from },
    sender: detail.sender ? { ...detail.sender } : null,
    reply_to: (detail.replyTo ?? []).map((address) => ({ ...address })),
    return_path: detail.returnPath ?? null,
    to: of('to'),
    cc: of('cc'),
    bcc: bcc.length > 0 || detail.bccKnown ? bcc : null,
    delivered_to: of('delivered'),
    subject: row.subject,
    message_id: row.message_id,
    received: iso(row.received_at),
    sent: iso(row.sent_at),
    folder: row.state,
    size: row.size,
    direction: row.direction,
    client_ip: row.client_ip,
    language: row.language,
    ...lifecycle(
      row,
      detail,
      recipients.map(({ email }) => email),
    ),
    entity_identifier: identifier ?? null,
    pending_actions: await store.entities.pending(row.entity_id),
    encryption_status: detail.encryption ?? null,
    workflow: detail.workflow ?? null,
    link_replacement: row.link_replacement,
    links: links.map((link) => ({
      url: link.url,
      host: link.host,
      text: link.text,
      status: link.status,
      mismatched: link.mismatched === null ? null : link.mismatched === 1,
      ...(link.source === null ? {} : { source: link.source }),
      ...(link.within === null ? {} : { within: link.within }),
      ...(link.rewritten_url === null ? {} : { rewritten_url: link.rewritten_url }),
    })),
    verdict: row.verdict,
    verdict_code: row.verdict_code,
    verdict_reason: detail.reason ?? null,
    re_evaluated_at: reEvaluatedAt(row, detail),
    thread_id: row.thread_id,
    spf: row.spf,
    dkim: row.dkim,
    dmarc: row.dmarc,
    ...(evidence === null ? {} : { provenance: evidence }),
    ...(campaign === null ? {} : { campaign }),
    is_deleted: detail.deleted ?? (row.state === null ? null : row.state === 'Deleted'),
  };
}

function reEvaluatedAt(row: EmailRow, detail: EmailDetail): string | null {
  if (row.received_at === null) return null;
  const times = scansOf(row)
    .filter((scan) => scan.reEvaluated)
    .map(({ after }) => after ?? detail.reEvaluatedAfter ?? 83_000);
  return times.length === 0 ? null : iso(row.received_at + Math.max(...times));
}

/** The actor's label by specification section 6, or null for a policy, or if unknown. */
function labelOf(by: string | null | undefined, ownLabel: string | undefined, recipients: readonly string[]) {
  if (ownLabel !== undefined) return ownLabel;
  if (by == null || by === 'policy') return null;
  if (by === 'provider') return 'microsoft';
  if (by.endsWith('@analysts.example')) return 'provider_analyst';
  return recipients.includes(by.toLowerCase()) ? 'end_user' : 'admin';
}

/** null when the source does not record it: unknown differs from no. */
function lifecycle(
  row: EmailRow,
  { quarantine, restore, decline, report }: EmailDetail,
  recipients: readonly string[],
): Partial<EmailProfile> {
  if (row.file_id !== null)
    return { quarantine_info: null, restore_info: null, decline_info: null, report_phishing_info: null };
  const label = (by: string | undefined, ownLabel: string | undefined) => labelOf(by, ownLabel, recipients);
  return {
    quarantine_info: quarantine
      ? {
          quarantined: row.quarantined === 1,
          time: iso(quarantine.at),
          by: quarantine.by,
          by_label: label(quarantine.by, quarantine.label),
          reason: quarantine.reason,
        }
      : { quarantined: false },
    restore_info: {
      requested: restore?.requestedAt !== undefined,
      restored: restore?.restoredAt !== undefined,
      time: iso(restore?.requestedAt ?? restore?.restoredAt),
      by: restore?.by ?? null,
      by_label: label(restore?.by, restore?.label),
      reason: restore?.reason ?? null,
      restored_time: iso(restore?.restoredAt),
      restored_by: restore?.restoredBy ?? null,
    },
    decline_info: decline
      ? {
          declined: true,
          time: iso(decline.at),
          by: decline.by,
          by_label: label(decline.by, decline.label),
          reason: decline.reason,
        }
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

/** entity/props of an email: only the restore fields. */
export async function propsOf(store: Store, row: EmailRow): Promise<Record<string, unknown>> {
  const recipients = (await store.mails.recipients(row.id)).map(({ email }) => email);
  const { restore_info, decline_info, quarantine_info } = lifecycle(row, detailOf(row), recipients);
  return {
    entity_id: row.entity_id,
    restore_state: row.restore_state,
    restore_info,
    decline_info,
    quarantine_info,
    pending_actions: await store.entities.pending(row.entity_id),
  };
}
