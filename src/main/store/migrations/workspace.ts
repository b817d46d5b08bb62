/** The schema of the workspace: what an analyst would miss. A released step is never edited: a change is a new step. */
import type { Migration } from '#workers/migrations.ts';

const TABLES = `
CREATE TABLE connections (
  id TEXT PRIMARY KEY,
  settings TEXT NOT NULL,
  source TEXT,
  created_at INTEGER NOT NULL,
  activated_at INTEGER,
  -- Incremented when the connection becomes another service or account.
  generation INTEGER NOT NULL DEFAULT 0,
  -- Key of its credential among the secrets, which are elsewhere.
  credential_key TEXT
);
-- What a change of connections leaves to be removed, at once or at the next start.
CREATE TABLE leftovers (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at INTEGER NOT NULL);
-- Every change, recorded before it is sent.
CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  connection_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  request TEXT NOT NULL,
  outcome TEXT NOT NULL,
  who TEXT,
  action TEXT,
  -- The run of Parapet that wrote the entry; while its outcome says running, only that run knows more.
  run TEXT
);
CREATE INDEX journal_at ON journal (at);
CREATE INDEX journal_running ON journal (run) WHERE outcome ->> 'state' = 'running';
CREATE TABLE journal_targets (
  journal_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  entity_id TEXT NOT NULL,
  state TEXT NOT NULL,
  error TEXT,
  -- As they were when it was chosen: its row may be gone when its outcome is read.
  name TEXT,
  recipient TEXT,
  PRIMARY KEY (journal_id, position)
) WITHOUT ROWID;
CREATE INDEX journal_targets_state ON journal_targets (journal_id, state, position);
-- Rules of the analyst; head: everything but the text, which may be long.
CREATE TABLE rules (id TEXT PRIMARY KEY, head TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE jobs (id TEXT PRIMARY KEY, data TEXT NOT NULL, ended_at INTEGER);
`;

export const workspaceMigrations: readonly Migration[] = [
  {
    version: 1,
    summary: 'Connections, values by key, journal of changes, rules, ended jobs',
    statements: [TABLES],
  },
];
