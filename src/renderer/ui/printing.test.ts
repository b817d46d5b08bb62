import { expect, test } from 'vitest';
import { pageMarks } from './printing.ts';

test('a subject cannot write into the style of a printed page', () => {
  const css = pageMarks(['"; } body { display: none } /*\\', 'Printed 2026-11-23 07:05:09 UTC']);
  expect(css).toContain('"\\22 ; \\7d  body \\7b  display: none \\7d  /\\2a \\5c "');
  expect(css).toContain('"Printed 2026-11-23 07:05:09 UTC"');
});
