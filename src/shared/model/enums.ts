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
