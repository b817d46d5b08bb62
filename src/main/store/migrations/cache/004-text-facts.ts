import type { Migration } from '../migration.ts';

/** Bit masks over the columns of a run (results/text-facts.ts); NULL: nothing is known of its texts. */
export const textFacts: Migration = {
  version: 4,
  summary: 'What holds for the texts of a run, for exports',
  statements: [
    'ALTER TABLE result_sets ADD COLUMN escapes INTEGER',
    'ALTER TABLE result_sets ADD COLUMN gaps INTEGER',
  ],
};
