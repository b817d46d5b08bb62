import { expect, test } from 'vitest';
import { listTotal, pageLength } from './list-total.ts';

const rows = (count: number) => Array.from({ length: count }, () => ({}));

test.each([
  ['its count', { rows: rows(20), total_rows: 45 }, 45],
  ['a count of zero', { rows: [], total_rows: 0 }, 0],
  ['fewer rows than a page, without a count', { rows: rows(19) }, 19],
  ['a full page, without a count', { rows: rows(20) }, null],
  ['a full page, with null for a count', { rows: rows(20), total_rows: null }, null],
  ['a count below the rows of a full page', { rows: rows(20), total_rows: 0 }, null],
  ['a count below the rows of a last page', { rows: rows(19), total_rows: 18 }, 19],
  ['fewer rows than a page, and a cursor', { rows: rows(19), search_after: [19] }, null],
  ['nothing yet', undefined, null],
])('the total by %s', (_, first, total) => {
  expect(listTotal(first, 20)).toBe(total);
});

test.each([
  ['a full page of more', 20, 45, 20],
  ['a smaller page of more', 10, 45, 10],
  ['a smaller page, and nobody knows how many more', 10, null, 10],
  ['a page that is the whole list', 10, 10, 20],
  ['an empty page', 0, null, 20],
])('the length of the pages by %s', (_, first, total, length) => {
  expect(pageLength({ rows: rows(first) }, total, 20)).toBe(length);
});
