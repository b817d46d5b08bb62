/** Tables of the embedded service. Instants are milliseconds since the epoch, UTC; flags are 0 or 1. */
import type { Migration } from '#workers/migrations.ts';
import { TEXT_TABLES } from './texts.ts';

const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE emails (
  id INTEGER PRIMARY KEY,
  entity_id TEXT NOT NULL,
  saas TEXT NOT NULL,
  received_at INTEGER,
  sent_at INTEGER,
  subject TEXT NOT NULL,
  subject_folded TEXT NOT NULL,
  subject_words TEXT NOT NULL,
  from_email TEXT,
  -- As the mail writes it, where that is not the folded form, which is what is compared.
  from_shown TEXT,
  from_name TEXT,
  from_domain TEXT,
  to_email TEXT,
  message_id TEXT,
  from_email_folded TEXT,
  from_name_folded TEXT,
  from_domain_folded TEXT,
  to_email_folded TEXT,
  message_id_folded TEXT,
  thread_id TEXT,
  campaign_id INTEGER,
  -- The keys by which it joined its campaign, as JSON.
  campaign_keys TEXT,
  direction TEXT,
  state TEXT,
  department TEXT,
  size INTEGER,
  client_ip TEXT,
  language TEXT,
  -- A message, an answer, a list's mail, a bounce; only of evidence.
  kind TEXT,
  is_read INTEGER,
  recipients_count INTEGER NOT NULL,
  clicks INTEGER,
  attachments_count INTEGER NOT NULL,
  links_count INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  verdict_rank INTEGER NOT NULL,
  -- What the findings of its checks add up to; only of evidence.
  score REAL,
  verdict_code TEXT,
  stack TEXT NOT NULL,
  scans TEXT NOT NULL,
  quarantined INTEGER,
  user_reported INTEGER,
  restore_state TEXT,
  spf TEXT,
  dkim TEXT,
  dmarc TEXT,
  link_replacement TEXT,
  file_id INTEGER,
  detail TEXT NOT NULL
);
CREATE TABLE recipients (
  id INTEGER PRIMARY KEY,
  email_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  email TEXT NOT NULL,
  email_folded TEXT,
  shown TEXT,
  name TEXT,
  state TEXT,
  is_read INTEGER,
  clicks INTEGER,
  department TEXT
);
CREATE TABLE attachments (
  id INTEGER PRIMARY KEY,
  email_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  mime_type TEXT,
  -- The type by content.
  content_type TEXT,
  size INTEGER,
  md5 TEXT,
  sha1 TEXT,
  sha256 TEXT,
  encryption TEXT,
  is_inline INTEGER NOT NULL,
  verdict_code TEXT,
  matches INTEGER,
  -- Of a file in an attached archive: the position of the archive, and the path in it.
  container INTEGER,
  path TEXT
);
CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  email_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  -- The address in the mail, if a rewriter changed it.
  rewritten_url TEXT,
  host TEXT,
  host_folded TEXT,
  text TEXT,
  -- The location of the link in its mail, and the attachment that it is in.
  source TEXT,
  within TEXT,
  status TEXT,
  mismatched INTEGER
);
CREATE TABLE clicks (
  id INTEGER PRIMARY KEY,
  email_id INTEGER NOT NULL,
  clicked_at INTEGER NOT NULL,
  user TEXT NOT NULL,
  url TEXT NOT NULL,
  host TEXT,
  ip TEXT,
  verdict TEXT,
  blocked INTEGER NOT NULL,
  client TEXT,
  department TEXT
);
CREATE TABLE findings (
  id INTEGER PRIMARY KEY,
  email_id INTEGER NOT NULL,
  -- Its check and the kind of that (src/shared/checks).
  check_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  sentence TEXT NOT NULL,
  weight REAL NOT NULL,
  place_kind TEXT NOT NULL,
  place_name TEXT NOT NULL,
  place_text TEXT NOT NULL,
  -- The analyst marked it as a false positive: shown, but not part of the score.
  struck INTEGER NOT NULL DEFAULT 0
);
-- The rules of the profile, as they were last applied to this evidence (store/rules.ts).
CREATE TABLE rules (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, severity INTEGER NOT NULL, sentence TEXT NOT NULL,
  is_enabled INTEGER NOT NULL, digest TEXT NOT NULL,
  -- pending: not all mail was checked by it. applied. failed: it cannot be applied, for the reason.
  state TEXT NOT NULL, reason TEXT, applied_at INTEGER,
  -- Last, as it may be long: the other columns are read without it.
  text TEXT NOT NULL
) WITHOUT ROWID;
-- The values of lists of indicators.
CREATE TABLE rule_values (
  value TEXT NOT NULL, type TEXT NOT NULL, rule_id TEXT NOT NULL, PRIMARY KEY (value, type, rule_id)
) WITHOUT ROWID;
CREATE INDEX rule_values_rule ON rule_values (rule_id);
-- Mails that rules and marks have not been applied to since they were read.
CREATE TABLE rule_queue (email_id INTEGER PRIMARY KEY);
-- False positives: findings by mail, check and place, so that they stay marked when the mail is read again.
CREATE TABLE finding_marks (
  entity_id TEXT NOT NULL, check_id TEXT NOT NULL, place TEXT NOT NULL, marked_at INTEGER NOT NULL, marked_by TEXT,
  PRIMARY KEY (entity_id, check_id, place)
) WITHOUT ROWID;
CREATE INDEX finding_marks_check ON finding_marks (check_id);
CREATE TABLE raw_mail (
  email_id INTEGER PRIMARY KEY,
  -- Headers, bodies and images in one stream (store/packed.ts).
  parts BLOB NOT NULL,
  truncated INTEGER NOT NULL
);
CREATE TABLE evidence_files (
  id INTEGER PRIMARY KEY,
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_ms REAL NOT NULL,
  changed_ms REAL,
  inode TEXT,
  messages INTEGER NOT NULL,
  -- 0 while its messages are still coming: read again at the next opening.
  complete INTEGER NOT NULL,
  UNIQUE (root, path)
);
CREATE TABLE evidence_messages (
  email_id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL, imported_at INTEGER NOT NULL, reader TEXT NOT NULL
);
CREATE TABLE evidence_problems (
  id INTEGER PRIMARY KEY, root TEXT NOT NULL, file TEXT NOT NULL, position INTEGER, kind TEXT NOT NULL,
  reason TEXT NOT NULL
);
CREATE TABLE users (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, saas TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
  department TEXT, title TEXT, country TEXT, is_admin INTEGER NOT NULL, mfa INTEGER NOT NULL, state TEXT NOT NULL,
  created_at INTEGER NOT NULL, last_login_at INTEGER, risk INTEGER NOT NULL, manager TEXT,
  failed_logins INTEGER NOT NULL, last_ip TEXT, mailbox_size INTEGER, roles TEXT NOT NULL
);
CREATE TABLE groups (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, saas TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
  members INTEGER NOT NULL, external_members INTEGER NOT NULL, owner TEXT, is_public INTEGER NOT NULL,
  created_at INTEGER NOT NULL, kind TEXT NOT NULL, description TEXT, last_used_at INTEGER
);
CREATE TABLE files (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, saas TEXT NOT NULL, title TEXT NOT NULL, path TEXT,
  mime_type TEXT, size INTEGER, md5 TEXT, sha1 TEXT, sha256 TEXT, owner TEXT, department TEXT,
  created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, verdict TEXT NOT NULL, verdict_rank INTEGER NOT NULL,
  verdict_code TEXT, is_quarantined INTEGER NOT NULL, is_vault INTEGER NOT NULL, is_deleted INTEGER NOT NULL,
  is_shared_externally INTEGER NOT NULL, is_shared_publicly INTEGER NOT NULL, extension TEXT, label TEXT,
  downloads INTEGER NOT NULL
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, saas TEXT NOT NULL, sent_at INTEGER NOT NULL, sender TEXT NOT NULL,
  channel TEXT NOT NULL, text TEXT NOT NULL, links_count INTEGER NOT NULL, verdict TEXT NOT NULL,
  verdict_rank INTEGER NOT NULL, verdict_code TEXT, state TEXT NOT NULL, is_external INTEGER NOT NULL,
  replies INTEGER NOT NULL, host TEXT
);
CREATE TABLE tags (id INTEGER PRIMARY KEY, email_id INTEGER NOT NULL, tag TEXT NOT NULL, UNIQUE (email_id, tag));
-- Values are folded (query/text.ts), one a row.
CREATE TABLE lists (id TEXT PRIMARY KEY, label TEXT NOT NULL, position INTEGER NOT NULL);
CREATE TABLE list_values (list_id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (list_id, value)) WITHOUT ROWID;
-- What was done to entities by whom: the events of a profile are told from it.
CREATE TABLE action_log (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT, domain TEXT NOT NULL, entity_id TEXT NOT NULL,
  action TEXT NOT NULL, params TEXT NOT NULL, error TEXT
);
-- Results that a schedule, or "send now", would have sent by email.
CREATE TABLE sent_results (
  id INTEGER PRIMARY KEY, query_id TEXT NOT NULL, at INTEGER NOT NULL, format TEXT NOT NULL, rows INTEGER NOT NULL,
  bytes INTEGER NOT NULL, recipients TEXT NOT NULL, sealed INTEGER NOT NULL
);
CREATE TABLE queries (
  id TEXT PRIMARY KEY, sub_type TEXT, entity_type TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE TABLE apps (name TEXT PRIMARY KEY, position INTEGER NOT NULL, body TEXT NOT NULL);
-- Later events and actions by people and tools.
CREATE TABLE entity_state (entity_id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entity_events (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, actor TEXT,
  actor_label TEXT, summary TEXT NOT NULL, detail TEXT, re_evaluated INTEGER NOT NULL
);
CREATE INDEX entity_events_entity ON entity_events (entity_id, at);
CREATE TABLE pending_actions (
  id INTEGER PRIMARY KEY, due_at INTEGER NOT NULL, asked_at INTEGER NOT NULL, actor TEXT, role TEXT NOT NULL,
  entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX pending_actions_due ON pending_actions (due_at);
CREATE INDEX pending_actions_entity ON pending_actions (entity_id);
CREATE TABLE rescans (
  id INTEGER PRIMARY KEY, entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, tool TEXT NOT NULL,
  asked_at INTEGER NOT NULL, due_at INTEGER NOT NULL, actor TEXT,
  UNIQUE (entity_id, tool)
);
CREATE INDEX rescans_due ON rescans (due_at);
CREATE TABLE logins (
  -- failed: 0, 1, or 2 if the log does not record it.
  id INTEGER PRIMARY KEY, saas TEXT NOT NULL, failed INTEGER NOT NULL, at INTEGER, user TEXT, ip TEXT,
  lat REAL, lon REAL, country TEXT, city TEXT, count INTEGER NOT NULL, file_id INTEGER,
  -- Lines of logs with the same event are the same sign-in, and one of them is listed. NULL in the demo tenant.
  event BLOB, listed INTEGER NOT NULL DEFAULT 1,
  -- Where it is in its log; entry: its number among the entries of a JSON log.
  line INTEGER, entry INTEGER
);
CREATE INDEX logins_listed ON logins (saas, failed, at) WHERE listed = 1;
CREATE INDEX logins_listed_user ON logins (saas, failed, user COLLATE NOCASE, at) WHERE listed = 1;
CREATE INDEX logins_file ON logins (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX logins_event ON logins (event, listed, file_id) WHERE event IS NOT NULL;
CREATE TABLE exceptions (
  id INTEGER PRIMARY KEY, exception_id TEXT NOT NULL UNIQUE, tool TEXT NOT NULL, list TEXT NOT NULL,
  type TEXT NOT NULL, string TEXT NOT NULL, string_folded TEXT NOT NULL, payload TEXT, comment TEXT,
  is_exclusive INTEGER NOT NULL, created_by TEXT, created_at INTEGER NOT NULL
);
CREATE INDEX exceptions_tool ON exceptions (tool, created_at);
CREATE INDEX exceptions_value ON exceptions (string_folded);
-- Sign-in logs of evidence; columns: the mapping used to read them.
CREATE TABLE evidence_logs (
  id INTEGER PRIMARY KEY, root TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, modified_ms REAL NOT NULL,
  changed_ms REAL, columns TEXT NOT NULL, complete INTEGER NOT NULL, reader TEXT NOT NULL, UNIQUE (root, path)
);
-- Records that are no longer in the evidence, kept until the analyst decides.
CREATE TABLE evidence_absent (
  -- mail: id of an email. log: id of a sign-in log, for all its sign-ins.
  kind TEXT NOT NULL, id INTEGER NOT NULL,
  -- unreachable: its folder or file cannot be read. gone: the analyst must decide. kept: the analyst kept it.
  state TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
-- The places of a mail of evidence, whose id is derived from its content.
CREATE TABLE evidence_places (
  email_id INTEGER NOT NULL,
  -- A file and the range of bytes, or zeros and a part of another mail.
  file_id INTEGER NOT NULL, position INTEGER NOT NULL, length INTEGER NOT NULL, mbox INTEGER NOT NULL,
  parent_id INTEGER NOT NULL, part TEXT NOT NULL,
  -- NULL: it is there. Otherwise gone or unreachable.
  absent TEXT,
  -- The reading that last found it.
  run INTEGER NOT NULL,
  PRIMARY KEY (email_id, file_id, position, parent_id, part)
) WITHOUT ROWID;
CREATE INDEX evidence_places_file ON evidence_places (file_id) WHERE file_id > 0;
CREATE INDEX evidence_places_parent ON evidence_places (parent_id) WHERE parent_id > 0;
-- Ids that mails refer to: mails sharing one belong to the same conversation.
CREATE TABLE evidence_threads (key TEXT PRIMARY KEY, member_of INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX evidence_threads_members ON evidence_threads (member_of);
-- What mails of a campaign share (src/shared/campaigns): mails sharing one belong to the same campaign.
CREATE TABLE campaign_keys (key INTEGER PRIMARY KEY, member_of INTEGER NOT NULL);
CREATE INDEX campaign_keys_members ON campaign_keys (member_of);
-- Those of at least two mails.
CREATE TABLE campaigns (id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_folded TEXT NOT NULL);
CREATE INDEX campaigns_name ON campaigns (name_folded);
CREATE TABLE evidence_subjects (
  email_id INTEGER PRIMARY KEY, subject TEXT NOT NULL, is_orphan INTEGER NOT NULL
);
CREATE INDEX evidence_subjects_subject ON evidence_subjects (subject, is_orphan);
`;

/** "Para" in ASCII: tells a database of the service from that of another program, or of a build before 1.0.0. */
export const APPLICATION_ID = 0x50_61_72_61;

/** All but the indexes below. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    summary: 'Mail, people, files, sign-ins',
    statements: [`PRAGMA application_id = ${APPLICATION_ID}`, TABLES, TEXT_TABLES],
  },
];

/** Tables with rows that belong to an email. */
export const EMAIL_CHILDREN = [
  'recipients',
  'attachments',
  'links',
  'clicks',
  'findings',
  'raw_mail',
  'evidence_messages',
  'evidence_subjects',
  'rule_queue',
  'email_texts',
  'shown_texts',
  'header_texts',
  'hops',
];

/** `…_folded` is the form for comparing (query/text.ts); NULL: the text itself. */
export const FOLDED_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['emails', 'from_email'],
  ['emails', 'from_name'],
  ['emails', 'from_domain'],
  ['emails', 'to_email'],
  ['emails', 'message_id'],
  ['recipients', 'email'],
  ['links', 'host'],
];

/** Built after a bulk load: maintaining them during one costs several times as much. */
export const INDEXES = `
CREATE UNIQUE INDEX IF NOT EXISTS emails_entity ON emails (entity_id);
CREATE INDEX IF NOT EXISTS emails_received ON emails (received_at);
-- Covers everything that statistics count, so that they never read the wide rows.
CREATE INDEX IF NOT EXISTS emails_counted ON emails (received_at, saas, verdict, quarantined, user_reported, restore_state);
CREATE INDEX IF NOT EXISTS emails_verdict ON emails (verdict_rank);
CREATE INDEX IF NOT EXISTS emails_score ON emails (score) WHERE score IS NOT NULL;
CREATE INDEX IF NOT EXISTS emails_from ON emails (coalesce(from_email_folded, from_email));
CREATE INDEX IF NOT EXISTS emails_from_domain ON emails (coalesce(from_domain_folded, from_domain));
CREATE INDEX IF NOT EXISTS emails_subject ON emails (subject_folded);
CREATE INDEX IF NOT EXISTS emails_to ON emails (coalesce(to_email_folded, to_email));
CREATE INDEX IF NOT EXISTS emails_client_ip ON emails (client_ip);
CREATE INDEX IF NOT EXISTS emails_size ON emails (size);
CREATE INDEX IF NOT EXISTS emails_message_id ON emails (coalesce(message_id_folded, message_id));
CREATE INDEX IF NOT EXISTS emails_thread ON emails (thread_id);
-- Covers what is counted of campaigns.
CREATE INDEX IF NOT EXISTS emails_campaign ON emails (campaign_id, verdict_rank, score, received_at) WHERE campaign_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS emails_file ON emails (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS recipients_email ON recipients (email_id);
CREATE INDEX IF NOT EXISTS recipients_by_address ON recipients (coalesce(email_folded, email), email_id);
CREATE INDEX IF NOT EXISTS attachments_email ON attachments (email_id);
CREATE INDEX IF NOT EXISTS attachments_by_sha256 ON attachments (sha256, email_id);
CREATE INDEX IF NOT EXISTS attachments_by_md5 ON attachments (md5, email_id);
CREATE INDEX IF NOT EXISTS links_email ON links (email_id);
CREATE INDEX IF NOT EXISTS links_by_host ON links (coalesce(host_folded, host), email_id);
CREATE INDEX IF NOT EXISTS findings_email ON findings (email_id);
CREATE INDEX IF NOT EXISTS findings_check ON findings (check_id, email_id);
CREATE INDEX IF NOT EXISTS hops_email ON hops (email_id);
CREATE INDEX IF NOT EXISTS hops_by_ip ON hops (ip, email_id);
CREATE INDEX IF NOT EXISTS clicks_email ON clicks (email_id);
CREATE INDEX IF NOT EXISTS clicks_time ON clicks (clicked_at);
CREATE INDEX IF NOT EXISTS action_log_entity ON action_log (entity_id);
CREATE INDEX IF NOT EXISTS evidence_problem_files ON evidence_problems (root, file);
CREATE UNIQUE INDEX IF NOT EXISTS files_entity ON files (entity_id);
CREATE INDEX IF NOT EXISTS files_sha256 ON files (sha256);
CREATE UNIQUE INDEX IF NOT EXISTS messages_entity ON messages (entity_id);
CREATE UNIQUE INDEX IF NOT EXISTS users_entity ON users (entity_id);
CREATE INDEX IF NOT EXISTS users_email ON users (email);
CREATE INDEX IF NOT EXISTS groups_entity ON groups (entity_id);
CREATE INDEX IF NOT EXISTS files_modified ON files (modified_at);
CREATE INDEX IF NOT EXISTS messages_sent ON messages (sent_at);
`;
