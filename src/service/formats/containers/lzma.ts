/**
 * Decoder for LZMA (specification by Igor Pavlov): raw streams, as in the directory of a 7z archive, and the chunks of
 * LZMA2, as in .xz.
 */

const PROBABILITY_BITS = 11;
const HALF = 1 << (PROBABILITY_BITS - 1);
const MOVE = 5;
const TOP = 2 ** 24;
const LENGTH_STATES = 4;
const END_MARK = 0xffffffff;

const probabilities = (count: number): Uint16Array => new Uint16Array(count).fill(HALF);

class RangeDecoder {
  readonly #packed: Buffer;
  #offset = 5;
  #range = 0xffffffff;
  #code: number;

  constructor(packed: Buffer) {
    this.#packed = packed;
    this.#code = packed.readUInt32BE(1);
  }

  /** Whether all bytes were used, as at the end of a chunk of LZMA2. */
  isFinished(): boolean {
    this.#normalize();
    return this.#offset === this.#packed.length && this.#code === 0;
  }

  #normalize(): void {
    if (this.#range >= TOP) return;
    if (this.#offset >= this.#packed.length) throw new RangeError('cut off');
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | this.#packed[this.#offset++]!) >>> 0;
  }

  bit(of: Uint16Array, index: number): number {
    this.#normalize();
    const probability = of[index]!;
    const bound = (this.#range >>> PROBABILITY_BITS) * probability;
    if (this.#code < bound) {
      this.#range = bound;
      of[index] = probability + (((1 << PROBABILITY_BITS) - probability) >> MOVE);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    of[index] = probability - (probability >> MOVE);
    return 1;
  }

  direct(count: number): number {
    let value = 0;
    for (let remaining = count; remaining > 0; remaining--) {
      this.#normalize();
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      value = value * 2 + bit;
    }
    return value;
  }

  tree(of: Uint16Array, bits: number, from = 0): number {
    let node = 1;
    for (let remaining = bits; remaining > 0; remaining--) node = (node << 1) | this.bit(of, from + node);
    return node - (1 << bits);
  }

  reverseTree(of: Uint16Array, bits: number, from = 0): number {
    let node = 1;
    let value = 0;
    for (let index = 0; index < bits; index++) {
      const bit = this.bit(of, from + node);
      node = (node << 1) | bit;
      value |= bit << index;
    }
    return value;
  }
}

const NOTHING = new RangeDecoder(Buffer.alloc(5));

class Lengths {
  readonly #choice = probabilities(2);
  readonly #low: Uint16Array[];
  readonly #mid: Uint16Array[];
  readonly #high = probabilities(256);

  constructor(places: number) {
    this.#low = Array.from({ length: places }, () => probabilities(8));
    this.#mid = Array.from({ length: places }, () => probabilities(8));
  }

  read(from: RangeDecoder, place: number): number {
    if (from.bit(this.#choice, 0) === 0) return from.tree(this.#low[place]!, 3);
    if (from.bit(this.#choice, 1) === 0) return 8 + from.tree(this.#mid[place]!, 3);
    return 16 + from.tree(this.#high, 8);
  }
}

/** The first byte of the properties. Throws RangeError. */
export function lzmaProperties(byte: number): { context: number; lowBits: number; places: number } {
  if (byte >= 9 * 5 * 5) throw new RangeError('no properties');
  return { context: byte % 9, lowBits: Math.floor(byte / 9) % 5, places: 1 << Math.floor(byte / 45) };
}

export class LzmaDecoder {
  #from: RangeDecoder;
  /** What was unpacked; matches refer to it. */
  #out: Buffer;
  #offset = 0;
  /** The end of what is unpacked in one call. */
  #end = 0;
  readonly #context: number;
  readonly #lowBits: number;
  readonly #places: number;
  readonly #literals: Uint16Array;
  readonly #isMatch = probabilities(12 * 16);
  readonly #isRepeated = probabilities(12);
  readonly #isRepeatedFirst = probabilities(12);
  readonly #isRepeatedSecond = probabilities(12);
  readonly #isRepeatedThird = probabilities(12);
  readonly #isRepeatedLong = probabilities(12 * 16);
  readonly #slots = Array.from({ length: LENGTH_STATES }, () => probabilities(64));
  readonly #positions = probabilities(128);
  readonly #align = probabilities(16);
  readonly #matches: Lengths;
  readonly #repeats: Lengths;
  #state = 0;
  /** The last four distances, each less one. */
  #last: [number, number, number, number] = [0, 0, 0, 0];

  constructor({ context, lowBits, places }: ReturnType<typeof lzmaProperties>) {
    this.#context = context;
    this.#lowBits = lowBits;
    this.#places = places;
    this.#from = NOTHING;
    this.#out = Buffer.alloc(0);
    this.#literals = probabilities(0x300 << (this.#context + this.#lowBits));
    this.#matches = new Lengths(this.#places);
    this.#repeats = new Lengths(this.#places);
  }

  /** Where the last unpacking ended. */
  get offset(): number {
    return this.#offset;
  }

  /** Unpacks bytes into `out` from `start` on, up to `end` or the end of the stream. Throws RangeError if they are damaged. */
  read(packed: Buffer, out: Buffer, start: number, end: number): void {
    this.#offset = start;
    this.#from = new RangeDecoder(packed);
    this.#out = out;
    this.#end = end;
    while (this.#offset < end) {
      const place = this.#offset & (this.#places - 1);
      if (this.#from.bit(this.#isMatch, this.#state * 16 + place) === 0) this.#literal();
      else if (!this.#match(place)) return;
    }
  }

  /** The same for a chunk of LZMA2, whose size is known. */
  readChunk(packed: Buffer, out: Buffer, start: number, end: number): void {
    this.read(packed, out, start, end);
    if (this.#offset < end || !this.#from.isFinished()) throw new RangeError('a block of it is damaged');
  }

  #literal(): void {
    const before = this.#offset > 0 ? this.#out[this.#offset - 1]! : 0;
    const low = this.#offset & ((1 << this.#lowBits) - 1);
    const base = 0x300 * ((low << this.#context) + (before >> (8 - this.#context)));
    let symbol = 1;
    if (this.#state >= 7) {
      let match = this.#before(this.#last[0]);
      do {
        const bit = (match >> 7) & 1;
        match <<= 1;
        const read = this.#from.bit(this.#literals, base + ((1 + bit) << 8) + symbol);
        symbol = (symbol << 1) | read;
        if (bit !== read) break;
      } while (symbol < 0x100);
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#from.bit(this.#literals, base + symbol);
    this.#out[this.#offset++] = symbol & 0xff;
    this.#state = this.#state < 4 ? 0 : this.#state - (this.#state < 10 ? 3 : 6);
  }

  /** False if the stream ends here. */
  #match(place: number): boolean {
    const state = this.#state;
    if (this.#from.bit(this.#isRepeated, state) === 0) {
      const length = this.#matches.read(this.#from, place);
      this.#state = state < 7 ? 7 : 10;
      const distance = this.#distance(length);
      if (distance === END_MARK) return false;
      this.#last = [distance, this.#last[0], this.#last[1], this.#last[2]];
      this.#copy(length + 2);
      return true;
    }
    if (this.#from.bit(this.#isRepeatedFirst, state) === 0) {
      if (this.#from.bit(this.#isRepeatedLong, state * 16 + place) === 0) {
        this.#state = state < 7 ? 9 : 11;
        this.#copy(1);
        return true;
      }
    } else this.#repeat(state);
    this.#state = state < 7 ? 8 : 11;
    this.#copy(this.#repeats.read(this.#from, place) + 2);
    return true;
  }

  #repeat(state: number): void {
    const [first, second, third, fourth] = this.#last;
    if (this.#from.bit(this.#isRepeatedSecond, state) === 0) this.#last = [second, first, third, fourth];
    else if (this.#from.bit(this.#isRepeatedThird, state) === 0) this.#last = [third, first, second, fourth];
    else this.#last = [fourth, first, second, third];
  }

  #distance(length: number): number {
    const slot = this.#from.tree(this.#slots[Math.min(length, LENGTH_STATES - 1)]!, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + this.#from.reverseTree(this.#positions, bits, base - slot);
    return base + this.#from.direct(bits - 4) * 16 + this.#from.reverseTree(this.#align, 4);
  }

  #before(distance: number): number {
    if (distance >= this.#offset) throw new RangeError('before the beginning');
    return this.#out[this.#offset - 1 - distance]!;
  }

  #copy(length: number): void {
    const end = Math.min(this.#offset + length, this.#end);
    let from = this.#offset - 1 - this.#last[0];
    if (from < 0) throw new RangeError('before the beginning');
    const out = this.#out;
    for (let index = this.#offset; index < end; index++) out[index] = out[from++]!;
    this.#offset = end;
  }
}

/** Unpacks a stream, up to `size` bytes. Throws RangeError if it is damaged. */
export function unpackLzma(packed: Buffer, properties: Buffer, size: number): Buffer {
  const out = Buffer.alloc(size);
  const decoder = new LzmaDecoder(lzmaProperties(properties.readUInt8(0)));
  decoder.read(packed, out, 0, size);
  return out.subarray(0, decoder.offset);
}
