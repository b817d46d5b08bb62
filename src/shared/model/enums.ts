/**
 * Every closed set of words in the specification (sections 3, 4 and 6), in its spelling and order. A server may send
 * others: schemas accept them, views show them as they are.
 */

/** Specification section 3, Query: domain. */
export const DOMAINS = ['file', 'email', 'user', 'group', 'message', 'click'] as const;

/** Specification section 3, Query: subType. A plain query has none. */
export const SUB_TYPES = ['report', 'analytics', 'template'] as const;

/** Specification section 3, Query: status. The legacy 'pause' becomes 'paused'. */
export const QUERY_STATUSES = ['unknown', 'saved', 'running', 'stopped', 'paused'] as const;
export type QueryStatus = (typeof QUERY_STATUSES)[number];

/** Specification section 3, Query: severity, 1 (VeryLow) to 5 (Critical). */
export const SEVERITIES = [1, 2, 3, 4, 5] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Specification section 3, ScheduledExport. */
export const EXPORT_FORMATS = ['json', 'csv', 'xlsx'] as const;
export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const;

/** Specification section 4, App state order. */
export const APP_STATES = ['enabled', 'disabled', 'display_only'] as const;
export type AppState = (typeof APP_STATES)[number];

/** Specification section 3 (paid or demo) and 4 (expired later, contact-support last). */
export const LICENCES = ['paid', 'demo', 'expired', 'contact_support'] as const;
export type Licence = (typeof LICENCES)[number];

/** Specification section 3, Security tools: the 17 ids as written. */
export const SECURITY_TOOLS = [
  'checkpoint_te',
  'cp_threat_extraction',
  'dlp_checkpoint',
  'dlp_gtb',
  'checkpoint_av',
  'lastline_av_file',
  'dlp_symantec',
  'ap_{product}',
  'clicktime_protection',
  '{product}_dlp',
  'checkpoint_url',
  '{product}_url',
  'lastline_te',
  'anomaly_detection',
  'checkpoint2',
  'ms_defender',
  'checkpoint2_files_behind_links',
] as const;
export type SecurityTool = (typeof SECURITY_TOOLS)[number];

/** Specification section 3, Permission: the eight flags. */
export const PERMISSION_FLAGS = [
  'can_view',
  'can_download',
  'can_edit',
  'can_delete',
  'can_preview',
  'can_upload',
  'can_invite',
  'can_share',
] as const;
export type PermissionFlag = (typeof PERMISSION_FLAGS)[number];

/** Specification section 3, Status sets: scan results. */
export const SCAN_RESULTS = ['clean', 'finished', 'ok', 'benign', 'error'] as const;
export type ScanResult = (typeof SCAN_RESULTS)[number];

/** Specification section 3, Status sets: verdict codes. */
export const VERDICT_CODES = ['clean', 'bulk', 'spm', 'hspm', 'phsh', 'hphsh', 'malw', 'error'] as const;
export type VerdictCode = (typeof VERDICT_CODES)[number];

/** How a mail names its recipients, `delivered` by lines of servers, which also know those that the sender hides. */
export const RECIPIENT_KINDS = ['to', 'cc', 'bcc', 'delivered'] as const;
export type RecipientKind = (typeof RECIPIENT_KINDS)[number];
export const RECIPIENT_KIND_LABELS: Readonly<Record<RecipientKind, string>> = {
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  delivered: 'Delivered to',
};
/** The fields of the profile that list them. */
export const RECIPIENT_FIELDS = {
  to: 'to',
  cc: 'cc',
  bcc: 'bcc',
  delivered: 'delivered_to',
} as const satisfies Readonly<Record<RecipientKind, string>>;

/** What protects an attachment of evidence, as far as its bytes tell. */
export const ATTACHMENT_ENCRYPTIONS = ['password', 'smime', 'pgp'] as const;
export type AttachmentEncryption = (typeof ATTACHMENT_ENCRYPTIONS)[number];
export const ATTACHMENT_ENCRYPTION_LABELS: Readonly<Record<AttachmentEncryption, string>> = {
  password: 'Password',
  smime: 'S/MIME',
  pgp: 'PGP',
};

/** Specification section 4, Scan verdict. */
export const VERDICTS = [
  'found',
  'suspicious',
  'found-no-click',
  'spam',
  'not-scanned',
  'clean',
  'hidden',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Specification section 4, Restore request. */
const RESTORE_STATES = ['requested', 'restored', 'declined'] as const;
export type RestoreState = (typeof RESTORE_STATES)[number];

/** Specification section 6, actors and labels. */
export const ACTOR_LABELS = ['provider_analyst', 'admin', 'microsoft', 'end_user'] as const;

/** What kind of mail one is, by its headers and parts (`src/shared/mail/message-kind.ts`). */
export const MESSAGE_KINDS = [
  'message',
  'answer',
  'list',
  'bulk',
  'automatic',
  'calendar',
  'bounce',
  'receipt',
  'report',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
export const MESSAGE_KIND_LABELS: Readonly<Record<MessageKind, string>> = {
  message: 'Message',
  answer: 'Answer',
  list: 'Mailing list',
  bulk: 'Bulk mail',
  automatic: 'Automatic',
  calendar: 'Calendar',
  bounce: 'Bounce',
  receipt: 'Read receipt',
  report: 'Abuse or DMARC report',
};

/** What the checks of a mail of evidence look at, in the order of its stack (`src/shared/checks`). */
export const CHECK_TOOLS = [
  'provider',
  'sender',
  'authentication',
  'links',
  'attachments',
  'content',
  // The rules of the analyst.
  'rules',
] as const;
export type CheckTool = (typeof CHECK_TOOLS)[number];
/** The id under which the results of a kind of check are stored. */
export const checkToolId = (tool: CheckTool): `check_${CheckTool}` => `check_${tool}`;
