/** Tables of the embedded service. Instants are milliseconds since the epoch, UTC; flags are 0 or 1. */

export const SCHEMA_VERSION = 18;

/** Databases are recognised by a hash of this text (store.ts): changing even a comment has all of them made anew. */
export const TABLES = `
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
  thread_id TEXT,
  direction TEXT,
  state TEXT,
  department TEXT,
  size INTEGER,
  client_ip TEXT,
  language TEXT,
  is_read INTEGER,
  recipients_count INTEGER NOT NULL,
  clicks INTEGER,
  attachments_count INTEGER NOT NULL,
  links_count INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  verdict_rank INTEGER NOT NULL,
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
  size INTEGER,
  md5 TEXT,
  sha1 TEXT,
  sha256 TEXT,
  is_inline INTEGER NOT NULL,
  verdict_code TEXT,
  matches INTEGER
);
CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  email_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  host TEXT,
  text TEXT,
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
CREATE TABLE raw_mail (
  email_id INTEGER PRIMARY KEY,
  headers BLOB NOT NULL,
  html BLOB,
  text BLOB,
  inline BLOB,
  truncated INTEGER NOT NULL
);
CREATE TABLE evidence_files (
  id INTEGER PRIMARY KEY,
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_ms REAL NOT NULL,
  messages INTEGER NOT NULL,
  -- 0 while its messages are still coming: read again at the next opening.
  complete INTEGER NOT NULL,
  UNIQUE (root, path)
);
CREATE TABLE evidence_messages (email_id INTEGER PRIMARY KEY, place TEXT NOT NULL, sha256 TEXT NOT NULL);
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
`;

/** Since version 2: later events and actions by people and tools. Added to an older file when it is opened. */
export const LIFE_TABLES = `
CREATE TABLE IF NOT EXISTS entity_state (entity_id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entity_events (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, actor TEXT,
  actor_label TEXT, summary TEXT NOT NULL, detail TEXT, re_evaluated INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS entity_events_entity ON entity_events (entity_id, at);
CREATE TABLE IF NOT EXISTS pending_actions (
  id INTEGER PRIMARY KEY, due_at INTEGER NOT NULL, asked_at INTEGER NOT NULL, actor TEXT, role TEXT NOT NULL,
  entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS pending_actions_due ON pending_actions (due_at);
CREATE INDEX IF NOT EXISTS pending_actions_entity ON pending_actions (entity_id);
CREATE TABLE IF NOT EXISTS rescans (
  id INTEGER PRIMARY KEY, entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, tool TEXT NOT NULL,
  asked_at INTEGER NOT NULL, due_at INTEGER NOT NULL, actor TEXT,
  UNIQUE (entity_id, tool)
);
CREATE INDEX IF NOT EXISTS rescans_due ON rescans (due_at);
`;

/** Since version 3: sign-ins by location, and allow and block lists. */
export const STACK_TABLES = `
CREATE TABLE IF NOT EXISTS logins (
  -- failed: 0, 1, or 2 if the log does not record it.
  id INTEGER PRIMARY KEY, saas TEXT NOT NULL, failed INTEGER NOT NULL, at INTEGER, user TEXT, ip TEXT,
  lat REAL, lon REAL, country TEXT, city TEXT, count INTEGER NOT NULL, file_id INTEGER
);
CREATE TABLE IF NOT EXISTS exceptions (
  id INTEGER PRIMARY KEY, exception_id TEXT NOT NULL UNIQUE, tool TEXT NOT NULL, list TEXT NOT NULL,
  type TEXT NOT NULL, string TEXT NOT NULL, string_folded TEXT NOT NULL, payload TEXT, comment TEXT,
  is_exclusive INTEGER NOT NULL, created_by TEXT, created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS exceptions_tool ON exceptions (tool, created_at);
CREATE INDEX IF NOT EXISTS exceptions_value ON exceptions (string_folded);
-- Sign-in logs of evidence; columns: the mapping used to read them.
CREATE TABLE IF NOT EXISTS evidence_logs (
  id INTEGER PRIMARY KEY, root TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, modified_ms REAL NOT NULL,
  columns TEXT NOT NULL, complete INTEGER NOT NULL, UNIQUE (root, path)
);
`;

/** Since version 5: records that are no longer in the evidence, kept until the analyst decides. */
export const ABSENT_TABLES = `
CREATE TABLE IF NOT EXISTS evidence_absent (
  -- mail: id of an email. log: id of a sign-in log, for all its sign-ins.
  kind TEXT NOT NULL, id INTEGER NOT NULL,
  -- unreachable: its folder or file cannot be read. gone: the analyst must decide. kept: the analyst kept it.
  state TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
`;

/**
 * Since version 6: the location of a link in its mail. Earlier versions counted a sign-in without a recorded outcome as
 * successful: the logs are read again, and until then the outcome is unknown.
 */
export const OUTCOMES = `
ALTER TABLE links ADD COLUMN source TEXT;
UPDATE logins SET failed = 2 WHERE failed = 0 AND file_id IS NOT NULL;
`;

/** Since version 7: the places of a mail of evidence, whose id is derived from its content, and its conversation. */
export const PLACE_TABLES = `
CREATE TABLE IF NOT EXISTS evidence_places (
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
CREATE INDEX IF NOT EXISTS evidence_places_file ON evidence_places (file_id) WHERE file_id > 0;
CREATE INDEX IF NOT EXISTS evidence_places_parent ON evidence_places (parent_id) WHERE parent_id > 0;
-- Ids before version 7, which were derived from a place.
CREATE TABLE IF NOT EXISTS evidence_ids (old TEXT PRIMARY KEY, entity_id TEXT NOT NULL) WITHOUT ROWID;
-- Ids that mails refer to: mails sharing one belong to the same conversation.
CREATE TABLE IF NOT EXISTS evidence_threads (key TEXT PRIMARY KEY, thread INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS evidence_threads_thread ON evidence_threads (thread);
CREATE TABLE IF NOT EXISTS evidence_subjects (
  email_id INTEGER PRIMARY KEY, subject TEXT NOT NULL, is_orphan INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS evidence_subjects_subject ON evidence_subjects (subject, is_orphan);
DROP INDEX IF EXISTS evidence_sha256;
`;
export const PLACE_COLUMNS: readonly (readonly [table: string, column: string, type: string])[] = [
  ['evidence_files', 'changed_ms', 'REAL'],
  ['evidence_files', 'inode', 'TEXT'],
  ['evidence_logs', 'changed_ms', 'REAL'],
  ['evidence_messages', 'imported_at', 'INTEGER'],
  ['evidence_messages', 'reader', 'TEXT'],
];

/** Of attachments: since version 8 the type by content, since 13 the encryption. */
export const CONTENT_COLUMNS: typeof PLACE_COLUMNS = [
  ['attachments', 'content_type', 'TEXT'],
  ['attachments', 'encryption', 'TEXT'],
];

/** Since version 15: the version of the reader that read a sign-in log; null: an earlier one. */
export const LOG_COLUMNS: typeof PLACE_COLUMNS = [['evidence_logs', 'reader', 'TEXT']];

/**
 * Since version 17: which lines of sign-in logs are the same sign-in, and which of them is listed. Since 18: where it is in
 * its log, its number among the entries of a JSON log included. All but `listed` are null in the demo tenant, and until a
 * log that an earlier version read is read again.
 */
export const LOGIN_COLUMNS: typeof PLACE_COLUMNS = [
  ['logins', 'event', 'BLOB'],
  ['logins', 'listed', 'INTEGER NOT NULL DEFAULT 1'],
  ['logins', 'line', 'INTEGER'],
  ['logins', 'entry', 'INTEGER'],
];
export const LOGIN_INDEXES = `
DROP INDEX IF EXISTS logins_page;
DROP INDEX IF EXISTS logins_user;
CREATE INDEX IF NOT EXISTS logins_listed ON logins (saas, failed, at) WHERE listed = 1;
CREATE INDEX IF NOT EXISTS logins_listed_user ON logins (saas, failed, user COLLATE NOCASE, at) WHERE listed = 1;
CREATE INDEX IF NOT EXISTS logins_file ON logins (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS logins_event ON logins (event, listed, file_id) WHERE event IS NOT NULL;
`;

/** Tables with rows that belong to an email. */
export const EMAIL_CHILDREN = [
  'recipients',
  'attachments',
  'links',
  'clicks',
  'raw_mail',
  'evidence_messages',
  'evidence_subjects',
  'email_texts',
  'shown_texts',
  'header_texts',
  'hops',
];

/**
 * Gives evidence of an older file the ids of version 7. Exact copies become one email with the tags of all; records
 * under its old id stay valid.
 */
export const PLACED = `
CREATE TEMP TABLE merged AS
  SELECT m.email_id, min(m.email_id) OVER (PARTITION BY m.sha256) AS kept, substr(m.sha256, 1, 32) AS new_id, e.entity_id,
    e.file_id, e.detail, (SELECT state FROM evidence_absent a WHERE a.kind = 'mail' AND a.id = m.email_id) AS absent
  FROM evidence_messages m JOIN emails e ON e.id = m.email_id;
CREATE INDEX temp.merged_email ON merged (email_id);
INSERT OR IGNORE INTO evidence_places
  SELECT kept, file_id, detail ->> '$.evidence.offset', detail ->> '$.evidence.length',
    coalesce(detail ->> '$.evidence.mbox', 0), 0, '', iif(absent = 'kept', 'gone', absent), 0
  FROM merged;
INSERT OR IGNORE INTO evidence_ids SELECT entity_id, new_id FROM merged;
INSERT OR IGNORE INTO tags (email_id, tag)
  SELECT kept, tag FROM tags t JOIN merged m ON m.email_id = t.email_id AND m.kept <> m.email_id;
DELETE FROM tags WHERE email_id IN (SELECT email_id FROM merged WHERE kept <> email_id);
${EMAIL_CHILDREN.map((table) => `DELETE FROM ${table} WHERE email_id IN (SELECT email_id FROM merged WHERE kept <> email_id);`).join('')}
DELETE FROM emails WHERE id IN (SELECT email_id FROM merged WHERE kept <> email_id);
DELETE FROM evidence_absent WHERE kind = 'mail' AND id NOT IN (SELECT kept FROM merged);
DELETE FROM evidence_absent WHERE kind = 'mail' AND id IN (SELECT kept FROM merged WHERE absent IS NULL);
UPDATE emails SET entity_id = (SELECT new_id FROM merged WHERE email_id = emails.id)
  WHERE id IN (SELECT email_id FROM merged);
UPDATE OR REPLACE entity_state SET entity_id = (SELECT i.entity_id FROM evidence_ids i WHERE old = entity_state.entity_id)
  WHERE entity_id IN (SELECT old FROM evidence_ids);
${['entity_events', 'action_log', 'pending_actions', 'rescans']
  .map(
    (table) =>
      `UPDATE OR IGNORE ${table} SET entity_id = (SELECT i.entity_id FROM evidence_ids i WHERE old = ${table}.entity_id) WHERE entity_id IN (SELECT old FROM evidence_ids);`,
  )
  .join('')}
DROP TABLE merged;
`;

/** Since version 6: `…_folded` is the form for comparing (query/text.ts); NULL: the text itself. */
export const FOLDED_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['emails', 'from_email'],
  ['emails', 'from_name'],
  ['emails', 'from_domain'],
  ['emails', 'to_email'],
  ['emails', 'message_id'],
  ['recipients', 'email'],
  ['links', 'host'],
];
/** Indexes over the previous content of such columns. */
export const UNFOLDED_INDEXES = ['from', 'from_domain', 'to', 'message_id']
  .map((name) => `emails_${name}`)
  .concat('recipients_address', 'links_host');

/**
 * Updates what was folded differently before version 6. The SQL functions of conditions are registered on the
 * connection.
 */
export const REFOLDED = `
UPDATE emails SET subject_folded = pp_fold(subject), subject_words = pp_words(subject);
UPDATE emails SET recipients_count =
  (SELECT count(DISTINCT coalesce(email_folded, email)) FROM recipients WHERE email_id = emails.id);
UPDATE exceptions SET string_folded = pp_fold(string);
UPDATE OR REPLACE list_values SET value = pp_fold(value);
`;

/** Indexes before version 14, which had no ids of emails. */
export const NARROW_INDEXES = [
  'recipients_address',
  'attachments_sha256',
  'attachments_md5',
  'links_host',
  'hops_ip',
]
  .map((name) => `DROP INDEX IF EXISTS ${name};`)
  .join('');

/** Built after a bulk load: maintaining them during one costs several times as much. */
export const INDEXES = `
CREATE UNIQUE INDEX IF NOT EXISTS emails_entity ON emails (entity_id);
CREATE INDEX IF NOT EXISTS emails_received ON emails (received_at);
-- Covers everything that statistics count, so that they never read the wide rows.
CREATE INDEX IF NOT EXISTS emails_counted ON emails (received_at, saas, verdict, quarantined, user_reported, restore_state);
CREATE INDEX IF NOT EXISTS emails_verdict ON emails (verdict_rank);
CREATE INDEX IF NOT EXISTS emails_from ON emails (coalesce(from_email_folded, from_email));
CREATE INDEX IF NOT EXISTS emails_from_domain ON emails (coalesce(from_domain_folded, from_domain));
CREATE INDEX IF NOT EXISTS emails_subject ON emails (subject_folded);
CREATE INDEX IF NOT EXISTS emails_to ON emails (coalesce(to_email_folded, to_email));
CREATE INDEX IF NOT EXISTS emails_client_ip ON emails (client_ip);
CREATE INDEX IF NOT EXISTS emails_size ON emails (size);
CREATE INDEX IF NOT EXISTS emails_message_id ON emails (coalesce(message_id_folded, message_id));
CREATE INDEX IF NOT EXISTS emails_thread ON emails (thread_id);
CREATE INDEX IF NOT EXISTS emails_file ON emails (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS recipients_email ON recipients (email_id);
CREATE INDEX IF NOT EXISTS recipients_by_address ON recipients (coalesce(email_folded, email), email_id);
CREATE INDEX IF NOT EXISTS attachments_email ON attachments (email_id);
CREATE INDEX IF NOT EXISTS attachments_by_sha256 ON attachments (sha256, email_id);
CREATE INDEX IF NOT EXISTS attachments_by_md5 ON attachments (md5, email_id);
CREATE INDEX IF NOT EXISTS links_email ON links (email_id);
CREATE INDEX IF NOT EXISTS links_by_host ON links (coalesce(host_folded, host), email_id);
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
