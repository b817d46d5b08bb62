/**
 * The files in a tar: V7, POSIX (ustar, pax) and GNU. After damage it continues with the next header, to save as much mail
 * as possible.
 */
import { type ByteSource, bytesAt } from '../files/bytes.ts';

const BLOCK = 512;
const PIECE = 256 * 1024;
/** Maximum bytes of data before a header: long names, and pax fields. */
const MOST_EXTRA = 8 * 1024 * 1024;

export interface TarFile {
  /** As stored, in whatever charset. */
  name: Buffer;
  size: number;
  /** A sparse file without its zeros, so its bytes are not those of the file. */
  isSparse: boolean;
  open(): AsyncGenerator<Uint8Array>;
}

const truncated = () => new Error('it ends before it is complete');

const upTo = (bytes: Buffer, end: number): Buffer => bytes.subarray(0, end < 0 ? bytes.length : end);
const field = (block: Buffer, offset: number, length: number): Buffer => {
  const bytes = block.subarray(offset, offset + length);
  return upTo(bytes, bytes.indexOf(0));
};

/** Octal digits between spaces, or GNU's base-256 number, or null if it is neither. */
function numberIn(block: Buffer, position: number, length: number): number | null {
  if ((block[position]! & 0x80) === 0) {
    const digits = field(block, position, length).toString('latin1').trim();
    return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : null;
  }
  let value = block[position]! & 0x7f;
  for (let index = 1; index < length; index++) value = value * 256 + block[position + index]!;
  return Number.isSafeInteger(value) ? value : null;
}

const SUM = { at: 148, length: 8 } as const;
function isHeader(block: Buffer): boolean {
  let sum = 0;
  for (let index = 0; index < BLOCK; index++)
    sum += index >= SUM.at && index < SUM.at + SUM.length ? 0x20 : block[index]!;
  return numberIn(block, SUM.at, SUM.length) === sum;
}

const isZero = (block: Buffer): boolean => block.every((byte) => byte === 0);
const hasMagic = (block: Buffer): boolean => block.toString('latin1', 257, 262) === 'ustar';

/** The pax fields, each `length key=value` and a line feed. */
function paxFields(bytes: Buffer): Map<string, Buffer> {
  const out = new Map<string, Buffer>();
  for (let position = 0; position < bytes.length; ) {
    const space = bytes.indexOf(0x20, position);
    const length = Number(
      bytes.toString('latin1', position, Math.max(position, Math.min(space, position + 20))),
    );
    const equals = bytes.indexOf(0x3d, space);
    if (space < 0 || !(length > 0) || equals < 0 || equals >= position + length) break;
    out.set(bytes.toString('latin1', space + 1, equals), bytes.subarray(equals + 1, position + length - 1));
    position += length;
  }
  return out;
}

/** Types of entries without a file. GNU adds a list of a folder's files (D), a label (V) and the rest of a file (M). */
const NO_FILE = /^[1-6DVM]$/;
const WITHOUT_BYTES = /^[1-6]$/;

class TarReader {
  readonly #source: ByteSource;
  readonly #signal: AbortSignal | undefined;
  #offset = 0;
  #zeros = 0;
  /** The offset of the first block that should be a header but is not, or null if there is none. */
  #damage: number | null = null;
  /** The pax fields for all following files, and for the next one, and its long name. */
  readonly #common = new Map<string, Buffer>();
  #fields = new Map<string, Buffer>();
  #long: Buffer | null = null;

  constructor(source: ByteSource, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
  }

  /** The next header, after zeros and damaged blocks, or null if there is none. */
  async #header(): Promise<Buffer | null> {
    for (;;) {
      this.#signal?.throwIfAborted();
      const block = await bytesAt(this.#source, this.#offset, BLOCK);
      if (block.length < BLOCK) {
        if (block.length > 0) this.#damage ??= this.#offset;
        return null;
      }
      const isLost = this.#damage !== null || this.#zeros > 0;
      if (isZero(block)) {
        this.#zeros += 1;
        this.#offset += BLOCK;
      }
      // Inside other data, a checksum may be right by chance.
      else if (isHeader(block) && (!isLost || hasMagic(block))) return block;
      else this.#damaged();
    }
  }

  /** Continues after an invalid block; names read before it belong to a lost file. */
  #damaged(): void {
    this.#damage ??= this.#offset;
    this.#offset += BLOCK;
    this.#long = null;
    this.#fields = new Map();
  }

  async *#content(from: number, size: number): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < size; ) {
      this.#signal?.throwIfAborted();
      const length = Math.min(PIECE, size - index);
      const bytes = await bytesAt(this.#source, from + index, length);
      if (bytes.length > 0) yield bytes;
      if (bytes.length < length) throw truncated();
      index += length;
    }
  }

  async *files(): AsyncGenerator<TarFile> {
    for (let block = await this.#header(); block !== null; block = await this.#header()) {
      this.#zeros = 0;
      const type = String.fromCharCode(block[156]!);
      const start = this.#offset + BLOCK;
      const written = numberIn(block, 124, 12);
      const isExtra = /^[xgLK]$/.test(type);
      if (written === null || (isExtra && written > MOST_EXTRA)) {
        this.#damaged();
        continue;
      }
      if (isExtra) {
        const extra = await bytesAt(this.#source, start, written);
        if (extra.length < written) throw truncated();
        if (type === 'L') this.#long = upTo(extra, extra.indexOf(0));
        else if (type === 'x') this.#fields = paxFields(extra);
        else if (type === 'g')
          for (const [key, value] of paxFields(extra))
            if (key === 'path' || key === 'size') this.#common.set(key, value);
        this.#offset = start + padded(written);
        continue;
      }
      const pax = (key: string): Buffer | undefined => this.#fields.get(key) ?? this.#common.get(key);
      const statedSize = Number(pax('size')?.toString('latin1') ?? written);
      if (!Number.isSafeInteger(statedSize) || statedSize < 0) {
        this.#damaged();
        continue;
      }
      const size = WITHOUT_BYTES.test(type) ? 0 : statedSize;
      const prefix =
        block.toString('latin1', 257, 263) === 'ustar\0' ? field(block, 345, 155) : Buffer.alloc(0);
      const short = field(block, 0, 100);
      const name =
        pax('path') ??
        this.#long ??
        (prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), short]) : short);
      let content = start;
      // Further headers of a sparse file.
      for (let more = type === 'S' && block[482] === 1; more; content += BLOCK)
        more = (await bytesAt(this.#source, content, BLOCK))[504] === 1;
      const isSparse = type === 'S' || [...this.#fields.keys()].some((key) => key.startsWith('GNU.sparse.'));
      this.#offset = content + padded(size);
      this.#long = null;
      this.#fields = new Map();
      if (!NO_FILE.test(type) && name.at(-1) !== 0x2f)
        yield { name, size, isSparse, open: () => this.#content(content, size) };
    }
    if (this.#damage !== null) throw new Error(`what stands at byte ${this.#damage} is no file`);
    if (this.#zeros < 2) throw truncated();
  }
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK;

/** Throws, in words, at the end of a damaged one; files before that are complete. */
export const tarFiles = (source: ByteSource, signal?: AbortSignal): AsyncGenerator<TarFile> =>
  new TarReader(source, signal).files();
