/** The frames of zstd data (RFC 8878), each unpacked by Node block by block, up to the block that is damaged. */
import { createZstdDecompress } from 'node:zlib';
import { Pull } from '../files/pull.ts';
import { UnknownMethodError } from '../files/unknown-method.ts';
import { unpacked } from './inflate.ts';

const FRAME = 0xfd2fb528;
/** Frames of other data, to be passed over: sixteen magic numbers. */
const SKIPPABLE = 0x184d2a5;
const MOST_BLOCK = 131_072;
/** As in the program zstd without options, and in Node. */
const MOST_WINDOW = 128 * 1024 * 1024;

/** Bytes of the fields after the magic number, and whether a checksum ends the frame. Throws if it needs too much memory. */
function descriptor([flags = 0, window = 0]: Buffer): { length: number; hasChecksum: boolean } {
  const isSingle = (flags & 32) !== 0;
  const sizeBytes = flags >>> 6 === 0 ? (isSingle ? 1 : 0) : 1 << (flags >>> 6);
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
  if (!isSingle && 2 ** (10 + (window >>> 3)) * (1 + (window & 7) / 8) > MOST_WINDOW)
    throw new UnknownMethodError('unpacking it takes more than 128 MB of memory: unpack it first');
  return { length: 1 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes, hasChecksum: (flags & 4) !== 0 };
}

/** The pieces of a frame, its magic number included. */
async function* frame(pull: Pull): AsyncGenerator<Buffer> {
  const { length, hasChecksum } = descriptor((await pull.need(6)).subarray(4));
  yield await pull.take(4 + length);
  for (let isLast = false; !isLast; ) {
    const head = (await pull.need(3)).readUIntLE(0, 3);
    isLast = (head & 1) !== 0;
    const isRepeated = (head & 6) === 2;
    if (!isRepeated && head >>> 3 > MOST_BLOCK) throw new RangeError('a block of it is damaged');
    yield await pull.take(3 + (isRepeated ? 1 : head >>> 3));
  }
  if (hasChecksum) yield await pull.take(4);
}

/** The content of zstd data, also of several frames in a row. Throws at the end of damaged data. */
export async function* unzstd(packed: () => AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const pull = new Pull(packed());
  try {
    while ((await pull.peek(1)).length > 0) {
      const magic = (await pull.need(4)).readUInt32LE(0);
      if (magic >>> 4 === SKIPPABLE) {
        await pull.take(4);
        await pull.pass((await pull.take(4)).readUInt32LE(0));
      } else if (magic === FRAME) yield* unpacked(frame(pull), createZstdDecompress);
      else throw new RangeError('another kind of data begins in it');
    }
  } finally {
    await pull.close();
  }
}
