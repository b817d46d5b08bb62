/** Records that the store accepts, from both demo and evidence. */

import type { StoredFinding } from '#shared/checks/assess.ts';
import type { LinkSource } from '#shared/mail/links.ts';
import type { App } from '#shared/model/entities.ts';
import type { AttachmentEncryption, MessageKind } from '#shared/model/enums.ts';

/** The application that mails and sign-ins of evidence are filed under. */
export const EVIDENCE_APP = 'evidence';

export interface Address {
  name: string | null;
  email: string;
}

export interface RecipientRecord extends Address {
  kind: string;
  state: string | null;
  isRead: boolean | null;
  clicks: number | null;
  department: string | null;
}

export interface AttachmentRecord {
  name: string;
  mimeType: string | null;
  /** The type by its bytes. */
  contentType?: string | null;
  /** What encrypts it; null or omitted: no sign of encryption. */
  encryption?: AttachmentEncryption | null;
  size: number | null;
  md5: string | null;
  sha1: string | null;
  sha256: string | null;
  isInline: boolean;
  verdictCode: string | null;
  matches: number | null;
  /** The files in it, if it is an archive. */
  members?: readonly MemberRecord[];
}

/** A file in an attached archive, which is not unpacked. */
export interface MemberRecord {
  name: string;
  /** In the archive, through nested ones. */
  path: string;
  contentType: string | null;
  encrypted: boolean;
  size: number | null;
}

export interface LinkRecord {
  url: string;
  host: string | null;
  text: string | null;
  status: string | null;
  mismatched: boolean | null;
  source?: LinkSource | undefined;
  /** The attachment that it is in. */
  within?: string | null;
  /** The address in the mail, if a rewriter made it of `url`. */
  rewrittenUrl?: string | null;
}

export interface ClickRecord {
  at: number;
  user: string;
  url: string;
  host: string | null;
  ip: string | null;
  verdict: string | null;
  blocked: boolean;
  client?: string | null;
  department?: string | null;
}

/** The result of one applicable tool. `story` names its explanation (store/scans.ts). */
export interface ScanRecord {
  tool: string;
  status?: string;
  code?: string;
  matches?: number;
  clicks?: number;
  suspicious?: true;
  error?: string;
  reEvaluated?: true;
  story?: string;
  /** Milliseconds after receipt at which the tool scanned again; set by a rescan. */
  after?: number;
  runs?: number;
  /** Its own explanation, if there is no story. */
  summary?: string;
}

/** Fields of the profile that no condition or column needs individually. */
export interface EmailDetail {
  sender?: Address | undefined;
  replyTo?: Address[] | undefined;
  returnPath?: string | undefined;
  inReplyTo?: string | undefined;
  /** Charsets of its texts, in lower case. */
  charsets?: string[] | undefined;
  encryption?: string | undefined;
  workflow?: string | undefined;
  reason?: string | undefined;
  bccKnown?: boolean | undefined;
  /** `from` is the folder that a restored mail returns to. */
  quarantine?: { at: number; by: string; reason: string; from?: string; label?: string } | undefined;
  /** Without requestedAt it was restored without a request. */
  restore?:
    | {
        requestedAt?: number;
        by: string;
        reason: string;
        label?: string;
        restoredAt?: number;
        restoredBy?: string;
      }
    | undefined;
  decline?: { at: number; by: string; reason: string; label?: string } | undefined;
  /** Number of links that the anti-phishing tool examined, if there are many. */
  debugLinks?: number | undefined;
  report?: { at: number; by: string[]; comment: string } | undefined;
  deleted?: boolean | undefined;
  /** Milliseconds after receipt at which the verdict was changed. */
  reEvaluatedAfter?: number | undefined;
  /** What was found while reading a mail of evidence. */
  evidence?:
    | {
        sha256: string;
        problems: string[];
        /** Of raw 8-bit headers. */
        headerCharset?: string | undefined;
        active: { remote: number; forms: number; scripts: number; handlers: number };
        authTrusted: boolean;
        /** What the checks could not look at, as sentences. */
        unchecked?: string[];
      }
    | undefined;
  /** The demo's input for generating headers and body. */
  made?: { kind: string; campaign?: string; language: string; helo: string } | undefined;
}

export interface RawMail {
  headers: Uint8Array;
  html: string | null;
  text: string | null;
  inline: Record<string, string>;
  truncated: boolean;
}

export interface EmailRecord {
  entityId: string;
  saas: string;
  receivedAt: number | null;
  sentAt: number | null;
  subject: string;
  from: Address | null;
  fromDomain: string | null;
  recipients: RecipientRecord[];
  messageId: string | null;
  threadId: string | null;
  direction: string | null;
  state: string | null;
  department: string | null;
  size: number | null;
  clientIp: string | null;
  language: string | null;
  messageKind?: MessageKind | undefined;
  isRead: boolean | null;
  clicksCounted: boolean;
  clicks: ClickRecord[];
  attachments: AttachmentRecord[];
  links: LinkRecord[];
  scans: readonly ScanRecord[];
  /** What it can share with the other mails of a campaign (src/shared/campaigns). */
  campaignKeys?: readonly number[] | undefined;
  /** What the checks of a mail of evidence add up to, and their findings, worst first. */
  score?: number | undefined;
  findings?: readonly StoredFinding[] | undefined;
  userReported: number | null;
  spf: string | null;
  dkim: string | null;
  dmarc: string | null;
  linkReplacement: string | null;
  detail: EmailDetail;
  raw?: RawMail;
  /** The body as displayed, for searching. */
  text?: string;
  /** As "Name: text", decoded, in order. */
  headerLines?: string[];
  /** IP addresses of its hops, oldest first. */
  hops?: string[];
  fileId?: number;
}

export interface UserRecord extends Address {
  name: string;
  entityId: string;
  saas: string;
  department: string;
  title: string;
  country: string;
  isAdmin: boolean;
  mfa: boolean;
  state: string;
  createdAt: number;
  lastLoginAt: number | null;
  risk: number;
  manager: string | null;
  failedLogins: number;
  lastIp: string | null;
  mailboxSize: number | null;
  roles: readonly string[];
}

export interface GroupRecord {
  entityId: string;
  saas: string;
  name: string;
  email: string;
  members: number;
  externalMembers: number;
  owner: string | null;
  isPublic: boolean;
  createdAt: number;
  kind: string;
  description: string | null;
  lastUsedAt: number | null;
}

export interface FileRecord {
  entityId: string;
  saas: string;
  title: string;
  path: string;
  mimeType: string;
  size: number;
  md5: string;
  sha1: string;
  sha256: string;
  owner: string;
  department: string;
  createdAt: number;
  modifiedAt: number;
  verdict: string;
  verdictCode: string | null;
  isQuarantined: boolean;
  isVault: boolean;
  isDeleted: boolean;
  isSharedExternally: boolean;
  isSharedPublicly: boolean;
  extension: string;
  label: string | null;
  downloads: number;
}

export interface MessageRecord {
  entityId: string;
  saas: string;
  sentAt: number;
  sender: string;
  channel: string;
  text: string;
  linksCount: number;
  verdict: string;
  verdictCode: string | null;
  state: string;
  isExternal: boolean;
  replies: number;
  host: string | null;
}

/** A session of one person with one SaaS. For evidence, a line of a sign-in log. */
export interface LoginRecord {
  saas: string;
  /** Null if the log does not record the outcome. */
  failed: boolean | null;
  /** Milliseconds since the epoch, or null if not recorded. */
  at: number | null;
  user: string | null;
  ip: string | null;
  /** Degrees, or null if unknown. */
  lat: number | null;
  lon: number | null;
  /** ISO 3166-1 alpha-2, if the source provides it. */
  country: string | null;
  city: string | null;
  /** Logins within the session. */
  count: number;
}

/** An entry of an allow or block list (specification section 3, Exception). */
export interface ExceptionRecord {
  id: string;
  /** The tool it applies to, in this service's naming. */
  tool: string;
  list: 'allow' | 'block';
  type: string;
  string: string;
  payload: Record<string, unknown> | null;
  comment: string | null;
  isExclusive: boolean;
  createdBy: string | null;
  createdAt: number;
}

export interface AppRecord extends App {
  name: string;
}
