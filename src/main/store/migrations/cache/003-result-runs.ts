import type { Migration } from '../migration.ts';

/**
 * What a run is called, how it is fetched, what was seen to move meanwhile, and of what it is made when it is a
 * comparison (origin: JSON). Search text is no longer stored beside the rows: rh_n tables of older runs go with them.
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
