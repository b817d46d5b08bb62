import type { Migration } from '../migration.ts';

/**
 * Changes recorded before they are sent, and connections whose address, credential and cached data change together.
 * `run`: the run of Parapet that wrote the entry; while its outcome says running, only that run knows more.
 * `generation`: incremented when the connection becomes another service or account. `credential_key`: key of its
 * credential among the secrets. `leftovers`: what a change of connections leaves to be removed, at once or at the next
 * start.
 */
export const intents: Migration = {
  version: 3,
  summary: 'Intents of changes, generations of connections, and what they leave behind',
  statements: [
    'ALTER TABLE journal ADD COLUMN run TEXT',
    "CREATE INDEX journal_running ON journal (run) WHERE outcome ->> 'state' = 'running'",
    'ALTER TABLE connections ADD COLUMN generation INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE connections ADD COLUMN credential_key TEXT',
    'UPDATE connections SET credential_key = id WHERE has_credential = 1',
    `CREATE TABLE leftovers (
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (kind, name)
    ) WITHOUT ROWID`,
  ],
};
