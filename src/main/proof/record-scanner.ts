/**
 * Finds the ends of records, 64 bytes at a time, in two WebAssembly functions: about 0.1 ns a byte, where a loop takes
 * one. Their instructions are written out below, so that no compiler or binary has to be trusted; scan.test.ts
 * compares them with a plain loop. Each byte is a bit of a mask: comparing 16 bytes at once finds quotes, and a byte is
 * inside quotes if the number of quotes up to it is odd, which six shifts compute.
 */

type Code = readonly (number | Code)[];
const flat = (code: Code): number[] =>
  code.flatMap((part) => (typeof part === 'number' ? [part] : flat(part)));

/** Signed LEB128: the top bit of the last group is the sign. */
const signed = (value: number): number[] =>
  value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
const unsigned = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes];

const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;
const VOID = 0x40;
const BLOCK = 64;
const LANES = 16;

/** Bytes per call: each may end a record, and its offset takes four bytes of the results. */
const SLICE = 16 * 1024;
/**
 * Memory layout: whether the bytes begin inside quotes (8 bytes), count of commas, count of ends, the ends, the bytes.
 */
const COMMAS = 8;
const ENDS = 12;
const PLACES = 16;
const DATA = PLACES + 4 * SLICE;
const PAGE = 64 * 1024;

const get = (local: number): Code => [0x20, local];
const set = (local: number, value: Code): Code => [value, 0x21, local];
const i32 = (value: number): Code => [0x41, signed(value)];
const i64 = (value: number): Code => [0x42, signed(value)];
/** The alignment is only a hint, so none is claimed. */
const localAt = (offset: number): Code => [0, unsigned(offset)];
const load64 = (address: Code): Code => [address, 0x29, localAt(0)];
const store32 = (address: Code, offset: number, value: Code): Code => [address, value, 0x36, localAt(offset)];
const store64 = (address: Code, value: Code): Code => [address, value, 0x37, localAt(0)];
const load128 = (address: Code, offset: number): Code => [address, 0xfd, 0x00, localAt(offset)];
const splat = (value: Code): Code => [value, 0xfd, 0x0f];
/** A mask of the bytes that are equal, one bit for each of 16. */
const alike = (a: Code, b: Code): Code => [a, b, 0xfd, 0x23, 0xfd, 0x64];
const add32 = (a: Code, b: Code): Code => [a, b, 0x6a];
const notBelow32 = (a: Code, b: Code): Code => [a, b, 0x4f];
const isZero64 = (a: Code): Code => [a, 0x50];
const lowestBit = (a: Code): Code => [a, 0x7a];
const bits = (a: Code): Code => [a, 0x7b];
const sub64 = (a: Code, b: Code): Code => [a, b, 0x7d];
const and64 = (a: Code, b: Code): Code => [a, b, 0x83];
const or64 = (a: Code, b: Code): Code => [a, b, 0x84];
const xor64 = (a: Code, b: Code): Code => [a, b, 0x85];
const left64 = (a: Code, by: number): Code => [a, i64(by), 0x86];
const right64 = (a: Code, by: number): Code => [a, i64(by), 0x87];
const narrow = (a: Code): Code => [a, 0xa7];
const wide = (a: Code): Code => [a, 0xad];
/** Repeats `body` until `over` holds at the start of a turn. */
const until = (over: Code, body: Code): Code => [
  [0x02, VOID, 0x03, VOID],
  [over, 0x0d, 1],
  [body, 0x0c, 0],
  [0x0b, 0x0b],
];

// Parameters and locals that both functions share.
const [from, to, quote, comma, end] = [0, 1, 2, 3, 4];
const [slot, commas] = [5, 6];
const [inside, quotes, matches, ends] = [7, 8, 9, 10];
const [quote16, comma16, end16] = [11, 12, 13];

/** A mask of the 64 bytes equal to `sample`. */
const mask = (sample: number): Code =>
  [0, 1, 2, 3]
    .map((part) => left64(wide(alike(load128(get(from), part * LANES), get(sample))), part * LANES))
    .reduce(or64);
/** Stores the offsets of the bits in `ends`, and moves to the next block. */
const note: Code = [
  until(isZero64(get(ends)), [
    store32(get(slot), PLACES, add32(get(from), narrow(lowestBit(get(ends))))),
    set(slot, add32(get(slot), i32(4))),
    set(ends, and64(get(ends), sub64(get(ends), i64(1)))),
  ]),
  set(from, add32(get(from), i32(BLOCK))),
];

/** The variant without quotes and commas. */
const plain = (): number[] =>
  flat([
    set(end16, splat(get(end))),
    until(notBelow32(get(from), get(to)), [set(ends, mask(end16)), note]),
    store32(i32(0), ENDS, get(slot)),
    0x0b,
  ]);

function quoted(): number[] {
  const outside = (a: Code): Code => and64(a, xor64(get(quotes), i64(-1)));
  return flat([
    set(inside, load64(i32(0))),
    set(quote16, splat(get(quote))),
    set(comma16, splat(get(comma))),
    set(end16, splat(get(end))),
    until(notBelow32(get(from), get(to)), [
      set(quotes, mask(quote16)),
      [1, 2, 4, 8, 16, 32].map((by) => set(quotes, xor64(get(quotes), left64(get(quotes), by)))),
      set(quotes, xor64(get(quotes), get(inside))),
      set(inside, right64(get(quotes), BLOCK - 1)),
      set(matches, outside(mask(comma16))),
      set(commas, add32(get(commas), narrow(bits(get(matches))))),
      set(ends, outside(mask(end16))),
      note,
    ]),
    store64(i32(0), get(inside)),
    store32(i32(0), COMMAS, get(commas)),
    store32(i32(0), ENDS, get(slot)),
    0x0b,
  ]);
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const name = (text: string) => sized([...Buffer.from(text)]);
  const section = (id: number, bytes: readonly number[]) => [id, ...sized(bytes)];
  const code = (body: number[]) => sized([3, 2, I32, 4, I64, 3, V128, ...body]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
    ...section(3, [2, 0, 0]),
    ...section(5, [1, 0, ...unsigned(Math.ceil((DATA + BLOCK) / PAGE))]),
    ...section(7, [3, ...name('memory'), 2, 0, ...name('quoted'), 0, 0, ...name('plain'), 0, 1]),
    ...section(10, [2, ...code(quoted()), ...code(plain())]),
  ]);
}

/** Missing from the types of Node and of ECMAScript. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: { memory: Memory; quoted: Mark; plain: Mark } };
};
interface Memory {
  readonly buffer: ArrayBuffer;
  /** Adds pages; existing views of the buffer become empty. */
  grow(pages: number): void;
}
type Mark = (from: number, to: number, quote: number, comma: number, end: number) => void;
let compiled: object | null = null;

/** Scans bytes that are held in WebAssembly memory. */
export class Marks {
  readonly #memory: Memory;
  readonly #quoted: Mark;
  readonly #plain: Mark;
  #bytes: Buffer;
  #results: Int32Array;
  /** Commas outside quotes so far. */
  commas = 0;

  constructor() {
    compiled ??= new WebAssembly.Module(moduleBytes());
    const { memory, quoted, plain } = new WebAssembly.Instance(compiled).exports;
    this.#memory = memory;
    this.#quoted = quoted;
    this.#plain = plain;
    this.#bytes = Buffer.from(this.#memory.buffer, DATA);
    this.#results = new Int32Array(this.#memory.buffer, 0, DATA / 4);
  }

  /** A buffer of at least this length, with its bytes kept. Valid until the next call. */
  bytes(length: number): Buffer {
    const missing = length + BLOCK - this.#bytes.length;
    if (missing > 0) {
      // Grows by half, so that a record spanning many pieces is seldom moved.
      this.#memory.grow(Math.ceil(Math.max(missing, this.#bytes.length / 2) / PAGE));
      this.#bytes = Buffer.from(this.#memory.buffer, DATA);
      this.#results = new Int32Array(this.#memory.buffer, 0, DATA / 4);
    }
    return this.#bytes;
  }

  /** Whether the last bytes scanned ended inside quotes. */
  get quoted(): boolean {
    return this.#results[0] !== 0;
  }

  /** Scans [from, to); `ended` receives the offset of every `end` byte outside quotes. */
  each(
    { quote, comma, end }: { quote: number; comma: number; end: number },
    area: readonly [number, number],
    ended: (end: number) => void,
  ): void {
    this.#forEachEnd(area, ended, (from, to) => {
      this.#quoted(from, to, quote, comma, end);
      this.commas += this.#results[COMMAS / 4]!;
    });
  }
  /** The same for formats without quoting. */
  all(end: number, area: readonly [number, number], ended: (recordEnd: number) => void): void {
    this.#forEachEnd(area, ended, (from, to) => this.#plain(from, to, 0, 0, end));
  }

  #forEachEnd(
    [from, to]: readonly [number, number],
    ended: (end: number) => void,
    mark: (from: number, to: number) => void,
  ): void {
    // The last block reaches beyond the bytes, and must find nothing there.
    this.#bytes.fill(0, to, to + BLOCK);
    for (let index = from; index < to; index += SLICE) {
      mark(DATA + index, DATA + Math.min(to, index + SLICE));
      const results = this.#results;
      const last = (PLACES + results[ENDS / 4]!) / 4;
      for (let slot = PLACES / 4; slot < last; slot++) ended(results[slot]! - DATA);
    }
  }
}
