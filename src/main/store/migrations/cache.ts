/** The schema of the cache: what a service can supply again. A released step is never edited: a change is a new step. */
import type { Migration } from '#workers/migrations.ts';

const ANSWERS = `
CREATE TABLE answers (
  id INTEGER PRIMARY KEY,
  connection_id TEXT NOT NULL,
  key TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  -- Hash of the schema with which it was parsed.
  shape TEXT NOT NULL,
  data TEXT NOT NULL,
  tags TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  stale INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0,
  UNIQUE (connection_id, key)
);
CREATE INDEX answers_used ON answers (pinned, used_at, bytes);
`;

/** The rows of run n, and each local order or filter of them, have tables of their own (results/record.ts). */
const RESULTS = `
CREATE TABLE result_sets (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  columns TEXT NOT NULL,
  cursor TEXT,
  cursor_at INTEGER,
  matching INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL,
  loaded INTEGER NOT NULL DEFAULT 0,
  target INTEGER,
  state TEXT NOT NULL,
  stop TEXT,
  detail TEXT,
  first_total INTEGER,
  shifts INTEGER NOT NULL DEFAULT 0,
  scans INTEGER NOT NULL DEFAULT 0,
  resumed INTEGER NOT NULL DEFAULT 0,
  without_id INTEGER NOT NULL DEFAULT 0,
  started_at INTEGER NOT NULL,
  fetched_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  -- Its turn among the runs started and used: counters, as a clock may be set back.
  born INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL DEFAULT 0,
  superseded_at INTEGER,
  pinned INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  widest INTEGER NOT NULL DEFAULT 0,
  label TEXT,
  page_size INTEGER,
  appeared INTEGER NOT NULL DEFAULT 0,
  vanished INTEGER NOT NULL DEFAULT 0,
  duplicates INTEGER NOT NULL DEFAULT 0,
  -- What a comparison compares.
  origin TEXT,
  -- Bit masks over the columns (results/text-facts.ts); NULL: nothing is known of its texts.
  escapes INTEGER,
  gaps INTEGER
);
CREATE INDEX result_sets_key ON result_sets (key, superseded_at);
CREATE TABLE result_views (
  n INTEGER PRIMARY KEY,
  set_n INTEGER NOT NULL,
  key TEXT NOT NULL,
  loaded INTEGER NOT NULL,
  count INTEGER NOT NULL,
  used_at INTEGER NOT NULL
);
`;

/** SQL: the profiles that have a part in the answer `old`. */
const OF_OLD =
  '(SELECT profile_id FROM kept_parts WHERE connection_id = old.connection_id AND key = old.key)';

/** The texts of a profile are removed with any of its parts, and the profile with its last part. */
const LET_GO = `
  DELETE FROM kept_texts WHERE profile_id IN ${OF_OLD};
  UPDATE kept_profiles SET indexed = 0 WHERE id IN ${OF_OLD};
  DELETE FROM kept_profiles WHERE id IN ${OF_OLD} AND NOT EXISTS (
    SELECT 1 FROM kept_parts p JOIN answers a ON a.connection_id = p.connection_id AND a.key = p.key
    WHERE p.profile_id = kept_profiles.id AND a.pinned = 1);`;

/** Profiles saved for offline, and the texts in which they are searched (response-cache/kept-index.ts). */
const KEPT = `
CREATE TABLE kept_profiles (
  id INTEGER PRIMARY KEY,
  connection_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  saas TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  -- Its texts are stored. A step that changes which texts are read sets it to 0.
  indexed INTEGER NOT NULL DEFAULT 0,
  about TEXT,
  received INTEGER,
  lacks TEXT NOT NULL DEFAULT '[]',
  cut INTEGER NOT NULL DEFAULT 0,
  -- JSON of what Parapet's own checks find in an email.
  checks TEXT,
  UNIQUE (connection_id, kind, saas, entity_id)
);
CREATE TABLE kept_parts (
  profile_id INTEGER NOT NULL REFERENCES kept_profiles (id) ON DELETE CASCADE,
  connection_id TEXT NOT NULL,
  key TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  PRIMARY KEY (profile_id, key)
) WITHOUT ROWID;
CREATE INDEX kept_parts_key ON kept_parts (connection_id, key);
CREATE TABLE kept_texts (
  id INTEGER PRIMARY KEY,
  profile_id INTEGER NOT NULL REFERENCES kept_profiles (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  -- As it is compared.
  folded TEXT NOT NULL,
  -- As written, if that differs.
  shown TEXT
);
CREATE INDEX kept_texts_profile ON kept_texts (profile_id);
CREATE TRIGGER answers_changed AFTER UPDATE OF pinned, data ON answers
  WHEN old.pinned = 1 AND (new.pinned = 0 OR new.data <> old.data) BEGIN ${LET_GO} END;
CREATE TRIGGER answers_removed AFTER DELETE ON answers WHEN old.pinned = 1 BEGIN ${LET_GO} END;
`;

export const cacheMigrations: readonly Migration[] = [
  {
    version: 1,
    summary: 'Answers of the service, results, profiles saved for offline',
    statements: [ANSWERS, RESULTS, KEPT],
  },
];
