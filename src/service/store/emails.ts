/** One email: its row and its parts. */
import type { EmailDetail, ScanRecord } from './records.ts';

export interface EmailRow {
  id: number;
  entity_id: string;
  saas: string;
  received_at: number | null;
  sent_at: number | null;
  subject: string;
  /** Folded, for comparing. */
  from_email: string | null;
  /** As written, if different. */
  from_shown: string | null;
  from_name: string | null;
  from_domain: string | null;
  message_id: string | null;
  thread_id: string | null;
  /** Also of an email that has none in common with another. */
  campaign_id: number | null;
  direction: string | null;
  state: string | null;
  size: number | null;
  client_ip: string | null;
  language: string | null;
  clicks: number | null;
  links_count: number;
  verdict: string;
  score: number | null;
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
  /** Folded, for comparing. */
  email: string;
  /** As written, if different. */
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
  content_type: string | null;
  encryption: string | null;
  size: number | null;
  md5: string | null;
  sha1: string | null;
  sha256: string | null;
  is_inline: number;
  verdict_code: string | null;
  matches: number | null;
  container: number | null;
  path: string | null;
}

export interface LinkRow {
  url: string;
  host: string | null;
  text: string | null;
  status: string | null;
  mismatched: number | null;
  source: string | null;
  within: string | null;
  rewritten_url: string | null;
}

export interface ClickRow {
  clicked_at: number;
  user: string;
  url: string;
  ip: string;
  verdict: string;
  blocked: number;
}

/** Headers and texts of a mail of evidence, packed (packed.ts). */
export interface RawRow {
  parts: Uint8Array;
  truncated: number;
}

export interface FilePlace {
  root: string;
  file: string;
  /** Its name inside an archive; '' if the file is no archive. */
  entry: string;
  offset: number;
  length: number;
  mbox: number;
  absent: 'gone' | 'unreachable' | null;
}

/** The sender's address as written in the mail. */
export const senderOf = (row: EmailRow): string | null => row.from_shown ?? row.from_email;
export const detailOf = (row: EmailRow): EmailDetail => JSON.parse(row.detail) as EmailDetail;
export const scansOf = (row: EmailRow): ScanRecord[] => JSON.parse(row.scans) as ScanRecord[];
