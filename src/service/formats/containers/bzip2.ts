/** Decoder of bzip2, block by block: a block whose checksum is wrong is left out, and ends the stream with an error. */
import { Pull } from '../files/pull.ts';

const BLOCK = 100_000;
/** More than a block can take, at 20 bits a symbol and with its tables. */
const LONGEST_BLOCK = 2_600_000;
const PIECE = 256 * 1024;
const MOST_BITS = 20;
const SHORT = 10;
const GROUP = 50;
/** Further selectors are written by some programs and mean nothing. */
const MOST_SELECTORS = 18_002;
/** The 48 bits before a block and before the end of a stream, as two halves. */
const START = [0x314159, 0x265359] as const;
const END = [0x177245, 0x385090] as const;

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value >>> 0;
});

const damaged = (): RangeError => new RangeError('a block of it is damaged');

class Bits {
  readonly #pull: Pull;
  #bytes: Buffer = Buffer.alloc(0);
  #offset = 0;
  #hold = 0;
  #count = 0;

  constructor(pull: Pull) {
    this.#pull = pull;
  }

  /** Makes the bytes of a block available, and says whether there are any. */
  async refill(): Promise<boolean> {
    this.#pull.skip(this.#offset);
    this.#bytes = await this.#pull.peek(LONGEST_BLOCK);
    this.#offset = 0;
    return this.#bytes.length > 0;
  }

  /** Up to 24 bits. */
  read(count: number): number {
    while (this.#count < count) {
      if (this.#offset >= this.#bytes.length) throw new RangeError('it is cut off');
      this.#hold = (this.#hold << 8) | this.#bytes[this.#offset++]!;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#hold >>> this.#count) & ((1 << count) - 1);
  }

  /** The next bits, which stay to be read; zeros after the end. */
  peek(count: number): number {
    while (this.#count < count) {
      this.#hold = (this.#hold << 8) | (this.#bytes[this.#offset++] ?? 0);
      this.#count += 8;
    }
    return (this.#hold >>> (this.#count - count)) & ((1 << count) - 1);
  }

  /** Passes over bits that were peeked at. Throws if they are after the end. */
  skip(count: number): void {
    this.#count -= count;
    if (this.#offset > this.#bytes.length && this.#count < 8 * (this.#offset - this.#bytes.length))
      throw new RangeError('it is cut off');
  }

  read32(): number {
    return this.read(16) * 0x10000 + this.read(16);
  }

  align(): void {
    this.#count -= this.#count % 8;
  }
}

/** A Huffman code: by length the last code, and what to subtract for the symbol's index. */
interface Code {
  last: Int32Array;
  base: Int32Array;
  symbols: Uint16Array;
  /** By the next SHORT bits: a symbol and, in the lower five bits, the length of its code; 0 for a longer one. */
  short: Uint16Array;
}

function codeOf(lengths: Uint8Array): Code {
  const last = new Int32Array(MOST_BITS + 1).fill(-1);
  const base = new Int32Array(MOST_BITS + 1);
  const symbols = new Uint16Array(lengths.length);
  const short = new Uint16Array(1 << SHORT);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= MOST_BITS; length++) {
    base[length] = code - index;
    for (let symbol = 0; symbol < lengths.length; symbol++)
      if (lengths[symbol] === length) {
        symbols[index++] = symbol;
        const begin = code << (SHORT - length);
        if (length <= SHORT) short.fill((symbol << 5) | length, begin, begin + (1 << (SHORT - length)));
        last[length] = code++;
      }
    code <<= 1;
  }
  return { last, base, symbols, short };
}

function symbolOf(bits: Bits, { last, base, symbols, short }: Code): number {
  const entry = short[bits.peek(SHORT)]!;
  if (entry !== 0) {
    bits.skip(entry & 31);
    return entry >>> 5;
  }
  for (let length = SHORT + 1; length <= MOST_BITS; length++) {
    const code = bits.peek(length);
    if (code > last[length]!) continue;
    bits.skip(length);
    return symbols[code - base[length]!] ?? 0;
  }
  throw damaged();
}

function usedBytes(bits: Bits): number[] {
  const groups = bits.read(16);
  const used: number[] = [];
  for (let group = 0; group < 16; group++) {
    if ((groups & (0x8000 >> group)) === 0) continue;
    const members = bits.read(16);
    for (let index = 0; index < 16; index++)
      if ((members & (0x8000 >> index)) !== 0) used.push(group * 16 + index);
  }
  return used;
}

function toFront(list: Uint8Array, index: number): number {
  const value = list[index]!;
  for (let position = index; position > 0; position--) list[position] = list[position - 1]!;
  list[0] = value;
  return value;
}

function readSelectors(bits: Bits, codes: number): Uint8Array {
  const count = bits.read(15);
  const order = Uint8Array.from({ length: codes }, (_, index) => index);
  const selectors = new Uint8Array(Math.min(count, MOST_SELECTORS));
  for (let position = 0; position < count; position++) {
    let index = 0;
    while (bits.read(1) === 1) if (++index >= codes) throw damaged();
    const selected = toFront(order, index);
    if (position < MOST_SELECTORS) selectors[position] = selected;
  }
  return selectors;
}

function readCode(bits: Bits, symbols: number): Code {
  const lengths = new Uint8Array(symbols);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbols; symbol++) {
    while (bits.read(1) === 1) {
      length += bits.read(1) === 1 ? -1 : 1;
      if (length < 1 || length > MOST_BITS) throw damaged();
    }
    lengths[symbol] = length;
  }
  return codeOf(lengths);
}

/** Reads a block, sorted by Burrows and Wheeler, into the low bytes of `block`; returns their number. */
function readSorted(bits: Bits, block: Uint32Array, most: number): number {
  const used = usedBytes(bits);
  const end = used.length + 1;
  const codes = bits.read(3);
  if (used.length === 0 || codes < 2 || codes > 6) throw damaged();
  const selectors = readSelectors(bits, codes);
  const tables = Array.from({ length: codes }, () => readCode(bits, end + 1));
  const order = Uint8Array.from(used);
  let count = 0;
  let run = 0;
  let weight = 1;
  for (let group = 0; group < selectors.length; group++) {
    const code = tables[selectors[group]!]!;
    for (let remaining = GROUP; remaining > 0; remaining--) {
      const symbol = symbolOf(bits, code);
      if (symbol <= 1) {
        run += weight << symbol;
        weight *= 2;
        if (run > most) throw damaged();
        continue;
      }
      if (count + run > most) throw damaged();
      if (run > 0) block.fill(order[0]!, count, count + run);
      count += run;
      run = 0;
      weight = 1;
      if (symbol === end) return count;
      if (count >= most) throw damaged();
      block[count++] = toFront(order, symbol - 1);
    }
  }
  throw damaged();
}

/** Links each byte, in the upper 24 bits, to the one that follows it. */
function unsort(block: Uint32Array, count: number): void {
  const starts = new Uint32Array(257);
  for (let index = 0; index < count; index++) starts[(block[index]! & 0xff) + 1]! += 1;
  for (let byte = 0; byte < 256; byte++) starts[byte + 1]! += starts[byte]!;
  for (let index = 0; index < count; index++) block[starts[block[index]! & 0xff]!++]! |= index << 8;
}

/** The bytes of a block, with its runs expanded: 51 times 900,000 at most. Throws if its checksum is wrong. */
function expanded(block: Uint32Array, count: number, origin: number, crc: number): Buffer[] {
  const pieces: Buffer[] = [];
  let piece = Buffer.allocUnsafe(Math.min(PIECE, count * 2));
  let length = 0;
  let check = 0xffffffff;
  let next = count > 0 ? block[origin]! >>> 8 : 0;
  let before = -1;
  let same = 0;
  for (let remaining = count; remaining > 0; remaining--) {
    const entry = block[next]!;
    next = entry >>> 8;
    const byte = entry & 0xff;
    const isLength = same === 4;
    const out = isLength ? before : byte;
    same = isLength ? 0 : byte === before ? same + 1 : 1;
    before = isLength ? -1 : byte;
    for (let copies = isLength ? byte : 1; copies > 0; copies--) {
      if (length === piece.length) {
        pieces.push(piece);
        piece = Buffer.allocUnsafe(PIECE);
        length = 0;
      }
      piece[length++] = out;
      check = (check << 8) ^ CRC[(check >>> 24) ^ out]!;
    }
  }
  if (~check >>> 0 !== crc) throw damaged();
  pieces.push(piece.subarray(0, length));
  return pieces;
}

/** The content of a bzip2 file, also of several in a row. Throws at the end of a damaged one. */
export async function* unbzip2(packed: () => AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const pull = new Pull(packed());
  const bits = new Bits(pull);
  let block = new Uint32Array(0);
  let level = 0;
  let all = 0;
  try {
    while (await bits.refill()) {
      if (level === 0) {
        level = bits.read(24) === 0x425a68 ? bits.read(8) - 0x30 : 0;
        if (level < 1 || level > 9) throw new RangeError('another kind of data begins in it');
        all = 0;
      }
      const first = bits.read(24);
      const second = bits.read(24);
      const crc = bits.read32();
      if (first === END[0] && second === END[1]) {
        if (crc !== all >>> 0) throw new RangeError('a block of it is missing');
        bits.align();
        level = 0;
        continue;
      }
      if (first !== START[0] || second !== START[1]) throw damaged();
      // A bit for blocks that were made random, which no program writes since 1997.
      if (bits.read(1) === 1) throw damaged();
      const origin = bits.read(24);
      if (block.length < level * BLOCK) block = new Uint32Array(level * BLOCK);
      const count = readSorted(bits, block, level * BLOCK);
      if (origin >= count) throw damaged();
      unsort(block, count);
      yield* expanded(block, count, origin, crc);
      all = ((all << 1) | (all >>> 31)) ^ crc;
    }
    if (level !== 0) throw new RangeError('it is cut off');
  } finally {
    await pull.close();
  }
}
