import type { Migration } from '../migration.ts';

/**
 * The version of the rules by which the rows of a run were marked for exports (results/encode.ts, MARKS). Earlier runs
 * have 0: each of their cells is checked individually.
 */
export const marks: Migration = {
  version: 8,
  summary: 'By which rules the cells of a run were marked',
  statements: ['ALTER TABLE result_sets ADD COLUMN marks INTEGER NOT NULL DEFAULT 0'],
};
