import { expect, it } from 'vitest';
import { countsText } from './labels.ts';

it('a list of unknown length is never called as long as its first page', () => {
  expect(countsText(null, null, 3)).toBe('Exceptions, number unknown · 3 selected');
  expect(countsText(140, 220, 0)).toBe('140 of 220 exceptions');
  expect(countsText(220, 220, 0)).toBe('220 exceptions');
});
