import type { Migration } from '../migration.ts';

/** What a target was called, and who it went to, when it was chosen: its rows may be gone when its outcome is read. */
export const targetNames: Migration = {
  version: 4,
  summary: 'Journal: names and recipients of targets',
  statements: [
    'ALTER TABLE journal_targets ADD COLUMN name TEXT',
    'ALTER TABLE journal_targets ADD COLUMN recipient TEXT',
  ],
};
