import { expect, it } from 'vitest';
import { countsText } from './labels.ts';

it('a list of unknown length does not show the size of its first page as its total', () => {
  expect(countsText(null, null, 3)).toBe('Exceptions, number unknown · 3 selected');
  expect(countsText(140, 220, 0)).toBe('140 of 220 exceptions');
  expect(countsText(220, 220, 0)).toBe('220 exceptions');
  expect(countsText(1, null, 1)).toBe('1 exception · 1 selected');
});
