import { expect, it } from 'vitest';
import { readWords } from './evidence.ts';

it.each([
  [1_200, 0, 0, '1,200 emails read', '1,200 emails new or changed'],
  [0, 769, 0, 'Nothing new, 769 emails known', '769 emails verified by SHA-256, none changed'],
  [
    1,
    767,
    2,
    '1 email read, 2 no longer there, 767 known',
    '1 email new or changed, 2 no longer there, 767 unchanged',
  ],
  [0, 20, 1, '1 no longer there, 20 known', '1 no longer there, 20 unchanged'],
])('%d read, %d known, %d removed', (imported, unchanged, removed, read, verified) => {
  expect(readWords({ imported, unchanged, removed }, false)).toBe(read);
  expect(readWords({ imported, unchanged, removed }, true)).toBe(verified);
});
