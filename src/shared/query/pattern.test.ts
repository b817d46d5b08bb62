import { describe, expect, it } from 'vitest';
import { compilePattern, MAX_PATTERN_LENGTH, PatternError } from './pattern.ts';

const found: readonly (readonly [pattern: string, text: string, expected: boolean])[] = [
  ['invoice', 'Your INVOICE is here', true],
  ['invoice', 'Your order', false],
  ['^re:', 'RE: hello', true],
  ['^hello', 'RE: hello', false],
  ['\\.zip$', 'a.ZIP', true],
  ['\\.zip$', 'a.zip.html', false],
  ['^$', '', true],
  ['^$', 'x', false],
  ['', 'anything', true],
  ['inv-\\d{5}', 'see INV-20931', true],
  ['inv-\\d{6}', 'see INV-20931', false],
  ['\\binv\\b', 'an inv here', true],
  ['\\binv\\b', 'invoice', false],
  ['\\Bvoice', 'invoice', true],
  ['a|b|', 'zzz', true],
  ['^(?:a|bc)+$', 'abcabc', true],
  ['^(?:a|bc)+$', 'abcab', false],
  ['[^a-z ]', 'only letters', false],
  ['[A-Z]', 'lower too: case does not count', true],
  ['[\\d-]+x', '12-3X', true],
  ['x{2,3}y', 'xy', false],
  ['x{2,3}y', 'xxxxy', true],
  ['a.c', 'a\nc', false],
  ['a{,2}', 'a{,2}', true],
  ['счёт', 'СЧЁТ', true],
  ['請.書', '請求書', true],
  ['😀+$', 'x😀😀', true],
  ['\\x41\\u0042\\u{43}', 'abc', true],
  ['(a*)*b', 'aaab', true],
  ['[=+@\\-]', 'a-b', true],
  ['a+?b', 'aab', true],
];

const refused = [
  '(',
  ')',
  '[a',
  'a**',
  '*a',
  '(?=a)',
  '(?<n>a)',
  '(a)\\1',
  'a{2,1}',
  'a{999}',
  '\\',
  '[z-a]',
  '\\q',
];

describe('compilePattern', () => {
  it.each(found)('%j in %j: %j', (pattern, text, expected) => {
    expect(compilePattern(pattern).test(text)).toBe(expected);
  });

  it.each(refused)('refuses %j', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(PatternError);
  });

  it('refuses what is too long or grows too large', () => {
    expect(() => compilePattern('a'.repeat(MAX_PATTERN_LENGTH + 1))).toThrow(PatternError);
    expect(() => compilePattern('((a{100}){100}){100}')).toThrow(PatternError);
  });

  it('agrees with RegExp where both know the pattern', () => {
    const patterns = [
      'a*b',
      '(a|ab)(c|bcd)',
      '^a?b+c*$',
      'a{1,3}b',
      '[ab]+c',
      '\\bab',
      'b$|^a',
      '(?:ab)*c',
      'a\\B',
    ];
    const letters = ['a', 'b', 'c', ' ', ''];
    for (const pattern of patterns) {
      const ours = compilePattern(pattern);
      const theirs = new RegExp(pattern, 'i');
      for (let i = 0; i < 625; i += 1) {
        const text = [i, i / 5, i / 25, i / 125].map((n) => letters[Math.floor(n) % 5]).join('');
        expect([pattern, text, ours.test(text)]).toEqual([pattern, text, theirs.test(text)]);
      }
    }
  });

  it.each(['(a+)+$', '(a|a)*$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])(
    'takes linear time for %j',
    (pattern) => {
      const compiled = compilePattern(pattern);
      const timeOf = (length: number) => {
        const text = `${'a'.repeat(length)}!`;
        const start = performance.now();
        for (let i = 0; i < 20; i += 1) compiled.test(text);
        return performance.now() - start;
      };
      timeOf(2_000);
      expect(timeOf(40_000)).toBeLessThan(Math.max(1, timeOf(2_000)) * 400);
    },
  );
});
