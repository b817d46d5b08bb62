/** The files of a zip without the directory at its end, such as a truncated one: by the header before each file. */
import { crc32 } from 'node:zlib';
import { type ByteSource, bytesAt } from '../files/bytes.ts';
import { inflated } from './inflate.ts';

const SIGN = Buffer.from('PK\x03\x04', 'latin1');
const DESCRIPTOR = 0x08074b50;
const HEADER = 30;
const PIECE = 256 * 1024;
const STORED = 0;
const DEFLATED = 8;
/** In a zip64 header: the sizes are in its extra fields. */
const ELSEWHERE = 0xffffffff;

export interface CutFile {
  name: Buffer;
  encrypted: boolean;
  method: number;
  open(): AsyncIterable<Uint8Array>;
}

interface Header {
  name: Buffer;
  flags: number;
  method: number;
  checksum: number;
  /** The start and end of its bytes, or null if its header was written before its size was known. */
  start: number;
  end: number | null;
}

class CutZip {
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #signal: AbortSignal | undefined;

  constructor(source: ByteSource, size: number, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#size = size;
    this.#signal = signal;
  }

  #bytes(from: number, length: number): Promise<Buffer> {
    return bytesAt(this.#source, from, Math.max(0, Math.min(length, this.#size - from)));
  }

  async *#pieces(from: number, to: number): AsyncGenerator<Buffer> {
    for (let index = from; index < to; index += PIECE) {
      this.#signal?.throwIfAborted();
      yield await this.#bytes(index, Math.min(PIECE, to - index));
    }
  }

  async #headerAt(position: number): Promise<Header | null> {
    const fixed = await this.#bytes(position, HEADER);
    if (fixed.length < HEADER || !fixed.subarray(0, 4).equals(SIGN)) return null;
    const [nameLength, extraLength] = [fixed.readUInt16LE(26), fixed.readUInt16LE(28)];
    const rest = await this.#bytes(position + HEADER, nameLength + extraLength);
    // Inside other data, the signature may occur by chance.
    if (nameLength === 0 || rest.length < nameLength + extraLength || fixed[4]! > 63) return null;
    const flags = fixed.readUInt16LE(6);
    const start = position + HEADER + nameLength + extraLength;
    const packed = packedSize(fixed, rest.subarray(nameLength));
    return {
      name: rest.subarray(0, nameLength),
      flags,
      method: fixed.readUInt16LE(8),
      checksum: fixed.readUInt32LE(14),
      start,
      end: (flags & 8) === 0 && packed !== null ? start + packed : null,
    };
  }

  async #next(from: number): Promise<{ offset: number; header: Header } | null> {
    for (let base = from; base < this.#size; base += PIECE) {
      this.#signal?.throwIfAborted();
      const window = await this.#bytes(base, PIECE + SIGN.length - 1);
      for (
        let position = window.indexOf(SIGN);
        position >= 0;
        position = window.indexOf(SIGN, position + 1)
      ) {
        const header = await this.#headerAt(base + position);
        if (header !== null) return { offset: base + position, header };
      }
    }
    return null;
  }

  /** The end of bytes whose length is stored after them, before the next header. */
  async #beforeDescriptor(end: number): Promise<number> {
    for (const length of [16, 24]) {
      const bytes = await this.#bytes(end - length, 4);
      if (bytes.length === 4 && bytes.readUInt32LE(0) === DESCRIPTOR) return end - length;
    }
    return end;
  }

  async *#content({ method, checksum, start, end }: Header, until: number): AsyncGenerator<Uint8Array> {
    const to = Math.min(end ?? until, this.#size);
    const bytes =
      method === STORED
        ? this.#pieces(start, end === null ? await this.#beforeDescriptor(to) : to)
        : inflated(() => this.#pieces(start, to));
    let sum = 0;
    for await (const piece of bytes) {
      sum = crc32(piece, sum);
      yield piece;
    }
    if (end !== null && (end > this.#size || sum !== checksum)) throw new Error('it is cut, or changed');
  }

  async *files(): AsyncGenerator<CutFile> {
    for (let foundHeader = await this.#next(0); foundHeader !== null; ) {
      const { header } = foundHeader;
      const { name, flags, method, start, end } = header;
      foundHeader = end !== null && end > this.#size ? null : await this.#next(end ?? start);
      const until = foundHeader?.offset ?? this.#size;
      if (name.at(-1) !== 0x2f)
        yield { name, encrypted: (flags & 1) !== 0, method, open: () => this.#content(header, until) };
    }
  }
}

/** Packed bytes of a file by its header, or null if it does not say. */
function packedSize(fixed: Buffer, extra: Buffer): number | null {
  const size = fixed.readUInt32LE(18);
  if (size !== ELSEWHERE) return size;
  for (let offset = 0; offset + 4 <= extra.length; offset += 4 + extra.readUInt16LE(offset + 2))
    if (extra.readUInt16LE(offset) === 1 && offset + 20 <= extra.length)
      return Number(extra.readBigUInt64LE(offset + 12));
  return null;
}

export const CUT_METHODS: ReadonlySet<number> = new Set([STORED, DEFLATED]);

/** A truncated file throws when it is read, after its available bytes. */
export const cutZipFiles = (
  source: ByteSource,
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<CutFile> => new CutZip(source, size, signal).files();
