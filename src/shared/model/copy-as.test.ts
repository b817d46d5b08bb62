import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { COPY_FORMATS, copyRows, markdownCell } from './copy-as.ts';
import type { Cell } from './entities.ts';

const columns = [
  { id: 'received', label: 'Received', isDate: true },
  { id: 'subject', label: 'Sub|ject', isDate: false },
  { id: 'to', label: 'To', isDate: false },
  { id: 'size', label: 'Size', isDate: false },
];
const rows: Cell[][] = [
  ['2026-07-01T12:00:00Z', 'a "b"\tc\nd', ['x@a.example', 'y@a.example'], 5],
  [null, '=HYPERLINK("http://evil.example")', [], -5],
];

describe('rows for the clipboard', () => {
  it('are TSV and CSV that read back, formulas neutralised, numbers left alone', () => {
    const expected = [
      ['Received', 'Sub|ject', 'To', 'Size'],
      ['2026-07-01T14:00:00.000+02:00', 'a "b"\tc\nd', 'x@a.example; y@a.example', '5'],
      ['', '\'=HYPERLINK("http://evil.example")', '', '-5'],
    ];
    const clock = { tenant: 'Europe/Berlin' };
    expect(parse(copyRows('tsv', columns, rows, clock), { delimiter: '\t' })).toEqual(expected);
    expect(parse(copyRows('csv', columns, rows, clock))).toEqual(expected);
  });

  it('are JSON with the original values', () => {
    expect(JSON.parse(copyRows('json', columns, rows, 'utc'))[1]).toEqual({
      received: null,
      subject: '=HYPERLINK("http://evil.example")',
      to: [],
      size: -5,
    });
  });

  it('are a Markdown table with literal cells', () => {
    const lines = copyRows('markdown', columns, rows, 'utc').split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('| Received | Sub\\|ject | To | Size |');
    expect(lines[2]).toContain('a "b" c d');
    expect(markdownCell('![x](evil.example)<b>')).toBe('\\!\\[x\\]\\(evil.example\\)\\<b\\>');
  });

  // cmark-gfm, GitHub's renderer, shows each of these without a link.
  it.each([
    ['a@b.example', '`a@b.example`'],
    ['![x](http://evil.example)|', '`![x](http://evil.example)\\|`'],
    ['www.evil.example `a` ``b', '```www.evil.example `a` ``b```'],
    ['`@ ', '`` `@  ``'],
    ['@\\|', '\\@\u200b\\\\\\|'],
  ])('are Markdown in which %j does not become a link', (text, cell) =>
    expect(markdownCell(text)).toBe(cell),
  );

  it('are Markdown even with more backticks than a call can have arguments', () => {
    const text = `@${'` '.repeat(200_000)}`;
    expect(markdownCell(text)).toBe(`\`\` ${text} \`\``);
  });

  it.each(COPY_FORMATS)('without any row are still %s', (format) => {
    expect(copyRows(format, columns, [], 'utc')).toBe(
      { tsv: 'Received\tSub|ject\tTo\tSize', csv: 'Received,Sub|ject,To,Size\r\n', json: '[]' }[
        format as 'tsv'
      ] ?? '| Received | Sub\\|ject | To | Size |\n| --- | --- | --- | --- |',
    );
  });
});
