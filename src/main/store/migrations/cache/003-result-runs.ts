import type { Migration } from '../migration.ts';

/**
 * The run's label, how it is fetched, what was seen to move meanwhile, and for a comparison what it compares (origin:
 * JSON). Search text is no longer stored beside the rows, so rh_n tables of older runs are dropped.
 */
export const resultRuns: Migration = {
  version: 3,
  summary: 'Names, page sizes and counts of runs; comparisons of runs',
  statements: [
    'ALTER TABLE result_sets ADD COLUMN label TEXT',
    'ALTER TABLE result_sets ADD COLUMN page_size INTEGER',
    'ALTER TABLE result_sets ADD COLUMN appeared INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE result_sets ADD COLUMN vanished INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE result_sets ADD COLUMN duplicates INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE result_sets ADD COLUMN origin TEXT',
  ],
};
