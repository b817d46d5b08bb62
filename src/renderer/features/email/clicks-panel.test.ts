import { expect, it } from 'vitest';
import { blockedWords } from './clicks-panel.tsx';

it.each([
  [[true, true], '0 not blocked'],
  [[true, false], '1 not blocked'],
  // An unreported state counts neither as blocked nor as let through.
  [[undefined, null], 'unknown whether blocked'],
  [[false, true, null], '1 not blocked, 1 unknown'],
])('clicks that were blocked %j: %s', (blocked, words) => {
  expect(blockedWords(blocked.map((word) => ({ blocked: word })))).toBe(words);
});
