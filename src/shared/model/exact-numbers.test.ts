import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import {
  asShown,
  digitsOf,
  exactNumber,
  numberKey,
  parseExact,
  parseShown,
  writeSent,
} from './exact-numbers.ts';

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

  it('are sent in conditions as they came, and texts of digits stay texts', () => {
    const text =
      '{"filter":{"operator":"and","conditions":[{"field":"n","operator":"in_list","values":[9007199254740993,"18446744073709551615",5,0.12345678901234567890]}]},"name":"12345678901234567890"}';
    expect(writeSent(parseShown(text))).toBe(text);
    expect(writeSent(structuredClone(parseShown(text)))).toBe(text);
    expect(JSON.stringify(parseShown(text))).toContain('"values":["9007199254740993",');
    const hostile = { field: 'n', values: ['1,"x":2', '5'], longNumbers: ['1,"x":2', '5'] };
    expect(writeSent(hostile)).toBe('{"field":"n","values":["1,\\"x\\":2",5]}');
  });

  it('have keys that sort as they do, and are equal for equal numbers', () => {
    const order = [
      '-1e400',
      '-18446744073709551615',
      '-1.23',
      '-1.2',
      '-1e-400',
      '0',
      '1e-400',
      '0.12345678901234567890',
    ].concat([
      '0.12345678901234567891',
      '1',
      '9007199254740992',
      '9007199254740992.5',
      '9007199254740993',
      '1e20',
      '1e400',
    ]);
    expect(order.toSorted((a, b) => (numberKey(a) < numberKey(b) ? -1 : 1))).toEqual(order);
    for (const [a, b] of [
      ['1.50', '15e-1'],
      ['-0', '0'],
      ['1e20', '100000000000000000000'],
      ['+.5', '0.5'],
    ])
      expect(numberKey(a!)).toBe(numberKey(b!));
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        expect(numberKey(String(a)) < numberKey(String(b))).toBe(a < b);
      }),
    );
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['1152921504606847000', '1152921504606847000'],
    ['1e20', 1e20],
    ['0.10', 0.1],
    ['0.12345678901234567890', '0.1234567890123456789'],
    ['18446744073709551615.0', '18446744073709551615'],
    ['-1e400', '-1e400'],
  ])('%s is %s, if a double holds it a number', (text, value) => {
    expect(exactNumber(text)).toBe(value);
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
