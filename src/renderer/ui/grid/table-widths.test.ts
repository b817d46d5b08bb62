import { expect, test } from 'vitest';
import { columnWidths } from './virtual-table.tsx';

test('columns without a width share the remaining space', () => {
  expect(columnWidths([{}, { width: 100 }, {}], 1012)).toEqual([450, 100, 450]);
  expect(columnWidths([{ width: 80 }], 500)).toEqual([80]);
});

test('a narrow table scrolls instead of shrinking its columns to nothing', () => {
  expect(columnWidths([{}, { width: 300 }], 310)).toEqual([120, 300]);
});
