import { describe, expect, it, test } from 'vitest';
import { csvCell, csvRow, isFormulaRisk, neutraliseCell } from './spreadsheet-safe.ts';

describe('CSV cells that start with = + - @ tab or CR neutralised by default, with a raw option', () => {
  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\tx',
    '\r=1',
    '\n=1',
    '  =1',
    '\u{a0}=1',
    '\u{feff}=1',
    '"=1"',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    '=HYPERLINK("https://a.example","x")',
  ])('%j gets a quote in front', (text) => {
    expect(isFormulaRisk(text)).toBe(true);
    expect(neutraliseCell(text)).toBe(`'${text}`);
    expect(neutraliseCell(neutraliseCell(text))).toBe(`'${text}`);
  });
  test.each(['', 'a=1', 'Invoice', "'=1", 'm@a.example', '(-1)', '日本', ' text'])('%j stays', (text) => {
    expect(neutraliseCell(text)).toBe(text);
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
    expect(csvRow(['a;b', 'c,d'], { separator: ';' })).toBe('"a;b";c,d\r\n');
  });
  it('takes a million spaces', () => {
    expect(isFormulaRisk(`${' '.repeat(1e6)}x`)).toBe(false);
  });
});
