import type { Migration } from '../migration.ts';

/**
 * Runs of queries. The rows of run n are in tables created with the run: rs_n (typed columns; pos = row index from 0,
 * in the service's order) and rh_n (search text by pos). A local order or filter is a sort index, rv_n.
 */
export const resultSets: Migration = {
  version: 2,
  summary: 'Result sets and the local orders over them',
  statements: [
    `CREATE TABLE result_sets (
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
      reason TEXT,
      resumed INTEGER NOT NULL DEFAULT 0,
      without_id INTEGER NOT NULL DEFAULT 0,
      started_at INTEGER NOT NULL,
      fetched_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      superseded_at INTEGER,
      pinned INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      widest INTEGER NOT NULL DEFAULT 0
    )`,
    'CREATE INDEX result_sets_key ON result_sets (key, superseded_at)',
    `CREATE TABLE result_views (
      n INTEGER PRIMARY KEY,
      set_n INTEGER NOT NULL,
      key TEXT NOT NULL,
      loaded INTEGER NOT NULL,
      count INTEGER NOT NULL,
      used_at INTEGER NOT NULL
    )`,
  ],
};
