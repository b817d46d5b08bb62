import { expect, it } from 'vitest';
import { storedColumns } from './columns.ts';
import type { Bound } from './encode.ts';
import { FACT_BITS, factsOfPage } from './text-facts.ts';

const column = (id: string, type: string, multiValues = false) => ({ id, label: id, type, multiValues });
const columns = storedColumns([
  column('subject', 'text'),
  column('to', 'text', true),
  column('size', 'number'),
  column('note', 'some-new-type'),
]);
const factsOf = (rows: Bound[][], escaped = true, of = columns) => {
  const page = factsOfPage(of, escaped);
  for (const row of rows) page.see(row, 0);
  return page.facts();
};

it('claims nothing for columns with a text that needs escapes', () => {
  const plain: Bound[] = ['a, b; é', '["x","[y]"]', 5, 'z'];
  expect(factsOf([plain, ['', '[]', -1, ' ']])).toEqual({ escapes: 0, gaps: 0 });
  for (const text of ['a"b', 'a\\b', 'a\nb', 'a\u007fb'])
    expect(factsOf([plain, [text, '[]', 1, 'z']])).toEqual({ escapes: 1, gaps: 0 });
});

it('takes a list to be plain if it contains only texts without escapes', () => {
  for (const list of ['["a\\"b"]', '[1]', '["a",null]', '{"a":"b"}', '"a"', '[["a"]]', '["a\\\\"]'])
    expect(factsOf([['', list, 1, '']], false)).toEqual({ escapes: 2, gaps: 0 });
});

it('notices a number among the texts of an untyped column', () => {
  expect(factsOf([['', '[]', 1, 7]], false)).toEqual({ escapes: 8, gaps: 0 });
});

it('notices missing values', () => {
  expect(factsOf([[null, '[]', null, '']])).toEqual({ escapes: 0, gaps: 5 });
});

it('does not look for escapes in a page without backslashes', () => {
  expect(factsOf([['a"b', '[]', 1, '']], false)).toEqual({ escapes: 0, gaps: 0 });
});

it('claims nothing for columns beyond its bits', () => {
  const many = storedColumns(
    Array.from({ length: FACT_BITS + 2 }, (_, index) => column(`c${index}`, 'text')),
  );
  const row = many.map((_, index) => (index < FACT_BITS - 1 ? 'a' : null));
  expect(factsOf([row], true, many)).toEqual({ escapes: 0, gaps: 2 ** (FACT_BITS - 1) });
});
