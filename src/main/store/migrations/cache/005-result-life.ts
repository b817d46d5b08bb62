import type { Migration } from '../migration.ts';

/**
 * The reason why a run stopped becomes a code (results/state.ts) instead of a sentence, with the service's message as
 * detail. A run records the first announced total and how often it changed, how many scans reached the end, and its
 * turn among the runs started and used: a counter, because a clock may be set back. A run that was started but never
 * got its first page is removed, since it would fetch everything automatically.
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
