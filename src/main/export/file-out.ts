/** The file that an export is writing: appended front to back, and read back as it grows. Runs in the writer thread. */
import { closeSync, fdatasync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { PART_FLAGS, PART_MODE } from '../files/temp-file.ts';
import { type FoundFile, PIECE, type Reader, type Source } from '../proof/read-back.ts';

/** The file system calls that can fail during a write; tests replace them with failing ones. */
export interface FileCalls {
  open(path: string): number;
  write(fd: number, bytes: Uint8Array, position: number): number;
  /** Starts flushing what was written so far, while writing goes on. */
  flush(fd: number): Promise<void>;
  sync(fd: number): void;
  close(fd: number): void;
}

export const realFiles: FileCalls = {
  open: (path) => openSync(path, PART_FLAGS, PART_MODE),
  write: (fd, bytes, position) => writeSync(fd, bytes, position, bytes.length - position),
  flush: promisify(fdatasync),
  sync: fsyncSync,
  close: closeSync,
};

export interface ByteOut {
  write(bytes: Uint8Array): void | Promise<void>;
}

export interface FileOut extends ByteOut {
  write(bytes: Uint8Array): void;
  /** Resolves when all bytes are on disk and were read back to the last. */
  close(): Promise<FoundFile>;
}

/** Small writes are buffered: a system call per row would cost more than the row. */
const BUFFER_BYTES = 512 * 1024;
/** Bytes between flushes, so that closing the file waits only for the last of them. */
const FLUSH_BYTES = 32 * 1024 * 1024;

/**
 * `reader` is fed from the file, not from what was written to it. It can follow one piece behind the writer because the
 * file is only ever appended to.
 */
export function openFileOut(path: string, reader: Reader, calls: FileCalls = realFiles): FileOut {
  const fd = calls.open(path);
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let buffered = 0;
  let written = 0;
  let readBack = 0;
  /** Reads back one piece; false at the current end of the file. */
  const readOn = (): boolean => {
    const piece = reader.room();
    const length = readSync(fd, piece, 0, piece.length, readBack);
    reader.push(piece.subarray(0, length));
    readBack += length;
    return length > 0;
  };
  let flushed = 0;
  let flushing: Promise<void> | null = null;
  /** Kept, since a failed flush may not be reported again by the next one. */
  let flushError: unknown = null;
  const startFlush = () => {
    flushed = written;
    flushing = calls
      .flush(fd)
      .catch((error: unknown) => {
        flushError ??= error;
      })
      .finally(() => {
        flushing = null;
      });
  };
  const put = (chunk: Uint8Array) => {
    for (let index = 0; index < chunk.length; ) index += calls.write(fd, chunk, index);
    written += chunk.length;
    if (flushError !== null) throw flushError;
    if (flushing === null && written - flushed >= FLUSH_BYTES) startFlush();
    while (written - readBack >= PIECE && readOn());
  };
  const flush = () => {
    if (buffered > 0) put(buffer.subarray(0, buffered));
    buffered = 0;
  };
  const file: Source = {
    get size() {
      return fstatSync(fd).size;
    },
    read(position, length) {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
    },
  };
  return {
    write(chunk) {
      const isLarge = chunk.length > BUFFER_BYTES / 2;
      // Buffered bytes come first, also before a chunk that is too large to be buffered but would still fit.
      if (isLarge || buffered + chunk.length > BUFFER_BYTES) flush();
      if (isLarge) return put(chunk);
      buffer.set(chunk, buffered);
      buffered += chunk.length;
    },
    async close() {
      flush();
      await flushing;
      if (flushError !== null) throw flushError;
      calls.sync(fd);
      while (readOn());
      const content = await reader.end(file);
      calls.close(fd);
      return content;
    },
  };
}
