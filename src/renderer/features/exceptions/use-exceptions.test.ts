import { expect, it } from 'vitest';
import { countsText } from './labels.ts';
import { totalOf } from './use-exceptions.ts';

const page = (count: number, total_rows?: number) => ({
  rows: Array.from({ length: count }, (_, n) => ({ id: `e${n}`, type: 'blacklist', string: 'a.example' })),
  ...(total_rows === undefined ? {} : { total_rows }),
});

it.each([
  ['counted', page(20, 45), 45],
  ['not counted, with a first page that is not full', page(19), 19],
  ['not counted, with a full first page', page(20), null],
  ['empty', page(0), 0],
] as const)('the number of a list that is %s', (_, first, total) => {
  expect(totalOf(first)).toBe(total);
});

it('a list of unknown length is never called as long as its first page', () => {
  expect(countsText(null, null, 3)).toBe('Exceptions, number unknown · 3 selected');
  expect(countsText(140, 220, 0)).toBe('140 of 220 exceptions');
  expect(countsText(220, 220, 0)).toBe('220 exceptions');
});
