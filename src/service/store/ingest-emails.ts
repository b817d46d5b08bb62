/** Writes one email with everything that belongs to it: recipients, attachments, links, clicks, its text. */
import { gzipSync } from 'node:zlib';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { headerRow } from './header-texts.ts';
import { asWritten, flag, foldedOf, insertInto, lower, type Row } from './insert.ts';
import type {
  AttachmentRecord,
  ClickRecord,
  EmailDetail,
  EmailRecord,
  LinkRecord,
  RawMail,
  RecipientRecord,
} from './records.ts';
import type { Store } from './store.ts';
import { textRows } from './texts.ts';
import { storedVerdict } from './verdicts.ts';

const packed = (text: string | null): Uint8Array | null =>
  text === null ? null : gzipSync(Buffer.from(text, 'utf8'), { level: 1 });

const QUARANTINED = /^(?:Quarantined|Restore asked)$/;

const restoreState = ({ decline, restore }: EmailDetail): string | null =>
  decline ? 'declined' : restore?.restoredAt ? 'restored' : restore ? 'requested' : null;

/** `to`: the recipients' addresses as stored. */
function emailRow(record: EmailRecord, to: readonly string[], evidence: boolean): Row {
  const { detail, clicks, attachments, links } = record;
  const verdict = storedVerdict(record.scans, evidence);
  const isQuarantined = detail.quarantine !== undefined && QUARANTINED.test(record.state ?? '');
  const [from, domain] = [lower(record.from?.email), lower(record.fromDomain)];
  return {
    entity_id: record.entityId,
    saas: record.saas,
    received_at: record.receivedAt,
    sent_at: record.sentAt,
    subject: record.subject,
    subject_folded: foldText(record.subject),
    subject_words: wordsOf(record.subject),
    from_email: from,
    from_shown: asWritten(record.from?.email),
    from_email_folded: foldedOf(from),
    from_name: record.from?.name ?? null,
    from_name_folded: foldedOf(record.from?.name),
    from_domain: domain,
    from_domain_folded: foldedOf(domain),
    to_email: to[0] ?? null,
    to_email_folded: foldedOf(to[0]),
    message_id: record.messageId,
    message_id_folded: foldedOf(record.messageId),
    thread_id: record.threadId,
    direction: record.direction,
    state: record.state,
    department: record.department,
    size: record.size,
    client_ip: lower(record.clientIp),
    language: record.language,
    is_read: flag(record.isRead),
    recipients_count: new Set(to.map(foldText)).size,
    clicks: record.clicksCounted ? clicks.length : null,
    attachments_count: attachments.length,
    links_count: links.length,
    verdict: verdict.verdict,
    verdict_rank: verdict.rank,
    verdict_code: verdict.code,
    stack: verdict.stack,
    scans: verdict.scans,
    quarantined: evidence ? null : flag(isQuarantined),
    user_reported: record.userReported,
    restore_state: restoreState(detail),
    spf: record.spf,
    dkim: record.dkim,
    dmarc: record.dmarc,
    link_replacement: record.linkReplacement,
    file_id: record.fileId ?? null,
    detail: JSON.stringify(detail),
  };
}

const recipientRow = (email_id: number, position: number, it: RecipientRecord, address: string): Row => ({
  email_id,
  position,
  kind: it.kind,
  email: address,
  shown: asWritten(it.email),
  email_folded: foldedOf(address),
  name: it.name,
  state: it.state,
  is_read: flag(it.isRead),
  clicks: it.clicks,
  department: it.department,
});

const attachmentRow = (email_id: number, position: number, it: AttachmentRecord): Row => ({
  email_id,
  position,
  name: it.name,
  mime_type: it.mimeType,
  content_type: it.contentType ?? null,
  size: it.size,
  md5: it.md5,
  sha1: it.sha1,
  sha256: it.sha256,
  is_inline: it.isInline ? 1 : 0,
  verdict_code: it.verdictCode,
  matches: it.matches,
});

const linkRow = (email_id: number, it: LinkRecord): Row => ({
  email_id,
  url: it.url,
  host: lower(it.host),
  host_folded: foldedOf(lower(it.host)),
  text: it.text,
  status: it.status,
  mismatched: flag(it.mismatched),
  source: it.source ?? null,
});

const clickRow = (email_id: number, it: ClickRecord): Row => ({
  email_id,
  clicked_at: it.at,
  user: it.user,
  url: it.url,
  host: lower(it.host),
  ip: it.ip,
  verdict: it.verdict,
  blocked: it.blocked ? 1 : 0,
  client: it.client ?? null,
  department: it.department ?? null,
});

function rawRow(email_id: number, { headers, html, text, inline, truncated }: RawMail): Row {
  const images = Object.keys(inline).length === 0 ? null : JSON.stringify(inline);
  return {
    email_id,
    headers: gzipSync(headers, { level: 1 }),
    html: packed(html),
    text: packed(text),
    inline: packed(images),
    truncated: truncated ? 1 : 0,
  };
}

/** `evidence`: tools without a result did not run; in a tenant they do not apply. Returns row ids. */
export function emailWriter(store: Store, evidence: boolean): (record: EmailRecord) => number {
  const email = insertInto(store, 'emails');
  const recipient = insertInto(store, 'recipients');
  const attachment = insertInto(store, 'attachments');
  const link = insertInto(store, 'links');
  const click = insertInto(store, 'clicks');
  const raw = insertInto(store, 'raw_mail');
  const text = insertInto(store, 'email_texts');
  const shown = insertInto(store, 'shown_texts');
  const header = insertInto(store, 'header_texts');
  const hop = insertInto(store, 'hops');
  return (record) => {
    const to = record.recipients.map((one) => lower(one.email) ?? '');
    const id = email(emailRow(record, to, evidence));
    for (const [at, it] of record.recipients.entries()) recipient(recipientRow(id, at, it, to[at] ?? ''));
    for (const [at, it] of record.attachments.entries()) attachment(attachmentRow(id, at, it));
    for (const it of record.links) link(linkRow(id, it));
    for (const it of record.clicks) click(clickRow(id, it));
    if (record.raw) raw(rawRow(id, record.raw));
    const said = textRows(id, record.text ?? '');
    if (said.text) text(said.text);
    if (said.shown) shown(said.shown);
    if (record.headerLines) header(headerRow(id, record.headerLines));
    for (const [position, ip] of (record.hops ?? []).entries())
      hop({ email_id: id, position, ip: ip.toLowerCase() });
    return id;
  };
}
