import { expect, test } from 'vitest';
import { EARLIEST } from '#shared/model/constants.ts';
import { dateDoubt } from './date-doubt.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 19);

test.each([
  ['just now', NOW, NOW, null],
  ['the end of 1969', -1, null, /too far in the past/],
  ['the epoch itself', 0, NOW, /too far in the past/],
  ['a moment too early', EARLIEST - 1, null, /too far in the past/],
  ['early enough', EARLIEST, null, null],
  ['a day ahead', NOW + DAY, null, null],
  ['more than that', NOW + DAY + 1, null, /ahead of this machine’s clock, unless that is wrong/],
  ['three days after it came', NOW - 5 * DAY, NOW - 8 * DAY, null],
  ['more than that', NOW - 5 * DAY + 1, NOW - 8 * DAY, /3 days after receipt/],
  ['years before it came', NOW - 900 * DAY, NOW, null],
])('%s', (_, time, received, doubt) => {
  if (doubt === null) expect(dateDoubt(time, received, NOW)).toBeNull();
  else expect(dateDoubt(time, received, NOW)).toMatch(doubt);
});
