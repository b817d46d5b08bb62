/** Reading one email: its row, its parts, and the mail as its makers see it. */
import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { bodyOf } from '../demo/body.ts';
import { headersOf } from '../demo/headers.ts';
import type { MadeMail } from '../demo/generated-mail.ts';
import type { EmailDetail, ScanRecord } from './records.ts';
import type { Store } from './store.ts';

export interface EmailRow {
  id: number;
  entity_id: string;
  saas: string;
  received_at: number | null;
  sent_at: number | null;
  subject: string;
  /** Folded, as it is compared. */
  from_email: string | null;
  /** As written, where that is not the same. */
  from_shown: string | null;
  from_name: string | null;
  from_domain: string | null;
  message_id: string | null;
  thread_id: string | null;
  direction: string | null;
  state: string | null;
  size: number | null;
  client_ip: string | null;
  language: string | null;
  clicks: number | null;
  links_count: number;
  verdict: string;
  verdict_code: string | null;
  scans: string;
  quarantined: number | null;
  user_reported: number | null;
  restore_state: string | null;
  spf: string | null;
  dkim: string | null;
  dmarc: string | null;
  link_replacement: string | null;
  file_id: number | null;
  detail: string;
}

export interface RecipientRow {
  position: number;
  kind: string;
  /** Folded, as it is compared. */
  email: string;
  /** As written, where that is not the same. */
  shown: string | null;
  name: string | null;
  state: string | null;
  is_read: number | null;
  clicks: number | null;
  department: string | null;
}

export interface AttachmentRow {
  id: number;
  position: number;
  name: string;
  mime_type: string | null;
  size: number | null;
  md5: string | null;
  sha1: string | null;
  sha256: string | null;
  is_inline: number;
  verdict_code: string | null;
  matches: number | null;
}

export interface LinkRow {
  url: string;
  host: string | null;
  text: string | null;
  status: string | null;
  mismatched: number | null;
  source: string | null;
}

/** By its own id, or by that of a delivered copy (`<id>.<position>`). */
export function findEmail(store: Store, entityId: string): EmailRow | null {
  const statement = store.db.prepare('SELECT * FROM emails WHERE entity_id = ?');
  const own = statement.get(entityId) as EmailRow | undefined;
  if (own) return own;
  const copy = /^(.{1,200})\.\d{1,6}$/.exec(entityId);
  return copy ? ((statement.get(copy[1]) as EmailRow | undefined) ?? null) : null;
}

export const recipientsOf = (store: Store, id: number): RecipientRow[] =>
  store.db.prepare('SELECT * FROM recipients WHERE email_id = ? ORDER BY position').all(id) as RecipientRow[];
export const attachmentsOf = (store: Store, id: number): AttachmentRow[] =>
  store.db
    .prepare('SELECT * FROM attachments WHERE email_id = ? ORDER BY position')
    .all(id) as AttachmentRow[];
export const linksOf = (store: Store, id: number): LinkRow[] =>
  store.db.prepare('SELECT * FROM links WHERE email_id = ? ORDER BY id').all(id) as LinkRow[];
/** The sender's address as the mail writes it. */
export const senderOf = (row: EmailRow): string | null => row.from_shown ?? row.from_email;
export const detailOf = (row: EmailRow): EmailDetail => JSON.parse(row.detail) as EmailDetail;
export const scansOf = (row: EmailRow): ScanRecord[] => JSON.parse(row.scans) as ScanRecord[];

interface RawRow {
  headers: Uint8Array;
  html: Uint8Array | null;
  text: Uint8Array | null;
  inline: Uint8Array | null;
  truncated: number;
}

const rawOf = (store: Store, id: number): RawRow | undefined =>
  store.db.prepare('SELECT * FROM raw_mail WHERE email_id = ?').get(id) as RawRow | undefined;
const unpack = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : gunzipSync(bytes).toString('utf8');

function madeOf(store: Store, row: EmailRow): MadeMail | null {
  const detail = detailOf(row);
  if (!detail.made) return null;
  const attachments = attachmentsOf(store, row.id);
  return {
    entityId: row.entity_id,
    subject: row.subject,
    fromName: row.from_name,
    fromEmail: row.from_email,
    fromDomain: row.from_domain,
    receivedAt: row.received_at,
    sentAt: row.sent_at,
    direction: row.direction,
    language: row.language,
    clientIp: row.client_ip,
    messageId: row.message_id,
    inReplyTo: detail.inReplyTo ?? null,
    returnPath: detail.returnPath ?? null,
    replyTo: detail.replyTo ?? [],
    recipients: recipientsOf(store, row.id),
    links: linksOf(store, row.id),
    attachments: attachments.length,
    files: attachments.map(({ name }) => name),
    spf: row.spf,
    dkim: row.dkim,
    dmarc: row.dmarc,
    made: detail.made,
  };
}

/**
 * The headers as received. Bytes that are not UTF-8 come one character each (latin1), as header parsers expect
 * of raw 8-bit headers.
 */
export function rawHeaders(store: Store, row: EmailRow): string {
  const raw = rawOf(store, row.id);
  if (raw) {
    const bytes = gunzipSync(raw.headers);
    return isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');
  }
  const made = madeOf(store, row);
  return made ? headersOf(made) : '';
}

export interface StoredBody {
  html: string | null;
  text: string | null;
  inline: Record<string, string>;
  truncated: boolean;
}

export function bodyOfEmail(store: Store, row: EmailRow): StoredBody {
  const raw = rawOf(store, row.id);
  if (raw)
    return {
      html: unpack(raw.html),
      text: unpack(raw.text),
      inline: JSON.parse(unpack(raw.inline) ?? '{}') as Record<string, string>,
      truncated: raw.truncated === 1,
    };
  const made = madeOf(store, row);
  return made
    ? { ...bodyOf(made), truncated: false }
    : { html: null, text: null, inline: {}, truncated: false };
}
