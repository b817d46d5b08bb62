import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { csvCell, csvRow, isFormulaRisk, neutraliseCell, restoreCell } from './spreadsheet-safe.ts';

describe('CSV cells that start with = + - @ tab or CR neutralised by default, with a raw option', () => {
  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '  =1',
    '\u{a0}=1',
    '\u{feff}=1',
    '"=1"',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    '\0=1',
    '\u{1f}=1',
    '\u{7f}=1',
    '\u{85}=1',
    '\u{9b}=1',
    '\u{200b}=1',
    '\u{2060}=1',
    '\u{ad}=1',
    '\u{202e}=1',
    '\u{2066}=1',
    '\u{3164}=1',
    '\u{fe0f}=1',
    '\u{e0020}=1',
    '\u{2028}=1',
    '\u{3000}=1',
    '\u{d800}=1',
    '\0\u{200b} "=1',
    "'=1",
    "''=1",
    "' =1",
    '=HYPERLINK("https://a.example","x")',
  ])('%j gets a quote in front', (text) => {
    expect(isFormulaRisk(text)).toBe(true);
    expect(neutraliseCell(text)).toBe(`'${text}`);
    expect(restoreCell(neutraliseCell(text))).toBe(text);
    // A neutralised text is neutralised again, so that it stays distinguishable from the original.
    expect(neutraliseCell(neutraliseCell(text))).toBe(`''${text}`);
  });
  test.each([
    ['x;=1+1;y', "x;'=1+1;y"],
    ['x,=1', "x,'=1"],
    ['x\t@y\t-1', "x\t'@y\t'-1"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['\n=1', "'\n'=1"],
    ['one\r\n=2', "one\r\n'=2"],
    ['x; \u{200b}=1', "x;' \u{200b}=1"],
    ['x;"=1"', 'x;\'"=1"'],
    ["x;'=1", "x;''=1"],
    ['=1;=2', "'=1;'=2"],
  ])('%j gets a quote before every piece that would be a cell with another separator: %j', (text, safe) => {
    expect(neutraliseCell(text)).toBe(safe);
    expect(restoreCell(safe)).toBe(text);
  });
  test.each([
    '',
    'a=1',
    'Invoice',
    "'quoted'",
    "it's",
    "\u{200b}'=1",
    'm@a.example',
    '(-1)',
    '日本',
    ' text',
    'a; b, c\td',
    'x;y=1',
  ])('%j is unchanged', (text) => {
    expect(neutraliseCell(text)).toBe(text);
    expect(restoreCell(text)).toBe(text);
  });
  test.each<[string | number | boolean | null | undefined, string, string]>([
    ['plain', 'plain', 'plain'],
    ['a,b', '"a,b"', '"a,b"'],
    ['say "hi"', '"say ""hi"""', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"', '"two\nlines"'],
    [' padded ', '" padded "', '" padded "'],
    ['=1,2', '"\'=1,2"', '"=1,2"'],
    ['=1', "'=1", '=1'],
    ['-5', "'-5", '-5'],
    ['a\0b\ud800', 'a\u{fffd}b\u{fffd}', 'a\u{fffd}b\u{fffd}'],
    [-5, '-5', '-5'],
    [0, '0', '0'],
    [true, 'true', 'true'],
    [null, '', ''],
    [undefined, '', ''],
  ])('%j is written %s, raw %s', (value, safe, raw) => {
    expect([csvCell(value), csvCell(value, { raw: true })]).toEqual([safe, raw]);
  });
  it('writes a record with CRLF and another separator', () => {
    expect(csvRow(['a', 1, null, 'b,c'])).toBe('a,1,,"b,c"\r\n');
    expect(csvRow([null])).toBe('""\r\n');
    expect(csvRow([''])).toBe('""\r\n');
    expect(csvRow(['a;b', 'c,d'], { separator: ';' })).toBe('"a;b";c,d\r\n');
  });
  it('handles a million spaces, quotes and separators', () => {
    for (const item of [' ', "'", '"', ',', ',"'])
      expect(isFormulaRisk(`${item.repeat(1e6 / item.length)}x`)).toBe(false);
  });
});

describe('every text', () => {
  /** Built from the characters of the rule, so that nearly every text is a hard case. */
  const hard = fc
    .array(
      fc.oneof(
        {
          weight: 8,
          arbitrary: fc.constantFrom(..."=+-@＝＋－＠'\"'',;\t\r\n x1\0\u{1b}\u{9f}\u{feff}\u{200b}\u{202e}"),
        },
        { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
        {
          weight: 1,
          arbitrary: fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
        },
      ),
    )
    .map((parts) => parts.join(''));
  const texts = fc.oneof(hard, fc.string({ unit: 'binary' }));
  const runs = { numRuns: process.env['PARAPET_LONG'] ? 500_000 : 5_000 };

  /** The first visible character of each cell for a reader that splits at any of the separators and ignores quotes. */
  const firsts = (text: string): string[] =>
    text
      .split(/[,;\t\r\n]/)
      .map(
        (piece) =>
          [...piece].find((char) => /[^\s"\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(char)) ??
          '',
      );

  it('can be restored exactly', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(restoreCell(neutraliseCell(text))).toBe(text);
      }),
      runs,
    );
  });
  it('is not a formula once neutralised, by any separator', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const first of firsts(neutraliseCell(text))) expect('=+-@＝＋－＠').not.toContain(first || 'x');
      }),
      runs,
    );
  });
  it('is marked if and only if it is changed', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(isFormulaRisk(text)).toBe(neutraliseCell(text) !== text);
      }),
      runs,
    );
  });
});
