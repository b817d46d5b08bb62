import { expect, it } from 'vitest';
import { verdictWord } from './verdict-chip.tsx';

it.each([
  ['found-no-click', 'Found, no click', 'No click'],
  ['quarantined_by_ai', 'quarantined_by_ai', 'quarantined_by_ai'],
  ['unknown', 'Unknown', 'Unknown'],
  ['', 'Unknown', 'Unknown'],
])('the verdict “%s” is called %s, in a grid %s', (verdict, word, compact) => {
  expect([verdictWord(verdict), verdictWord(verdict, true)]).toEqual([word, compact]);
});
