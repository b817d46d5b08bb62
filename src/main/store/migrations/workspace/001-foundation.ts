import type { Migration } from '../migration.ts';

/**
 * What an analyst would miss: connections (without credentials, which are among the secrets), values, journal, jobs.
 */
export const foundation: Migration = {
  version: 1,
  summary: 'Connections, values by key, journal of changes, ended jobs',
  statements: [
    `CREATE TABLE connections (
      id TEXT PRIMARY KEY,
      settings TEXT NOT NULL,
      source TEXT,
      has_credential INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      activated_at INTEGER
    )`,
    `CREATE TABLE kv (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    `CREATE TABLE journal (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      connection_id TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      request TEXT NOT NULL,
      outcome TEXT NOT NULL
    )`,
    'CREATE INDEX journal_at ON journal (at)',
    `CREATE TABLE jobs (
      id TEXT PRIMARY KEY,
      data TEXT NOT NULL,
      ended_at INTEGER
    )`,
  ],
};
