/** Decoder of LZ4: its frames (LZ4 frame format 1.6), and the chunks in which Dovecot writes a mail. */
import { Pull } from '../files/pull.ts';
import { UnknownMethodError } from '../files/unknown-method.ts';

const FRAME = 0x184d2204;
/** Frames of other data, to be passed over: sixteen magic numbers. */
const SKIPPABLE = 0x184d2a5;
const DOVECOT = Buffer.from('Dovecot-LZ4\r*\x9b\xc5', 'latin1');
/** Bytes before a block that it may refer to. */
const WINDOW = 65_536;
const BLOCK_SIZES = [65_536, 262_144, 1_048_576, 4_194_304];
/** The most that Dovecot accepts, and 16 times what it writes. */
const MOST_CHUNK = 1_048_576;

const damaged = (): RangeError => new RangeError('a block of it is damaged');

interface Unpacked {
  /** The end of what was unpacked. */
  end: number;
  isWhole: boolean;
}

/** Unpacks a block to `out` from an offset on, as far as it is undamaged. It may refer to what precedes. */
function unpackBlock(block: Buffer, out: Buffer, position: number): Unpacked {
  let end = position;
  let from = 0;
  const longer = (nibble: number): number => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) byte = block[from++] ?? 0;
    return length;
  };
  while (from < block.length) {
    const token = block[from++]!;
    const literals = longer(token >>> 4);
    // A length may be cut off.
    if (from > block.length || end + literals > out.length) return { end, isWhole: false };
    end += block.copy(out, end, from, from + literals);
    from += literals;
    if (from === block.length) return { end, isWhole: true };
    if (from + 2 > block.length) break;
    const distance = block.readUInt16LE(from);
    from += 2;
    const length = longer(token & 15) + 4;
    if (distance === 0 || distance > end || end + length > out.length) break;
    if (distance >= length) out.copyWithin(end, end - distance, end - distance + length);
    else for (let copied = 0; copied < length; copied++) out[end + copied] = out[end + copied - distance]!;
    end += length;
  }
  return { end, isWhole: false };
}

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));
const [P1, P2, P3, P4, P5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const;

/** The hash xxHash 32 (XXH32 with seed 0) of all bytes added. */
class Xxh32 {
  readonly #lanes = Int32Array.of(P1 + P2, P2, 0, -P1);
  #rest: Buffer = Buffer.alloc(0);
  #length = 0;

  add(bytes: Buffer): this {
    this.#length += bytes.length;
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const lanes = this.#lanes;
    let offset = 0;
    for (; offset + 16 <= all.length; offset += 16)
      for (let lane = 0; lane < 4; lane++)
        lanes[lane] = Math.imul(
          rotated(lanes[lane]! + Math.imul(all.readInt32LE(offset + lane * 4), P2), 13),
          P1,
        );
    this.#rest = Buffer.from(all.subarray(offset));
    return this;
  }

  value(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#lanes;
    let hash = this.#length < 16 ? P5 : rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18);
    hash = (hash + this.#length) | 0;
    let offset = 0;
    for (; offset + 4 <= this.#rest.length; offset += 4)
      hash = Math.imul(rotated(hash + Math.imul(this.#rest.readInt32LE(offset), P3), 17), P4);
    for (; offset < this.#rest.length; offset++)
      hash = Math.imul(rotated(hash + Math.imul(this.#rest[offset]!, P5), 11), P1);
    hash = Math.imul(hash ^ (hash >>> 15), P2);
    hash = Math.imul(hash ^ (hash >>> 13), P3);
    return (hash ^ (hash >>> 16)) >>> 0;
  }
}

const xxh32 = (bytes: Buffer): number => new Xxh32().add(bytes).value();

/** `room` has at least this many bytes to unpack into, for all frames, as thousands of them may have no content. */
async function* frame(pull: Pull, room: (bytes: number) => Buffer): AsyncGenerator<Buffer> {
  const [flags = 0, sizes = 0] = await pull.need(2);
  const has = (bit: number): boolean => (flags & (1 << bit)) !== 0;
  const descriptor = await pull.take(2 + (has(3) ? 8 : 0) + (has(0) ? 4 : 0));
  const size = BLOCK_SIZES[((sizes >>> 4) & 7) - 4];
  if (
    flags >>> 6 !== 1 ||
    size === undefined ||
    (await pull.take(1))[0] !== ((xxh32(descriptor) >>> 8) & 255)
  )
    throw damaged();
  if (has(0))
    throw new UnknownMethodError('it is compressed by lz4 with a separate dictionary: unpack it first');
  const all = new Xxh32();
  const out = room(WINDOW + size);
  let start = 0;
  for (;;) {
    const head = (await pull.take(4)).readUInt32LE(0);
    if (head === 0) break;
    const length = head & 0x7fffffff;
    if (length > size) throw damaged();
    const block = await pull.peek(length);
    pull.skip(length);
    const isStored = head >= 0x80000000;
    const { end, isWhole } = isStored
      ? { end: start + block.copy(out, start), isWhole: true }
      : unpackBlock(block, out.subarray(0, start + size), start);
    const piece = Buffer.from(out.subarray(start, end));
    if (has(2)) all.add(piece);
    yield piece;
    if (block.length < length) throw new RangeError('it is cut off');
    if (!isWhole || (has(4) && (await pull.take(4)).readUInt32LE(0) !== xxh32(block))) throw damaged();
    // Blocks may refer to those before them.
    start = has(5) ? 0 : Math.min(WINDOW, end);
    out.copyWithin(0, end - start, end);
  }
  if (has(2) && (await pull.take(4)).readUInt32LE(0) !== all.value()) throw damaged();
}

/** Each chunk has its packed length in front of it, and refers to no other. */
async function* chunks(pull: Pull): AsyncGenerator<Buffer> {
  const most = (await pull.take(4)).readUInt32BE(0);
  if (most > MOST_CHUNK) throw damaged();
  while ((await pull.peek(1)).length > 0) {
    const length = (await pull.take(4)).readUInt32BE(0);
    if (length > MOST_CHUNK * 2) throw damaged();
    const block = await pull.peek(length);
    pull.skip(length);
    const out = Buffer.allocUnsafe(most);
    const { end, isWhole } = unpackBlock(block, out, 0);
    yield out.subarray(0, end);
    if (!isWhole || block.length < length) throw damaged();
  }
}

/** The content of lz4 data, also of several frames in a row. Throws at the end of damaged data. */
export async function* unlz4(packed: () => AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const pull = new Pull(packed());
  let held = Buffer.alloc(0);
  const room = (bytes: number): Buffer => {
    if (held.length < bytes) held = Buffer.allocUnsafe(bytes);
    return held;
  };
  try {
    if ((await pull.peek(DOVECOT.length)).equals(DOVECOT)) {
      pull.skip(DOVECOT.length);
      yield* chunks(pull);
      return;
    }
    while ((await pull.peek(1)).length > 0) {
      const magic = (await pull.take(4)).readUInt32LE(0);
      if (magic >>> 4 === SKIPPABLE) await pull.pass((await pull.take(4)).readUInt32LE(0));
      else if (magic === FRAME) yield* frame(pull, room);
      else throw new RangeError('another kind of data begins in it');
    }
  } finally {
    await pull.close();
  }
}
