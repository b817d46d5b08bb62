import { expect, it } from 'vitest';
import { WesternBytes } from './western-bytes.ts';

function readIn(bytes: Buffer, size: number) {
  const western = new WesternBytes();
  const parts: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; offset += size)
    parts.push(western.take(bytes.subarray(offset, offset + size)));
  parts.push(western.end());
  return { text: Buffer.concat(parts).toString('utf8'), count: western.count };
}

const TEXTS: [string, Buffer, string, number][] = [
  ['UTF-8', Buffer.from('a é € 😀 z\u0000'), 'a é € 😀 z\u0000', 0],
  ['Windows-1252', Buffer.from('M\xfcller \x80 na\xefve', 'latin1'), 'Müller € naïve', 3],
  ['both', Buffer.concat([Buffer.from('é'), Buffer.from('\xe9\xe9', 'latin1'), Buffer.from('é')]), 'éééé', 2],
  ['a UTF-8 character that is cut off', Buffer.from('a€').subarray(0, 3), 'aâ‚', 2],
  ['continuation bytes alone', Buffer.from([0x80, 0x80, 0x80, 0x80, 0x41]), '€€€€A', 4],
  ['forms that UTF-8 forbids', Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf5, 0x41]), 'À¯í\u00a0€õA', 6],
  ['nothing', Buffer.alloc(0), '', 0],
];

it.each(TEXTS)('%s is read the same in pieces of any size', (_, bytes, text, count) => {
  for (let size = 1; size <= Math.max(1, bytes.length); size += 1)
    expect(readIn(bytes, size), `in pieces of ${size}`).toEqual({ text, count });
});
