/** The rows of one email with its recipients, attachments, links, clicks and text. */
import type { StoredFinding } from '#shared/checks/assess.ts';
import { spelledAlike } from '#shared/mail/domains.ts';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { packRaw } from './packed.ts';
import type {
  AttachmentRecord,
  ClickRecord,
  EmailDetail,
  EmailRecord,
  LinkRecord,
  MemberRecord,
  RawMail,
  RecipientRecord,
} from './records.ts';
import type { SqlValue } from './stored-values.ts';
import { asWritten, flag, foldedOf, lower, type Row, type Rows } from './stored-values.ts';
import { headerRow, textRows } from './texts.ts';
import { storedVerdict } from './verdicts.ts';

const QUARANTINED = /^(?:Quarantined|Restore asked)$/;

const restoreState = ({ decline, restore }: EmailDetail): string | null =>
  decline ? 'declined' : restore?.restoredAt ? 'restored' : restore ? 'requested' : null;

/** `to` is the recipients' addresses as stored. */
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
    message_id_folded: foldedOf(record.messageId, spelledAlike(record.messageId ?? '')),
    thread_id: record.threadId,
    campaign_id: null,
    campaign_keys: record.campaignKeys?.length ? JSON.stringify(record.campaignKeys) : null,
    direction: record.direction,
    state: record.state,
    department: record.department,
    size: record.size,
    client_ip: lower(record.clientIp),
    language: record.language,
    kind: record.messageKind ?? null,
    is_read: flag(record.isRead),
    recipients_count: new Set(to.map(foldText)).size,
    clicks: record.clicksCounted ? clicks.length : null,
    attachments_count: attachments.length,
    links_count: links.length,
    verdict: verdict.verdict,
    verdict_rank: verdict.rank,
    score: record.score ?? null,
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
  encryption: it.encryption ?? null,
  size: it.size,
  md5: it.md5,
  sha1: it.sha1,
  sha256: it.sha256,
  is_inline: it.isInline ? 1 : 0,
  verdict_code: it.verdictCode,
  matches: it.matches,
  container: null,
  path: null,
});

const memberRow = (email_id: number, position: number, container: number, it: MemberRecord): Row => ({
  ...attachmentRow(email_id, position, {
    name: it.name,
    mimeType: null,
    contentType: it.contentType,
    encryption: it.encrypted ? 'password' : null,
    size: it.size,
    md5: null,
    sha1: null,
    sha256: null,
    isInline: false,
    verdictCode: null,
    matches: null,
  }),
  container,
  path: it.path,
});

/** The attachments, and after them the files in them. */
function attachmentRows(attachments: readonly AttachmentRecord[]): Row[] {
  const rows = attachments.map((it, index) => attachmentRow(0, index, it));
  for (const [container, { members = [] }] of attachments.entries())
    for (const member of members) rows.push(memberRow(0, rows.length, container, member));
  return rows;
}

const linkRow = (email_id: number, it: LinkRecord): Row => ({
  email_id,
  url: it.url,
  host: lower(it.host),
  host_folded: foldedOf(lower(it.host)),
  text: it.text,
  status: it.status,
  mismatched: flag(it.mismatched),
  source: it.source ?? null,
  within: it.within ?? null,
  rewritten_url: it.rewrittenUrl ?? null,
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

const findingRow = (email_id: number, { check, tool, sentence, weight, place }: StoredFinding): Row => ({
  email_id,
  check_id: check,
  tool,
  sentence,
  weight,
  place_kind: place.kind,
  place_name: place.name,
  place_text: place.text,
});

function rawRow(email_id: number, { headers, html, text, inline, truncated }: RawMail): Row {
  const images = Object.keys(inline).length === 0 ? null : JSON.stringify(inline);
  return {
    email_id,
    parts: packRaw({ headers, html, text, inline: images }),
    truncated: truncated ? 1 : 0,
  };
}

export const OWN_TABLE = 'emails';
/** Tables whose first column is the id of the email. */
export const CHILDREN = [
  'recipients',
  'attachments',
  'links',
  'clicks',
  'findings',
  'hops',
  'raw_mail',
  'email_texts',
  'shown_texts',
  'header_texts',
] as const;

/** Tables with cells of bytes. */
export const WITH_BYTES = [
  'raw_mail',
  'shown_texts',
  'header_texts',
] as const satisfies readonly (typeof CHILDREN)[number][];

/** The rows of an email by table, without ids: built in any thread, written in one. */
export type EmailRows = Record<typeof OWN_TABLE, Rows> &
  Partial<Record<(typeof CHILDREN)[number], Rows | undefined>>;

/** Columns of each table; the same list object for all rows. */
const columnsOf = new Map<string, readonly string[]>();

function valuesOf(table: string, rows: readonly (Row | null)[]): Rows | undefined {
  const values: SqlValue[][] = [];
  for (const row of rows) {
    if (row === null) continue;
    if (!columnsOf.has(table)) columnsOf.set(table, Object.keys(row));
    values.push(Object.values(row));
  }
  return values.length === 0 ? undefined : { columns: columnsOf.get(table) ?? [], values };
}

/** In evidence, tools without a result did not run; in a tenant they do not apply. */
export function emailRows(record: EmailRecord, evidence: boolean): EmailRows {
  const to = record.recipients.map((recipient) => lower(recipient.email) ?? '');
  const { text, shown } = textRows(0, record.text ?? '');
  const row = valuesOf(OWN_TABLE, [emailRow(record, to, evidence)]) ?? { columns: [], values: [] };
  const of = (table: (typeof CHILDREN)[number], rows: readonly (Row | null)[]) => valuesOf(table, rows);
  return {
    emails: row,
    recipients: of(
      'recipients',
      record.recipients.map((it, index) => recipientRow(0, index, it, to[index] ?? '')),
    ),
    attachments: of('attachments', attachmentRows(record.attachments)),
    links: of(
      'links',
      record.links.map((it) => linkRow(0, it)),
    ),
    clicks: of(
      'clicks',
      record.clicks.map((it) => clickRow(0, it)),
    ),
    findings: of(
      'findings',
      (record.findings ?? []).map((finding) => findingRow(0, finding)),
    ),
    hops: of(
      'hops',
      (record.hops ?? []).map((ip, position) => ({ email_id: 0, position, ip: ip.toLowerCase() })),
    ),
    raw_mail: of('raw_mail', [record.raw ? rawRow(0, record.raw) : null]),
    email_texts: of('email_texts', [text]),
    shown_texts: of('shown_texts', [shown]),
    header_texts: of('header_texts', [record.headerLines ? headerRow(0, record.headerLines) : null]),
  };
}
