import type { FileHandle } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { bufferSource, fileSource, StreamSource, wholeOf } from './bytes.ts';

/** More bytes than one step reads. */
const PIECES = 30;
const PIECE = 200_000;
const BYTES = Buffer.from(Array.from({ length: PIECES * PIECE }, (_, index) => index % 251));

/** A stream of all bytes, and the number of times it was started. */
function streamed() {
  let begun = 0;
  const source = new StreamSource(
    async function* () {
      begun += 1;
      for (let offset = 0; offset < BYTES.length; offset += PIECE)
        yield BYTES.subarray(offset, offset + PIECE);
    },
    1_000,
    () => undefined,
  );
  source.forward();
  return { source, begun: () => begun };
}

it('nothing is read beyond the end of a buffer', async () => {
  const { bytesRead } = await bufferSource(Buffer.from('ab')).read(Buffer.alloc(4), 0, 4, 3);
  expect(bytesRead).toBe(0);
});

describe('all bytes of a stream', () => {
  it.each([
    ['unknown', 0, 1],
    ['one too few', BYTES.length - 1, 2],
    ['right', BYTES.length, 1],
    ['one too many', BYTES.length + 1, 1],
    ['beyond the limit', 3 * BYTES.length, 1],
  ])('are complete if the expected number is %s', async (_, expected, times) => {
    const { source, begun } = streamed();
    expect(BYTES.equals((await wholeOf(source, 2 * BYTES.length, expected)) ?? Buffer.alloc(0))).toBe(true);
    expect(begun()).toBe(times);
  });

  it.each([
    [-1, true],
    [0, false],
    [1, false],
  ])('are refused with a limit of %d more than there are: %s', async (more, isNone) => {
    for (const expected of [0, BYTES.length]) {
      const { source } = streamed();
      expect((await wholeOf(source, BYTES.length + more, expected)) === null).toBe(isNone);
    }
  });
});

it('a file is read to the wanted length even if its file system returns less at a time', async () => {
  const file = {
    read: (async (target: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: BYTES.copy(target, offset, position, position + Math.min(length, 1_000)),
      buffer: target,
    })) as FileHandle['read'],
  };
  const target = Buffer.alloc(5_000);
  expect((await fileSource(file, BYTES.length).read(target, 500, 4_000, 100)).bytesRead).toBe(4_000);
  expect(target.subarray(500, 4_500).equals(BYTES.subarray(100, 4_100))).toBe(true);
  expect((await fileSource(file, BYTES.length).read(target, 0, 5_000, BYTES.length - 10)).bytesRead).toBe(10);
  // It had one byte more when it was opened.
  await expect(fileSource(file, BYTES.length + 1).read(target, 0, 5_000, BYTES.length - 10)).rejects.toThrow(
    'it changed while it was read',
  );
});
