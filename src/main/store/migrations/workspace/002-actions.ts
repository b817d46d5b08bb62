import type { Migration } from '../migration.ts';

/** Who made a change; for actions, what they were and the outcome of each target. */
export const actions: Migration = {
  version: 2,
  summary: 'Journal: who, actions, and their targets with outcomes',
  statements: [
    'ALTER TABLE journal ADD COLUMN who TEXT',
    'ALTER TABLE journal ADD COLUMN action TEXT',
    `CREATE TABLE journal_targets (
      journal_id INTEGER NOT NULL,
      position INTEGER NOT NULL,
      entity_id TEXT NOT NULL,
      state TEXT NOT NULL,
      error TEXT,
      PRIMARY KEY (journal_id, position)
    ) WITHOUT ROWID`,
    'CREATE INDEX journal_targets_state ON journal_targets (journal_id, state, position)',
  ],
};
