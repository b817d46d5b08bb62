import { expect, test } from 'vitest';
import { nextPoll } from './use-polling.ts';

const NOW = Date.UTC(2026, 10, 19, 8);
const timeIn = (ms: number) => new Date(NOW + ms).toISOString();

test.each<[string, (string | null)[], boolean, number | null, number?]>([
  ['nothing', [], false, null],
  ['nothing under way', [null, null], false, null],
  ['a request that somebody may answer', [null], true, 20_000],
  ['the soonest counts', [timeIn(30_000), null, timeIn(5_000)], true, 5_400],
  ['a time that has passed', [timeIn(-60_000)], false, 1_000],
  ['a time that is not told', [''], false, 1_000],
  ['far away', [timeIn(86_400_000)], false, 60_000],
  // The clock of this machine may be years ahead of the service's.
  ['a time that has passed, after a poll', [timeIn(-3e11)], false, 2_000, 1],
  ['a time that has passed, after four polls', [timeIn(-3e11)], false, 16_000, 4],
  ['a time that has passed, after a hundred polls', [timeIn(-3e11)], false, 60_000, 100],
])('%s', (_, untils, waits, wait, late = 0) => {
  const next = nextPoll(untils, waits, NOW, late);
  expect(next?.wait ?? null).toBe(wait);
  expect(next?.isLate ?? false).toBe(
    untils.some((until) => until === '' || (until ?? timeIn(1)) < timeIn(0)),
  );
});
