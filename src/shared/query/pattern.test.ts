import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { compilePattern, MAX_PATTERN_LENGTH, PatternError } from './pattern.ts';
import { MatchBudgetError, sqlFunctions } from './sql-functions.ts';

const cases: readonly (readonly [pattern: string, text: string, expected: boolean])[] = [
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
  ['a\\sb', 'a\u3000b', true],
  ['a\\sb', 'a\ufeffb', true],
  ['a\\Sb', 'a\u3000b', false],
  ['^\\s$', '\u2009', true],
  ['caf\u00e9', 'cafe\u0301', true],
  ['cafe\u0301', 'CAF\u00c9', true],
  ['^caf.$', 'cafe\u0301', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['οδος', 'ΟΔΟΣ', true],
  ['οδοσ', 'οδος', true],
  ['[Σ]$', 'οδος', true],
  ['[α-σ]$', 'ΟΔΟΣ', true],
  ['straße', 'STRAẞE', true],
  ['ı', 'i', false],
  ['[k]', '\u212a', true],
  ['[\\W]', 's', false],
  ['[^a]', 'A', false],
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
  it.each(cases)('%j in %j: %j', (pattern, text, expected) => {
    expect(compilePattern(pattern).test(text)).toBe(expected);
  });

  it.each(refused)('refuses %j', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(PatternError);
  });

  it('[limit 500 characters] refuses patterns that are too long or expand too much', () => {
    expect(() => compilePattern('a'.repeat(MAX_PATTERN_LENGTH + 1))).toThrow(PatternError);
    expect(() => compilePattern('((a{100}){100}){100}')).toThrow(PatternError);
  });

  it('[spec 3] agrees with RegExp on patterns that both accept', () => {
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

  it('agrees with RegExp on every letter that has a case', () => {
    for (let c = 0; c <= 0x1e943; c += 1) {
      if (c >= 0xd800 && c <= 0xdfff) continue;
      const letter = String.fromCodePoint(c);
      const others = [letter.toLowerCase(), letter.toUpperCase()].filter(
        (item) => item !== letter && [...item].length === 1,
      );
      if (others.length === 0 || letter.normalize('NFC') !== letter) continue;
      const theirs = new RegExp(`^[${letter}]$`, 'iu');
      const ours = [compilePattern(`^[${letter}]$`), compilePattern(`^${letter}$`)];
      for (const other of others)
        for (const our of ours)
          expect([letter, other, our.test(other)]).toEqual([
            letter,
            other,
            theirs.test(other.normalize('NFC')),
          ]);
    }
  });

  it('checks the clock within a match', () => {
    // A hostile text: every step reaches a new state.
    const pattern = compilePattern('(?:[a-h]?[^x]){200}z');
    const textOf = (length: number) =>
      Array.from({ length }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000))).join('');
    let ticks = 0;
    pattern.test(textOf(2_000), () => (ticks += 1));
    expect(ticks).toBeGreaterThan(30);
    ticks = 0;
    const stop = () => {
      ticks += 1;
      if (ticks === 3) throw new MatchBudgetError();
    };
    expect(() => pattern.test(textOf(200_000), stop)).toThrow(MatchBudgetError);
    expect(ticks).toBe(3);
  });

  it('[limit 4 s] a statement ends within its budget, whatever the texts', () => {
    let now = 0;
    const { functions, begin } = sqlFunctions(() => (now += 100));
    begin();
    const match = (text: string) => functions['pp_match']?.('(?:[a-h]?[^x]){200}z', text);
    const text = '的一是不了人我在有他'.repeat(2_000);
    expect(() => {
      for (let index = 0; index < 255; index += 1) match(text + index);
    }).toThrow(MatchBudgetError);
    begin();
    expect(match('short')).toBe(0);
  });

  it.each(['(a+)+$', '(a|a)*$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])(
    'takes linear time for %j',
    (pattern) => {
      const compiled = compilePattern(pattern);
      return expectLinear(40_000, (length) => compiled.test(`${'a'.repeat(length)}!`));
    },
  );
});
