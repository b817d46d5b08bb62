import type { Migration } from '../migration.ts';

/**
 * By which rules the rows of a run were marked for exports (results/encode.ts, MARKS). Runs of before have 0: their
 * cells are looked at one by one.
 */
export const marks: Migration = {
  version: 8,
  summary: 'By which rules the cells of a run were marked',
  statements: ['ALTER TABLE result_sets ADD COLUMN marks INTEGER NOT NULL DEFAULT 0'],
};
