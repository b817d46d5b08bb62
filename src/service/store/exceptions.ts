/** Allow and block lists: entries, searches, and what they can match. */
import type { MatchSubject } from '#shared/exceptions/match.ts';
import { listOf } from '#shared/exceptions/rule.ts';
import type { Exception } from '#shared/model/entities.ts';
import { toolLabel } from '#shared/model/white-label.ts';
import type { AttachmentRow, EmailRow, LinkRow, RecipientRow } from './emails.ts';
import type { FileRow } from './files.ts';
import type { Store } from './store.ts';
import { BRANDING, canonicalOf } from './verdicts.ts';

/** An entry in wire format. */
export type ListedException = Exception & {
  sec_type: string;
  list: string;
  created_by: string | null;
  created_at: string;
};

export interface ExceptionSearch {
  /** Null for every tool. */
  tool: string | null;
  /** A type, or allow or block. */
  type?: string | undefined;
  /** Words contained in value or comment, in any case. */
  search?: string | undefined;
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  page?: number | undefined;
  size?: number | undefined;
}

export interface ExceptionPage {
  rows: ListedException[];
  total: number;
  /** Entries per tool for the same search, regardless of the requested tool. */
  counts: { sec_type: string; count: number }[];
}

/** The list that a new entry goes into: the allow list, unless it says otherwise. */
export const ownList = (tool: string, entry: Pick<Exception, 'type' | 'payload' | 'list'>) =>
  listOf(canonicalOf(tool), entry) ?? 'allow';

/** What its exceptions can match, from its rows. */
export const matchOfEmail = (
  row: EmailRow,
  attachments: readonly AttachmentRow[],
  recipients: readonly RecipientRow[],
  links: readonly LinkRow[],
): MatchSubject => ({
  hashes: attachments.flatMap(({ md5, sha256 }) => [md5, sha256].filter((hash) => hash !== null)),
  fileNames: attachments.map(({ name }) => name),
  fromEmail: row.from_email,
  fromName: row.from_name,
  recipients: recipients.map(({ email }) => email),
  clientIp: row.client_ip,
  urls: links.map(({ url }) => url),
  subject: row.subject,
});

export async function subjectOfEmail({ mails }: Store, row: EmailRow): Promise<MatchSubject> {
  const [attachments, recipients] = [await mails.attachments(row.id), await mails.recipients(row.id)];
  return matchOfEmail(row, attachments, recipients, await mails.links(row.id));
}

export const subjectOfFile = (row: FileRow): MatchSubject => ({
  hashes: [row.md5, row.sha256].filter((hash) => hash !== null),
  fileNames: [row.title],
});

export interface Ruling {
  list: 'allow' | 'block';
  /** Lets spam through, but not other detections. */
  spamOnly: boolean;
  entry: ListedException;
}

/** In words, for verdicts and status. */
export const rulingWords = ({ list, entry }: Ruling): string =>
  `${list === 'allow' ? 'Allowed' : 'Blocked'} by an exception of ${toolLabel(entry.sec_type, BRANDING)}: ${entry.string.slice(0, 120)}`;
