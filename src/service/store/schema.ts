/** Tables of the embedded service. Instants are milliseconds since the epoch, UTC; flags are 0 or 1. */

export const SCHEMA_VERSION = 1;

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
  blocked INTEGER NOT NULL
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
  created_at INTEGER NOT NULL, last_login_at INTEGER, risk INTEGER NOT NULL
);
CREATE TABLE groups (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, saas TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
  members INTEGER NOT NULL, external_members INTEGER NOT NULL, owner TEXT, is_public INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE files (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, saas TEXT NOT NULL, title TEXT NOT NULL, path TEXT,
  mime_type TEXT, size INTEGER, md5 TEXT, sha1 TEXT, sha256 TEXT, owner TEXT, department TEXT,
  created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, verdict TEXT NOT NULL, verdict_rank INTEGER NOT NULL,
  verdict_code TEXT, is_quarantined INTEGER NOT NULL, is_vault INTEGER NOT NULL, is_deleted INTEGER NOT NULL,
  is_shared_externally INTEGER NOT NULL, is_shared_publicly INTEGER NOT NULL
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, saas TEXT NOT NULL, sent_at INTEGER NOT NULL, sender TEXT NOT NULL,
  channel TEXT NOT NULL, text TEXT NOT NULL, links_count INTEGER NOT NULL, verdict TEXT NOT NULL,
  verdict_rank INTEGER NOT NULL, verdict_code TEXT
);
CREATE TABLE queries (
  id TEXT PRIMARY KEY, sub_type TEXT, entity_type TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE TABLE apps (name TEXT PRIMARY KEY, position INTEGER NOT NULL, body TEXT NOT NULL);
`;

/** Built after a bulk load: maintaining them during one costs several times as much (performance.md, Ingest). */
export const INDEXES = `
CREATE UNIQUE INDEX IF NOT EXISTS emails_entity ON emails (entity_id);
CREATE INDEX IF NOT EXISTS emails_received ON emails (received_at);
-- Holds all that statistics count, so that they never touch the wide rows.
CREATE INDEX IF NOT EXISTS emails_counted ON emails (received_at, saas, verdict, quarantined, user_reported, restore_state);
CREATE INDEX IF NOT EXISTS emails_verdict ON emails (verdict_rank);
CREATE INDEX IF NOT EXISTS emails_from ON emails (from_email);
CREATE INDEX IF NOT EXISTS emails_from_domain ON emails (from_domain);
CREATE INDEX IF NOT EXISTS emails_subject ON emails (subject_folded);
CREATE INDEX IF NOT EXISTS emails_to ON emails (to_email);
CREATE INDEX IF NOT EXISTS emails_size ON emails (size);
CREATE INDEX IF NOT EXISTS emails_message_id ON emails (message_id);
CREATE INDEX IF NOT EXISTS emails_thread ON emails (thread_id);
CREATE INDEX IF NOT EXISTS emails_file ON emails (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS recipients_email ON recipients (email_id);
CREATE INDEX IF NOT EXISTS recipients_address ON recipients (email);
CREATE INDEX IF NOT EXISTS attachments_email ON attachments (email_id);
CREATE INDEX IF NOT EXISTS attachments_sha256 ON attachments (sha256);
CREATE INDEX IF NOT EXISTS attachments_md5 ON attachments (md5);
CREATE INDEX IF NOT EXISTS links_email ON links (email_id);
CREATE INDEX IF NOT EXISTS links_host ON links (host);
CREATE INDEX IF NOT EXISTS clicks_email ON clicks (email_id);
CREATE INDEX IF NOT EXISTS clicks_time ON clicks (clicked_at);
CREATE INDEX IF NOT EXISTS evidence_sha256 ON evidence_messages (sha256);
CREATE INDEX IF NOT EXISTS files_modified ON files (modified_at);
CREATE INDEX IF NOT EXISTS messages_sent ON messages (sent_at);
`;
