import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { asShown, digitsOf, parseExact } from './exact-numbers.ts';

/** Canonical JSON text without spaces. */
const again = (text: string): string => JSON.stringify(parseExact(text));

describe('numbers of JSON', () => {
  it('are read in linear time', () =>
    expectLinear(40_000, (count) => parseExact(`[1.${'0'.repeat(count)}1]`)));

  test.each([
    '12345678901234567890',
    '-12345678901234567890',
    '9007199254740991',
    '9007199254740993',
    '9223372036854775807',
    '123456789012345678901234567890',
    '0.12345678901234567890123',
    '1e400',
    '123456.789012345',
    '0.1',
    '-5',
    '0',
  ])('%s is unchanged', (number) => {
    expect(again(number)).toBe(number);
    expect(again(`{"a":[${number},"${number}"],"b":{"c":${number}}}`)).toBe(
      `{"a":[${number},"${number}"],"b":{"c":${number}}}`,
    );
  });

  it('round-trip any integer that a service sends', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })), (numbers) => {
        const text = `[${numbers.join(',')}]`;
        expect(again(text)).toBe(text);
      }),
    );
  });

  it('are plain numbers if a double represents them, however they are written', () => {
    expect(parseExact('[1.0, 1e3, 100000000000000000000, 9007199254740992, 1.50e2]')).toEqual([
      1,
      1000,
      1e20,
      2 ** 53,
      150,
    ]);
  });

  it('parse like JSON.parse in every other text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(again(text))).toEqual(JSON.parse(text));
      }),
    );
    expect(() => parseExact('{"a":12345678901234567890')).toThrow(SyntaxError);
  });

  it('are digits on screen at any depth', () => {
    const value = parseExact('{"a":[12345678901234567890,{"b":[9007199254740993,"x",null,true,1]}]}');
    expect(asShown(value)).toEqual({
      a: ['12345678901234567890', { b: ['9007199254740993', 'x', null, true, 1] }],
    });
    expect(digitsOf(parseExact('12345678901234567890'))).toBe('12345678901234567890');
    expect([digitsOf(1), digitsOf('1'), digitsOf(null), digitsOf({ rawJSON: '1' })]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
