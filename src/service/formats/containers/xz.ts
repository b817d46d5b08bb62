/** Decoder of .xz (file format 1.2.1) with LZMA2, as `xz` writes it without options. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Pull } from '../files/pull.ts';
import { UnknownMethodError } from '../files/unknown-method.ts';
import { LzmaDecoder, lzmaProperties } from './lzma.ts';

const MAGIC = Buffer.from('\xfd7zXZ\0', 'latin1');
const LZMA2 = 0x21;
/** As with `xz -9`. */
const MOST_DICTIONARY = 64 * 1024 * 1024;
const LARGEST_CHUNK = 2 * 1024 * 1024;
const FIRST_ROOM = 64 * 1024;

const damaged = (): RangeError => new RangeError('a block of it is damaged');

/** CRC-64 of ECMA-182, in halves of 32 bits: numbers have only 53. */
class Crc64 {
  static readonly #table = Uint32Array.from({ length: 512 }, (_, index) => {
    let [low, high] = [index >> 1, 0];
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (low & 1) === 1;
      low = (low >>> 1) | (high << 31);
      high >>>= 1;
      if (isOdd) {
        low ^= 0xd7870f42;
        high ^= 0xc96c5795;
      }
    }
    return index % 2 === 0 ? low : high;
  });
  #low = -1;
  #high = -1;

  update(bytes: Buffer): void {
    const table = Crc64.#table;
    let low = this.#low;
    let high = this.#high;
    for (let offset = 0; offset < bytes.length; offset++) {
      const index = ((low ^ bytes[offset]!) & 255) * 2;
      low = ((low >>> 8) | (high << 24)) ^ table[index]!;
      high = (high >>> 8) ^ table[index + 1]!;
    }
    this.#low = low;
    this.#high = high;
  }

  digest(): Buffer {
    const out = Buffer.alloc(8);
    out.writeInt32LE(~this.#low, 0);
    out.writeInt32LE(~this.#high, 4);
    return out;
  }
}

class Crc32 {
  #value = 0;
  update(bytes: Buffer): void {
    this.#value = crc32(bytes, this.#value);
  }
  digest(): Buffer {
    const out = Buffer.alloc(4);
    out.writeUInt32LE(this.#value, 0);
    return out;
  }
}

interface Check {
  update(bytes: Buffer): unknown;
  digest(): Buffer;
}

/**
 * By the number of the check in a stream: its bytes, and how it is computed, or null if not by us, or there is none.
 */
const CHECK_BYTES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];
const CHECKS: Readonly<Record<number, () => Check>> = {
  1: () => new Crc32(),
  4: () => new Crc64(),
  10: () => createHash('sha256'),
};

/** Bytes whose last four are the CRC-32 of the others. */
function checked(bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -4);
  if (crc32(body) !== bytes.readUInt32LE(body.length)) throw damaged();
  return body;
}

/** A number of up to 63 bits, seven in a byte. */
function numberAt(bytes: Buffer, start: number): { value: number; next: number } {
  let value = 0;
  for (let index = 0; index < 9; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) break;
    value += (byte & 127) * 128 ** index;
    if (byte < 128) return { value, next: start + index + 1 };
  }
  throw damaged();
}

/** The size of the dictionary of a block, by its header. Throws if the block is not packed by LZMA2 alone. */
function dictionaryOf(header: Buffer): number {
  const flags = header.readUInt8(1);
  let offset = 2;
  for (const bit of [64, 128]) if ((flags & bit) !== 0) offset = numberAt(header, offset).next;
  if ((flags & 3) !== 0 || header[offset] !== LZMA2 || header[offset + 1] !== 1)
    throw new UnknownMethodError(
      'it is compressed by xz with a filter that is not read here: unpack it first',
    );
  const bits = header.readUInt8(offset + 2);
  if (bits > 40) throw damaged();
  const size = bits === 40 ? 2 ** 32 - 1 : (2 | (bits & 1)) * 2 ** (Math.floor(bits / 2) + 11);
  if (size > MOST_DICTIONARY)
    throw new UnknownMethodError('unpacking it takes more than 64 MB of memory: unpack it first');
  return size;
}

/** What was unpacked last, which chunks refer to. It grows with its content. */
class Dictionary {
  readonly #size: number;
  bytes: Buffer = Buffer.allocUnsafe(FIRST_ROOM);
  end = 0;

  constructor(size: number) {
    this.#size = size;
  }

  reserve(length: number): void {
    if (this.end + length <= this.bytes.length) return;
    const most = this.#size + 15 + Math.max(LARGEST_CHUNK, this.#size / 4);
    if (this.bytes.length < most) {
      const grown = Buffer.allocUnsafe(Math.min(most, Math.max(this.bytes.length * 2, this.end + length)));
      this.bytes.copy(grown, 0, 0, this.end);
      this.bytes = grown;
    }
    if (this.end + length <= this.bytes.length) return;
    // A multiple of 16: LZMA uses the lower bits of the position.
    const gone = (this.end - this.#size) & ~15;
    this.bytes.copyWithin(0, gone, this.end);
    this.end -= gone;
  }
}

async function* lzma2(pull: Pull, size: number): AsyncGenerator<Buffer> {
  const dictionary = new Dictionary(size);
  let properties: ReturnType<typeof lzmaProperties> | null = null;
  let decoder: LzmaDecoder | null = null;
  let needsStart = true;
  for (;;) {
    const control = (await pull.take(1)).readUInt8(0);
    if (control === 0) return;
    if (control === 1 || control >= 0xe0) {
      dictionary.end = 0;
      needsStart = false;
    } else if (needsStart) throw damaged();
    if (control < 0x80) {
      if (control > 2) throw damaged();
      const length = (await pull.take(2)).readUInt16BE(0) + 1;
      dictionary.reserve(length);
      const piece = await pull.take(length);
      dictionary.end += piece.copy(dictionary.bytes, dictionary.end);
      yield piece;
      continue;
    }
    const head = await pull.take(4);
    const length = ((control & 31) << 16) + head.readUInt16BE(0) + 1;
    if (control >= 0xc0) properties = lzmaProperties((await pull.take(1)).readUInt8(0));
    if (properties === null || properties.context + properties.lowBits > 4) throw damaged();
    if (control >= 0xa0) decoder = new LzmaDecoder(properties);
    if (decoder === null) throw damaged();
    const packed = await pull.peek(head.readUInt16BE(2) + 1);
    pull.skip(packed.length);
    dictionary.reserve(length);
    const start = dictionary.end;
    let failure: unknown = null;
    try {
      decoder.readChunk(packed, dictionary.bytes, start, start + length);
    } catch (error) {
      failure = error;
    }
    dictionary.end = decoder.offset;
    yield Buffer.from(dictionary.bytes.subarray(start, dictionary.end));
    if (failure !== null) throw failure;
  }
}

async function* block(pull: Pull, check: number): AsyncGenerator<Buffer> {
  const header = checked(await pull.take(((await pull.need(1)).readUInt8(0) + 1) * 4));
  const start = pull.position;
  const sum = CHECKS[check]?.();
  for await (const piece of lzma2(pull, dictionaryOf(header))) {
    sum?.update(piece);
    yield piece;
  }
  await pull.pass((4 - ((pull.position - start) % 4)) % 4);
  const stored = await pull.take(CHECK_BYTES[check] ?? 0);
  if (sum !== undefined && !sum.digest().equals(stored)) throw damaged();
}

/** The list of blocks, and the footer. */
async function end(pull: Pull, blocks: number): Promise<void> {
  const start = pull.position;
  const skipNumber = async (): Promise<number> => {
    const { value, next } = numberAt(await pull.peek(9), 0);
    pull.skip(next);
    return value;
  };
  await pull.pass(1);
  if ((await skipNumber()) !== blocks) throw new RangeError('a block of it is missing');
  for (let remaining = blocks * 2; remaining > 0; remaining--) await skipNumber();
  await pull.pass(((4 - ((pull.position - start) % 4)) % 4) + 4);
  if ((await pull.take(12)).toString('latin1', 10) !== 'YZ') throw damaged();
}

/** The content of an .xz file, also of several in a row. Throws at the end of a damaged one. */
export async function* unxz(packed: () => AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const pull = new Pull(packed());
  try {
    while ((await pull.peek(4)).length > 0) {
      // Zeros between streams.
      if ((await pull.need(4)).readUInt32LE(0) === 0) {
        pull.skip(4);
        continue;
      }
      if (!(await pull.take(6)).equals(MAGIC)) throw new RangeError('another kind of data begins in it');
      const [reserved = 1, check = 16] = checked(await pull.take(6));
      if (reserved !== 0 || check > 15) throw damaged();
      let blocks = 0;
      for (; (await pull.need(1))[0] !== 0; blocks++) yield* block(pull, check);
      await end(pull, blocks);
    }
  } finally {
    await pull.close();
  }
}
