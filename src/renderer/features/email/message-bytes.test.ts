import { expect, test } from 'vitest';
import { bytesOfBase64 } from '#renderer/ui/base64.ts';
import { messageText } from './message-bytes.ts';

const utf8 = new TextEncoder();

test.each([
  ['plain', 'From: a@b\r\n\r\nseen'],
  ['two, three and four bytes', 'é € 😀'],
  ['a byte order mark', '\uFEFFFrom: a'],
  ['controls', 'a\u0000b\u001b[31mc\u202ed'],
  ['nothing', ''],
])('%s comes as it is', (_, text) => {
  expect(messageText(utf8.encode(text), true)).toEqual({ text, as: 'utf-8', left: 0 });
});

test('a piece that ends in the middle of a character leaves its bytes to the next', () => {
  const bytes = utf8.encode('a😀');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const { text, as, left } = messageText(bytes.subarray(0, cut), false);
    expect(as).toBe('utf-8');
    expect(text).toBe(cut === bytes.length ? 'a😀' : cut === 0 ? '' : 'a');
    expect(left).toBe(cut === bytes.length || cut === 0 ? 0 : cut - 1);
  }
});

test('text that is not UTF-8 is shown byte by byte, as is a truncated last character', () => {
  const every = Uint8Array.from({ length: 256 }, (_, index) => index);
  const { text, as } = messageText(every, true);
  expect(as).toBe('bytes');
  expect([...text].map((char) => char.charCodeAt(0))).toEqual([...every]);
  expect(messageText(utf8.encode('é').subarray(0, 1), true)).toEqual({ text: 'Ã', as: 'bytes', left: 0 });
});

test('base64 to bytes', () => {
  expect([...bytesOfBase64('AP+A')]).toEqual([0, 255, 128]);
});
