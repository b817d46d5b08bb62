import type { Migration } from '../migration.ts';

/**
 * Cached answers of the service. `shape`: hash of the schema they were parsed with; rows with another hash are dropped.
 */
export const answers: Migration = {
  version: 1,
  summary: 'Answers of the service',
  statements: [
    `CREATE TABLE answers (
      id INTEGER PRIMARY KEY,
      connection_id TEXT NOT NULL,
      key TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      shape TEXT NOT NULL,
      data TEXT NOT NULL,
      tags TEXT NOT NULL,
      fetched_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      stale INTEGER NOT NULL DEFAULT 0,
      pinned INTEGER NOT NULL DEFAULT 0,
      UNIQUE (connection_id, key)
    )`,
    'CREATE INDEX answers_used ON answers (pinned, used_at, bytes)',
  ],
};
