import { expect, test } from 'vitest';
import { listTotal } from './list-total.ts';

const rows = (count: number) => Array.from({ length: count }, () => ({}));

test.each([
  ['its count', { rows: rows(20), total_rows: 45 }, 45],
  ['a count of zero', { rows: [], total_rows: 0 }, 0],
  ['fewer rows than a page, without a count', { rows: rows(19) }, 19],
  ['a full page, without a count', { rows: rows(20) }, null],
  ['a full page, with null for a count', { rows: rows(20), total_rows: null }, null],
  ['a count below the rows of a full page', { rows: rows(20), total_rows: 0 }, null],
  ['a count below the rows of a last page', { rows: rows(19), total_rows: 18 }, 19],
  ['nothing yet', undefined, null],
])('the total by %s', (_, first, total) => {
  expect(listTotal(first, 20)).toBe(total);
});
