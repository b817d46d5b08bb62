/** Writes one email with all that hangs on it: recipients, attachments, links, clicks, its text. */
import { gzipSync } from 'node:zlib';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { asWritten, flag, foldedOf, insertInto, lower } from './insert.ts';
import type { EmailRecord } from './records.ts';
import type { Store } from './store.ts';
import { storedVerdict } from './verdicts.ts';

const packed = (text: string | null): Uint8Array | null =>
  text === null ? null : gzipSync(Buffer.from(text, 'utf8'), { level: 1 });

/** `evidence`: tools that say nothing did not run; in a tenant they do not apply. Answers ids of rows. */
export function emailWriter(store: Store, evidence: boolean): (record: EmailRecord) => number {
  const email = insertInto(store, 'emails', [
    'entity_id',
    'saas',
    'received_at',
    'sent_at',
    'subject',
    'subject_folded',
    'subject_words',
    'from_email',
    'from_shown',
    'from_email_folded',
    'from_name',
    'from_name_folded',
    'from_domain',
    'from_domain_folded',
    'to_email',
    'to_email_folded',
    'message_id',
    'message_id_folded',
    'thread_id',
    'direction',
    'state',
    'department',
    'size',
    'client_ip',
    'language',
    'is_read',
    'recipients_count',
    'clicks',
    'attachments_count',
    'links_count',
    'verdict',
    'verdict_rank',
    'verdict_code',
    'stack',
    'scans',
    'quarantined',
    'user_reported',
    'restore_state',
    'spf',
    'dkim',
    'dmarc',
    'link_replacement',
    'file_id',
    'detail',
  ]);
  const recipient = insertInto(store, 'recipients', [
    'email_id',
    'position',
    'kind',
    'email',
    'shown',
    'email_folded',
    'name',
    'state',
    'is_read',
    'clicks',
    'department',
  ]);
  const attachment = insertInto(store, 'attachments', [
    'email_id',
    'position',
    'name',
    'mime_type',
    'size',
    'md5',
    'sha1',
    'sha256',
    'is_inline',
    'verdict_code',
    'matches',
  ]);
  const link = insertInto(store, 'links', [
    'email_id',
    'url',
    'host',
    'host_folded',
    'text',
    'status',
    'mismatched',
    'source',
  ]);
  const click = insertInto(store, 'clicks', [
    'email_id',
    'clicked_at',
    'user',
    'url',
    'host',
    'ip',
    'verdict',
    'blocked',
    'client',
    'department',
  ]);
  const raw = insertInto(store, 'raw_mail', ['email_id', 'headers', 'html', 'text', 'inline', 'truncated']);

  return (record) => {
    const verdict = storedVerdict(record.scans, evidence);
    const { detail, recipients, attachments, links, clicks } = record;
    const quarantined = evidence
      ? null
      : flag(detail.quarantine !== undefined && /^(?:Quarantined|Restore asked)$/.test(record.state ?? ''));
    const restore = detail.decline
      ? 'declined'
      : detail.restore?.restoredAt
        ? 'restored'
        : detail.restore
          ? 'requested'
          : null;
    const [from, domain] = [lower(record.from?.email), lower(record.fromDomain)];
    const to = recipients.map((one) => lower(one.email) ?? '');
    const id = email(
      record.entityId,
      record.saas,
      record.receivedAt,
      record.sentAt,
      record.subject,
      foldText(record.subject),
      wordsOf(record.subject),
      from,
      asWritten(record.from?.email),
      foldedOf(from),
      record.from?.name ?? null,
      foldedOf(record.from?.name),
      domain,
      foldedOf(domain),
      to[0] ?? null,
      foldedOf(to[0]),
      record.messageId,
      foldedOf(record.messageId),
      record.threadId,
      record.direction,
      record.state,
      record.department,
      record.size,
      record.clientIp,
      record.language,
      flag(record.isRead),
      new Set(to.map(foldText)).size,
      record.clicksCounted ? clicks.length : null,
      attachments.length,
      links.length,
      verdict.verdict,
      verdict.rank,
      verdict.code,
      verdict.stack,
      verdict.scans,
      quarantined,
      record.userReported,
      restore,
      record.spf,
      record.dkim,
      record.dmarc,
      record.linkReplacement,
      record.fileId ?? null,
      JSON.stringify(detail),
    );
    for (const [position, it] of recipients.entries())
      recipient(
        id,
        position,
        it.kind,
        to[position] ?? '',
        asWritten(it.email),
        foldedOf(to[position]),
        it.name,
        it.state,
        flag(it.isRead),
        it.clicks,
        it.department,
      );
    for (const [position, it] of attachments.entries())
      attachment(
        id,
        position,
        it.name,
        it.mimeType,
        it.size,
        it.md5,
        it.sha1,
        it.sha256,
        it.isInline ? 1 : 0,
        it.verdictCode,
        it.matches,
      );
    for (const it of links)
      link(
        id,
        it.url,
        lower(it.host),
        foldedOf(lower(it.host)),
        it.text,
        it.status,
        flag(it.mismatched),
        it.source ?? null,
      );
    for (const it of clicks)
      click(
        id,
        it.at,
        it.user,
        it.url,
        lower(it.host),
        it.ip,
        it.verdict,
        it.blocked ? 1 : 0,
        it.client ?? null,
        it.department ?? null,
      );
    if (record.raw) {
      const { headers, html, text, inline, truncated } = record.raw;
      const images = Object.keys(inline).length === 0 ? null : JSON.stringify(inline);
      raw(id, gzipSync(headers, { level: 1 }), packed(html), packed(text), packed(images), truncated ? 1 : 0);
    }
    return id;
  };
}
