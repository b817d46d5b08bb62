import { expect, test } from 'vitest';
import { parseJson } from './body.ts';

const parse = (text: string) => parseJson(Buffer.from(text), 'application/json', 'file.profile');

test('a number that a double does not hold is a text of its digits, all others are numbers', () => {
  expect(
    parse('{"id":12345678901234567890,"size":9007199254740991,"rows":[{"n":[-9007199254740993]}]}'),
  ).toEqual({
    id: '12345678901234567890',
    size: 2 ** 53 - 1,
    rows: [{ n: ['-9007199254740993'] }],
  });
});

test('an answer that was cut off is told apart from one that is no JSON, with long numbers as well', () => {
  expect(() => parse('{"id":12345678901234567890,"rows":[')).toThrow(
    expect.objectContaining({ code: 'truncated' }),
  );
  expect(() => parse('{"id":12345678901234567890 oops}')).toThrow(
    expect.objectContaining({ code: 'not-json' }),
  );
});
