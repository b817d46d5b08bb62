import { expect, test } from 'vitest';
import { parseExact } from './exact-numbers.ts';
import { jsonText } from './json-text.ts';

test.each([
  ['\ud83d', '"\ufffd"'],
  ['cut \ud83d\ude00\ud83d', '"cut \u{1f600}\ufffd"'],
  ['\udc00\ud800', '"\ufffd\ufffd"'],
  ['\\ud83d', '"\\\\ud83d"'],
  ['\\\ud83d', '"\\\\\ufffd"'],
  ['\\\\ud83d \ud83d', '"\\\\\\\\ud83d \ufffd"'],
  [{ '\ud83d': ['\ud83d', null, 1] }, '{"\ufffd":["\ufffd",null,1]}'],
  ['\u0000\u001f\u2028"\\', '"\\u0000\\u001f\u2028\\"\\\\"'],
  ['\ud7ff\ue000', '"\ud7ff\ue000"'],
])('%j is written so that every reader accepts it', (value, text) => {
  expect(jsonText(value)).toBe(text);
});

test('numbers keep their digits, and the indent is kept', () => {
  expect(jsonText({ a: parseExact('12345678901234567890'), b: '\ud800' }, 2)).toBe(
    '{\n  "a": 12345678901234567890,\n  "b": "\ufffd"\n}',
  );
});
