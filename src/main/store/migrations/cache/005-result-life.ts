import type { Migration } from '../migration.ts';

/**
 * Why a run stopped becomes one of a few words (results/state.ts) instead of a sentence; what the service said stays
 * as detail. A run knows what its scan announced first and how often that changed, how many scans have come to the
 * end, and its turn among the runs begun and used: a clock may be set back, a count may not. A run that was begun and never
 * got its first page goes: it would have fetched everything by itself.
 */
export const resultLife: Migration = {
  version: 5,
  summary: 'The life of a run: why it stopped, what was announced, when it was used',
  statements: [
    'ALTER TABLE result_sets ADD COLUMN stop TEXT',
    'ALTER TABLE result_sets ADD COLUMN detail TEXT',
    'ALTER TABLE result_sets ADD COLUMN first_total INTEGER',
    'ALTER TABLE result_sets ADD COLUMN shifts INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE result_sets ADD COLUMN scans INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE result_sets ADD COLUMN born INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE result_sets ADD COLUMN turn INTEGER NOT NULL DEFAULT 0',
    `DELETE FROM result_sets
      WHERE origin IS NULL AND state = 'filling' AND loaded = 0 AND total = 0 AND cursor IS NULL AND cursor_at IS NULL`,
    `UPDATE result_sets SET stop = CASE
      WHEN state NOT IN ('paused', 'partial') THEN NULL
      WHEN state = 'paused' AND reason IS NULL THEN 'enough'
      WHEN state = 'paused' THEN 'paused'
      WHEN origin IS NOT NULL THEN 'sources'
      WHEN reason LIKE 'Parapet closed while these results were being fetched.%' THEN 'closed'
      WHEN reason LIKE 'You stopped the fetch%' THEN 'stopped'
      WHEN reason LIKE 'The service forgot its place%' THEN 'forgot'
      WHEN reason LIKE 'The service repeats the same page%' THEN 'stuck'
      WHEN reason LIKE 'The service announced %' THEN 'short'
      WHEN reason LIKE '%You are offline, so the service was not asked.%' THEN 'offline'
      ELSE 'failed' END`,
    `UPDATE result_sets SET detail = CASE stop
      WHEN 'sources' THEN CASE
        WHEN reason LIKE 'The earlier run%' THEN 'the earlier run was not whole'
        WHEN reason LIKE 'The later run%' THEN 'the later run was not whole'
        ELSE 'both runs were not whole' END
      WHEN 'failed' THEN CASE instr(reason, ' are here. ')
        WHEN 0 THEN reason
        ELSE substr(reason, instr(reason, ' are here. ') + 11) END
      END`,
    'UPDATE result_sets SET first_total = total WHERE loaded > 0',
    'UPDATE result_sets SET born = n',
    'UPDATE result_sets SET turn = (SELECT count(*) FROM result_sets o WHERE (o.used_at, o.n) <= (result_sets.used_at, result_sets.n))',
    'ALTER TABLE result_sets DROP COLUMN reason',
  ],
};
