import { describe, expect, it, test } from 'vitest';
import {
  bytes,
  exact,
  formatGridCount,
  formatSafe,
  formatTile,
  isTrickyName,
  SAFE_TYPES,
  shortAge,
  timeAgo,
  visibleName,
  visibleText,
} from './format.ts';

describe('[spec 4, spec 5, spec 8, spec 9] Large numbers: K above 1e3 or 1e4, M above 1e6', () => {
  test.each([
    [0, '0', '0'],
    [999, '999', '999'],
    [1000, '1,000', '1,000'],
    [1001, '1.0K', '1,001'],
    [1450, '1.5K', '1,450'],
    [9999, '10.0K', '9,999'],
    [10_000, '10.0K', '10,000'],
    [10_001, '10.0K', '10.0K'],
    [184_249, '184.2K', '184.2K'],
    [999_949, '999.9K', '999.9K'],
    [999_950, '1.0M', '1.0M'],
    [999_999, '1.0M', '1.0M'],
    [-999_999, '-1.0M', '-1.0M'],
    [1_000_000, '1.0M', '1.0M'],
    [1_000_001, '1.0M', '1.0M'],
    [1_234_567_890, '1,234.6M', '1,234.6M'],
    [-1500, '-1.5K', '-1,500'],
    [Number.NaN, 'Unknown', 'Unknown'],
    [Number.POSITIVE_INFINITY, 'Unknown', 'Unknown'],
    [null, 'Unknown', 'Unknown'],
    [undefined, 'Unknown', 'Unknown'],
  ])('%d: tile %s, grid %s', (value, tile, grid) => {
    expect([formatTile(value), formatGridCount(value)]).toEqual([tile, grid]);
  });
  test.each([
    [1284, '1,284'],
    [1_000_000, '1,000,000'],
    [-1234.5678, '-1,234.5678'],
    [1e21, '1e+21'],
    [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
  ])('exact %d is %s', (value, text) => expect(exact(value)).toBe(text));
});

describe("[spec 9] Time-ago: under 59 seconds shows 'Just now'", () => {
  const NOW = Date.UTC(2026, 10, 19, 8, 47, 12);
  const S = 1000;
  test.each([
    [0, 'Just now', 'now'],
    [58.9 * S, 'Just now', 'now'],
    [59 * S, '1m ago', '1m'],
    [60 * S, '1m ago', '1m'],
    [179 * S, '2m ago', '2m'],
    [3 * 60 * S, '3m ago', '3m'],
    [59.9 * 60 * S, '59m ago', '59m'],
    [3600 * S, '1h ago', '1h'],
    [86_399 * S, '23h ago', '23h'],
    [86_400 * S, '1d ago', '1d'],
    [364 * 86_400 * S, '364d ago', '364d'],
    [365 * 86_400 * S, '1y ago', '1y'],
    [-58 * S, 'Just now', 'now'],
    [-60 * S, 'in 1m', 'now'],
    [-180 * S, 'in 3m', '?'],
  ])('%d ms: %s', (age, ago, short) => {
    expect([timeAgo(NOW - age, NOW), shortAge(NOW - age, NOW)]).toEqual([ago, short]);
  });
  test.each([null, undefined, Number.NaN])('%j is Unknown', (then) => {
    expect([timeAgo(then, NOW), shortAge(then, NOW)]).toEqual(['Unknown', 'Unknown']);
  });
});

describe('sizes in steps of 1024', () => {
  test.each([
    [0, '0 B'],
    [1023, '1,023 B'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [151_552, '148 KB'],
    [1_048_575, '1 MB'],
    [1.2 * 2 ** 30, '1.2 GB'],
    [2 ** 70, '1,024 EB'],
    [-1, 'Unknown'],
    [null, 'Unknown'],
  ])('%d is %s', (value, text) => expect(bytes(value)).toBe(text));
});

describe('invisible characters of a text', () => {
  test.each([
    ['plain søren 日本語', 'plain søren 日本語'],
    ['two\r\nlines\tand tab', 'two  lines and tab'],
    ['invoice\u{202e}fdp.exe', 'invoice‹U+202E›fdp.exe'],
    ['pay\u{200b}pal', 'pay‹U+200B›pal'],
    ['\0\u{1b}[31m', '‹U+0000›‹U+001B›[31m'],
    ['👩\u{200d}💻', '👩\u{200d}💻'],
    ['می\u{200c}خواهم', 'می\u{200c}خواهم'],
    ['pay\u{200d}pal', 'pay‹U+200D›pal'],
  ])('%j', (text, shown) => expect(visibleText(text)).toBe(shown));
});

describe('invisible characters of a file name', () => {
  test.each([
    ['invoice.pdf', 'invoice.pdf', false],
    ['報告 2026.pdf', '報告 2026.pdf', false],
    ['invoice\u{202e}gpj.exe', 'invoice‹U+202E›gpj.exe', true],
    ['a\nb\tc\r.exe', 'a‹U+000A›b‹U+0009›c‹U+000D›.exe', true],
    ['a\u{200b}\0.exe', 'a‹U+200B›‹U+0000›.exe', true],
  ])('%j', (name, shown, tricky) => {
    expect([visibleName(name), isTrickyName(name)]).toEqual([shown, tricky]);
    expect(visibleName(shown)).toBe(shown);
  });
});

describe("[spec 4, spec 5, spec 8, spec 9] An invalid safe type in display formatting raises 'Invalid safe type specified'", () => {
  test.each(['html', '', 'Text', '__proto__', 'toString'])('%j', (type) => {
    expect(() => formatSafe(type, 'x')).toThrow(new Error('Invalid safe type specified'));
  });
  test.each<[string, unknown, string]>([
    ['text', '<b>\u{202e}x</b>', '<b>‹U+202E›x</b>'],
    ['url', 'https://a.example/x.html', 'hxxps://a[.]example/x.html'],
    ['domain', 'a.example', 'a[.]example'],
    ['email', 'm@a.example', 'm[@]a[.]example'],
    ['ip', '192.0.2.1', '192[.]0[.]2[.]1'],
    ['hash', 'ABCDEF', 'abcdef'],
    ['number', 1284, '1,284'],
    ['bytes', 1536, '1.5 KB'],
    ['boolean', false, 'No'],
    ['boolean', 'maybe', 'maybe'],
    ['text', null, ''],
    ['text', { a: 1 }, '{"a":1}'],
  ])('%s of %j is %j', (type, value, text) => expect(formatSafe(type, value)).toBe(text));
  it('accepts any value for every type', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    for (const type of SAFE_TYPES) {
      for (const value of [loop, Symbol('x'), 10n, () => 1, [], Number.NaN]) {
        expect(typeof formatSafe(type, value)).toBe('string');
      }
    }
  });
});
