/** Bytes readable at any position: a file, a buffer, or a stream that is unpacked while reading. */
import type { FileHandle } from 'node:fs/promises';

/** As `read` of a FileHandle; less than `length` only at the end. */
export interface ByteSource {
  read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number; buffer: Buffer }>;
  /** All bytes, if they are in memory. */
  whole?: Buffer;
  /** From now on reads only move forward: earlier bytes need not be kept. */
  forward?(): void;
}

const PIECE = 256 * 1024;

export const bufferSource = (bytes: Buffer): ByteSource => ({
  read: async (target, offset, length, position) => ({
    // `copy` refuses a start beyond the end.
    bytesRead: position >= bytes.length ? 0 : bytes.copy(target, offset, position, position + length),
    buffer: target,
  }),
  whole: bytes,
});

/** The bytes from the start, in chunks. */
export async function* piecesOf(source: ByteSource, signal?: AbortSignal): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    signal?.throwIfAborted();
    const { bytesRead, buffer } = await source.read(Buffer.allocUnsafe(PIECE), 0, PIECE, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const STEP = 4 * 1024 * 1024;

/** Fills the target from a position, in steps so that a stream buffers little; returns the number of bytes. */
export async function fill(
  source: Pick<ByteSource, 'read'>,
  target: Buffer,
  position: number,
): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const length = Math.min(STEP, target.length - filled);
    const { bytesRead } = await source.read(target, filled, length, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** A file is not what it was when it was opened: parts of a mail in it may be missing. */
export class ChangedError extends Error {
  constructor() {
    super('it changed while it was read; what was read stays, and it is read again the next time');
  }
}

/** Throws if fewer bytes were read from a position than the file had when it was opened: this is not its end. */
export function requireBytes(bytesRead: number, length: number, position: number, size: number): void {
  if (bytesRead < Math.min(length, size - position)) throw new ChangedError();
}

/** A file of this size. Some file systems return less than requested even before the end. Throws if it got shorter. */
export const fileSource = (file: Pick<FileHandle, 'read'>, size: number): ByteSource => ({
  read: async (target, offset, length, position) => {
    const bytesRead = await fill(file, target.subarray(offset, offset + length), position);
    requireBytes(bytesRead, length, position, size);
    return { bytesRead, buffer: target };
  },
});

/** The bytes from a position; less than `length` only at the end. */
export async function bytesAt(source: ByteSource, position: number, length: number): Promise<Buffer> {
  const target = Buffer.allocUnsafe(length);
  return target.subarray(0, await fill(source, target, position));
}

/** All bytes, if there are no more than expected; read into one buffer, which takes half the memory of pieces. */
async function expectedOf(source: ByteSource, expected: number): Promise<Buffer | null> {
  const target = Buffer.allocUnsafeSlow(expected);
  const length = await fill(source, target, 0);
  const { bytesRead } = await source.read(Buffer.alloc(1), 0, 1, length);
  return bytesRead === 0 ? target.subarray(0, length) : null;
}

/** All bytes, or null if there are more than `limit`. `expected` is the expected number; 0 if unknown. */
export async function wholeOf(source: ByteSource, limit: number, expected = 0): Promise<Buffer | null> {
  if (expected > PIECE && expected <= limit) {
    const whole = await expectedOf(source, expected);
    if (whole !== null) return whole;
  }
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of piecesOf(source)) {
    length += piece.length;
    if (length > limit) return null;
    pieces.push(piece);
  }
  return pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces, length);
}

/**
 * A stream with random access, mostly forward: the last `window` bytes are kept; earlier bytes are streamed again.
 * `read` throws an error of the stream if no bytes precede it.
 */
export class StreamSource implements ByteSource {
  readonly #start: () => AsyncIterable<Uint8Array>;
  #window: number;
  readonly #charge: (bytes: number) => void;
  #stream: AsyncIterator<Uint8Array> | null = null;
  /** Why the stream ended, once what came before is read. */
  #failure: { error: unknown } | null = null;
  #pieces: Buffer[] = [];
  /** Position of the first byte kept, and after the last. */
  #base = 0;
  #end = 0;
  #charged = 0;

  /** `charge` receives the number of newly streamed bytes, and may throw. */
  constructor(start: () => AsyncIterable<Uint8Array>, window: number, charge: (bytes: number) => void) {
    this.#start = start;
    this.#window = window;
    this.#charge = charge;
  }

  forward(): void {
    this.#window = 0;
  }

  async #more(position: number): Promise<boolean> {
    if (this.#failure !== null) throw this.#failure.error;
    this.#stream ??= this.#start()[Symbol.asyncIterator]();
    const { done, value } = await this.#stream.next();
    if (done === true) return false;
    const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#pieces.push(piece);
    this.#end += piece.length;
    if (this.#end > this.#charged) {
      this.#charge(this.#end - this.#charged);
      this.#charged = this.#end;
    }
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      const next = this.#base + first.length;
      if (next > position || this.#end - next < this.#window) break;
      this.#pieces.shift();
      this.#base = next;
    }
    return true;
  }

  async read(target: Buffer, offset: number, length: number, position: number) {
    if (position < this.#base) {
      await this.close();
      this.#pieces = [];
      this.#base = 0;
      this.#end = 0;
    }
    try {
      while (this.#end < position + length && (await this.#more(position)));
    } catch (error) {
      if (this.#end <= position) throw error;
      this.#failure = { error };
    }
    let place = this.#base;
    let bytesRead = 0;
    for (const piece of this.#pieces) {
      const from = position + bytesRead - place;
      place += piece.length;
      if (bytesRead === length) break;
      if (from >= 0 && from < piece.length)
        bytesRead += piece.copy(target, offset + bytesRead, from, from + length - bytesRead);
    }
    return { bytesRead, buffer: target };
  }

  /** Ends the stream; the next read starts it again. */
  async close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = null;
    this.#failure = null;
    await stream?.return?.();
  }
}
