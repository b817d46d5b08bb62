import type { Migration } from '../migration.ts';

/** SQL: the profiles that have a part in the answer `old`. */
const OF_OLD =
  '(SELECT profile_id FROM kept_parts WHERE connection_id = old.connection_id AND key = old.key)';

/** The texts of a profile are removed with any of its parts, and the profile with its last part. */
const LET_GO = `
  DELETE FROM kept_texts WHERE profile_id IN ${OF_OLD};
  UPDATE kept_profiles SET rules = 0 WHERE id IN ${OF_OLD};
  DELETE FROM kept_profiles WHERE id IN ${OF_OLD} AND NOT EXISTS (
    SELECT 1 FROM kept_parts p JOIN answers a ON a.connection_id = p.connection_id AND a.key = p.key
    WHERE p.profile_id = kept_profiles.id AND a.pinned = 1);`;

/**
 * Profiles kept for offline and the texts in which they are searched (response-cache/kept-index.ts). `rules`: the
 * version of the rules by which they were indexed, 0: not yet. `folded`: as it is compared; `shown`: as written if that
 * differs. Profiles kept by earlier versions are found by their answers.
 */
export const keptProfiles: Migration = {
  version: 9,
  summary: 'Texts of profiles kept for offline',
  statements: [
    `CREATE TABLE kept_profiles (
      id INTEGER PRIMARY KEY,
      connection_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      saas TEXT NOT NULL,
      entity_id TEXT NOT NULL,
      rules INTEGER NOT NULL DEFAULT 0,
      about TEXT,
      received INTEGER,
      lacks TEXT NOT NULL DEFAULT '[]',
      cut INTEGER NOT NULL DEFAULT 0,
      UNIQUE (connection_id, kind, saas, entity_id)
    )`,
    `CREATE TABLE kept_parts (
      profile_id INTEGER NOT NULL REFERENCES kept_profiles (id) ON DELETE CASCADE,
      connection_id TEXT NOT NULL,
      key TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      PRIMARY KEY (profile_id, key)
    ) WITHOUT ROWID`,
    'CREATE INDEX kept_parts_key ON kept_parts (connection_id, key)',
    `CREATE TABLE kept_texts (
      id INTEGER PRIMARY KEY,
      profile_id INTEGER NOT NULL REFERENCES kept_profiles (id) ON DELETE CASCADE,
      field TEXT NOT NULL,
      folded TEXT NOT NULL,
      shown TEXT
    )`,
    'CREATE INDEX kept_texts_profile ON kept_texts (profile_id)',
    `CREATE TRIGGER answers_changed AFTER UPDATE OF pinned, data ON answers
      WHEN old.pinned = 1 AND (new.pinned = 0 OR new.data <> old.data) BEGIN ${LET_GO} END`,
    `CREATE TRIGGER answers_removed AFTER DELETE ON answers WHEN old.pinned = 1 BEGIN ${LET_GO} END`,
  ],
};
