import type { AttachmentTrait } from '#shared/checks/prepared-mail.ts';
import type { HeaderMail } from '#shared/mail/header-mail.ts';
import type { MailHeader } from '#shared/mail/headers.ts';
import type { ActiveContent } from '#shared/mail/html.ts';
import type { Link } from '#shared/mail/links.ts';
import type { SignedBody } from '#shared/mail/signed-body.ts';
import type { AttachmentEncryption } from '#shared/model/enums.ts';
import type { EvidenceMail } from '../../store/evidence.ts';
import type { ArchiveLimits } from '../containers/archive.ts';
import type { ArchiveMember } from '../containers/members.ts';
import type { MailKind } from '../mailboxes/kinds.ts';

/** Limits against hostile mail. Sizes in bytes. */
export interface EvidenceLimits {
  archive?: ArchiveLimits;
  maxMessageBytes: number;
  maxHeaderBytes: number;
  maxHeaders: number;
  maxDepth: number;
  maxParts: number;
  /** Characters of text or HTML kept and searched for links. */
  maxBodyChars: number;
  maxLinks: number;
  maxInlineBytes: number;
  /** Limits of attached mails that become separate emails: levels, and number and bytes per message. */
  maxAttachedDepth: number;
  maxAttached: number;
  maxAttachedBytes: number;
}

export const DEFAULT_LIMITS: EvidenceLimits = {
  maxMessageBytes: 256 * 1024 * 1024,
  maxHeaderBytes: 2 * 1024 * 1024,
  maxHeaders: 10_000,
  maxDepth: 50,
  maxParts: 2_000,
  maxBodyChars: 8 * 1024 * 1024,
  maxLinks: 5_000,
  maxInlineBytes: 4 * 1024 * 1024,
  maxAttachedDepth: 10,
  maxAttached: 1_000,
  maxAttachedBytes: 128 * 1024 * 1024,
};

/** One node of the MIME tree, in document order. */
export interface PartSummary {
  /** Position, `1.2.1`; the whole mail is `0`. */
  path: string;
  contentType: string;
  charset: string | null;
  encoding: string;
  disposition: string | null;
  /** Made safe to show, or null. */
  filename: string | null;
  contentId: string | null;
  /** Decoded size in bytes; for a container the size as sent. */
  size: number;
  container: boolean;
}

export interface MailAttachment {
  path: string;
  /** Made safe to show: no path, control or direction-changing characters. Never empty. */
  filename: string;
  /** The name declared in the mail, decoded, or null. */
  declaredName: string | null;
  mimeType: string;
  /** By its own bytes (magic.ts), or null if it has none. */
  contentType: string | null;
  /** What encrypts it, as far as its bytes show, or null if there is no sign of encryption. */
  encryption: AttachmentEncryption | null;
  disposition: string | null;
  contentId: string | null;
  /** True for a part shown inside the body (inline image). */
  inline: boolean;
  /** The files in it, if it is an archive; those that may hold mail are listed while they are searched (read-mail.ts). */
  members: ArchiveMember[];
  /** What in it runs or loads something. */
  traits: AttachmentTrait[];
  /** null, like the hashes: the stored mail lacks the part (`apple-mail.ts`). */
  size: number | null;
  md5: string | null;
  sha1: string | null;
  sha256: string | null;
}

/** A mail that is a part of another: `message/rfc822`, or an attached `.eml`. */
export interface AttachedPart {
  /** Its position in the mail, `1.2`. */
  path: string;
  bytes: Buffer;
  sha256: string;
}

/** An archive or a mailbox that is attached to a mail, and may contain mails. */
export interface AttachedArchive {
  /** Its position in the mail, `1.2`. */
  path: string;
  /** Made safe to show. */
  name: string;
  kind: MailKind;
  bytes: Buffer;
}

export interface InlineImage {
  contentId: string;
  mimeType: string;
  bytes: Buffer;
}

export interface ParsedMail extends HeaderMail {
  /** Raw size in bytes. */
  size: number;
  /** Every field in order, duplicates included. */
  headers: MailHeader[];
  /** The charset in which raw 8-bit headers were read. */
  headerCharset: string | null;
  parts: PartSummary[];
  /** Whether the mail itself is encrypted with S/MIME or PGP. */
  isEncrypted: boolean;
  text: string;
  html: string;
  /** `text` and `html` as displayed, in one text; if one contains the other, only once. */
  shownText: string;
  attachments: MailAttachment[];
  /** Mails that are attached to this one itself, not to those that it contains. */
  attachedMails: AttachedPart[];
  /** Archives that are attached to this one itself. */
  attachedArchives: AttachedArchive[];
  /** Images that the HTML may show by Content-ID, up to `maxInlineBytes` in total. */
  images: InlineImage[];
  links: Link[];
  active: ActiveContent;
  /** What of its attachments was not looked into, as sentences. */
  unsearched: string[];
  /** What became of the body under each DKIM signature. */
  signedBodies: SignedBody[];
  /** Parts that could not be read as declared, in words. */
  problems: string[];
}

export type ParseResult = { ok: true; mail: ParsedMail } | { ok: false; isUnread?: true; reason: string };

/** The default result of reading a mail. `raw` is the message without mbox quoting. */
export interface MailContent {
  mail: ParsedMail;
  raw: Buffer;
}

export interface FoundMail {
  raw: Buffer;
  sha256: string;
  /** Dovecot keeps attachments elsewhere, which are empty in it. */
  isParted: boolean;
}

/** A mail with those attached to it, `bytes` in total; or why it is not mail. */
export type MailResult<T = MailContent> =
  | { ok: true; mail: EvidenceMail<T>; bytes: number }
  /** What `isUnread` may be mail; otherwise it is none, or too large. */
  | { ok: false; isUnread?: true; reason: string };
