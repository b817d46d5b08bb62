/** The file of an export in the making: bytes from front to back, read back as they get there. Runs in the writer thread. */
import { closeSync, fdatasync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { PART_FLAGS, PART_MODE } from '../files/part.ts';
import { type FoundFile, PIECE, type Reader, type Source } from '../proof/read-back.ts';

/** The calls of the file system that can fail while a file is written; tests put failing ones in their place. */
export interface FileCalls {
  open(path: string): number;
  write(fd: number, bytes: Uint8Array, at: number): number;
  /** Has the disk begin with what was written so far, beside the writing. */
  flush(fd: number): Promise<void>;
  sync(fd: number): void;
  close(fd: number): void;
}

export const realFiles: FileCalls = {
  open: (path) => openSync(path, PART_FLAGS, PART_MODE),
  write: (fd, bytes, at) => writeSync(fd, bytes, at, bytes.length - at),
  flush: promisify(fdatasync),
  sync: fsyncSync,
  close: closeSync,
};

export interface ByteOut {
  write(bytes: Uint8Array): void | Promise<void>;
}

export interface FileOut extends ByteOut {
  write(bytes: Uint8Array): void;
  /** Everything is on the disk, and was read from it to its last byte, when it resolves. */
  close(): Promise<FoundFile>;
}

/** Small writes are gathered: a call of the file system per row would cost more than the row. */
const GATHER = 512 * 1024;
/** What the disk is given at a time: at the end only the last of it is waited for. */
const FLUSH = 32 * 1024 * 1024;

/**
 * `reader` gets what the file holds, not what was written to it. It follows the writing a piece behind: the file is only
 * ever appended to, so what was read of it stays as it was read.
 */
export function openFileOut(path: string, reader: Reader, calls: FileCalls = realFiles): FileOut {
  const fd = calls.open(path);
  const gathered = Buffer.allocUnsafe(GATHER);
  let waiting = 0;
  let written = 0;
  let followed = 0;
  /** Reads on while there is as much; false: the file ends here by now. */
  const follow = (): boolean => {
    const piece = reader.room();
    const got = readSync(fd, piece, 0, piece.length, followed);
    reader.push(piece.subarray(0, got));
    followed += got;
    return got > 0;
  };
  let flushed = 0;
  let flushing: Promise<void> | null = null;
  /** A failure is told once, to whoever waits: it may not come again when all is flushed. */
  let lost: unknown = null;
  const flushBeside = () => {
    flushed = written;
    flushing = calls
      .flush(fd)
      .catch((error: unknown) => {
        lost ??= error;
      })
      .finally(() => {
        flushing = null;
      });
  };
  const put = (chunk: Uint8Array) => {
    for (let at = 0; at < chunk.length; ) at += calls.write(fd, chunk, at);
    written += chunk.length;
    if (lost !== null) throw lost;
    if (flushing === null && written - flushed >= FLUSH) flushBeside();
    while (written - followed >= PIECE && follow());
  };
  const flush = () => {
    if (waiting > 0) put(gathered.subarray(0, waiting));
    waiting = 0;
  };
  const file: Source = {
    get size() {
      return fstatSync(fd).size;
    },
    read(at, length) {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
    },
  };
  return {
    write(chunk) {
      const isLarge = chunk.length > GATHER / 2;
      // What waits was written before: it goes first, also before a chunk that is not gathered but would still fit.
      if (isLarge || waiting + chunk.length > GATHER) flush();
      if (isLarge) return put(chunk);
      gathered.set(chunk, waiting);
      waiting += chunk.length;
    },
    async close() {
      flush();
      await flushing;
      if (lost !== null) throw lost;
      calls.sync(fd);
      while (follow());
      const found = await reader.end(file);
      calls.close(fd);
      return found;
    },
  };
}
