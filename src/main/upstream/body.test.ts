import { expect, test } from 'vitest';
import { MOST_LEVELS } from '#shared/model/json-depth.ts';
import { parseJson } from './body.ts';

const parse = (text: string) => parseJson(Buffer.from(text), 'application/json', 'file.profile');

test('a number that a double cannot represent becomes a text of its digits, all others are numbers', () => {
  expect(
    parse('{"id":12345678901234567890,"size":9007199254740991,"rows":[{"n":[-9007199254740993]}]}'),
  ).toEqual({
    id: '12345678901234567890',
    size: 2 ** 53 - 1,
    rows: [{ n: ['-9007199254740993'] }],
  });
});

test('a truncated response is distinguished from one that is not JSON, also with long numbers', () => {
  expect(() => parse('{"id":12345678901234567890,"rows":[')).toThrow(
    expect.objectContaining({ code: 'truncated' }),
  );
  expect(() => parse('{"id":12345678901234567890 oops}')).toThrow(
    expect.objectContaining({ code: 'not-json' }),
  );
});

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('a response of the maximum depth is read', () => {
  expect(JSON.stringify(parse(nested(MOST_LEVELS)))).toBe(nested(MOST_LEVELS));
});

test.each([
  ['one more', nested(MOST_LEVELS + 1)],
  ['a hundred thousand', nested(100_000)],
  ['a hundred thousand that are never closed', '{"a":'.repeat(100_000)],
])('a response of %s is refused unread, with a message', (_, text) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({
      code: 'wrong-shape',
      message: expect.stringMatching(/nested more than 200 levels deep/),
    }),
  );
});
