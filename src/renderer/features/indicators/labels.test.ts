import { expect, it } from 'vitest';
import { showMoreWords } from './labels.ts';

it('the link promises no more indicators than the preview lists', () => {
  expect(showMoreWords({ total: 173, listed: 173, shown: 6 })).toBe('Show 167 more');
  expect(showMoreWords({ total: 933, listed: 200, shown: 6 })).toBe('Show 200 of 933');
});
