/** The file of an export in the making: bytes from front to back, counted and hashed. Runs in the writer thread. */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** The calls of the file system that can fail while a file is written; tests put failing ones in their place. */
export interface FileCalls {
  open(path: string): number;
  write(fd: number, bytes: Uint8Array, at: number): number;
  sync(fd: number): void;
  close(fd: number): void;
}

export const realFiles: FileCalls = {
  open: (path) => openSync(path, 'w', 0o600),
  write: (fd, bytes, at) => writeSync(fd, bytes, at, bytes.length - at),
  sync: fsyncSync,
  close: closeSync,
};

export interface Digest {
  bytes: number;
  /** Hex. */
  sha256: string;
}

export interface ByteOut {
  write(bytes: Uint8Array): void | Promise<void>;
}

export interface FileOut extends ByteOut {
  write(bytes: Uint8Array): void;
  /** Everything is on the disk when it returns. */
  close(): Digest;
}

/** Small writes are gathered: a call of the file system per row would cost more than the row. */
const GATHER = 512 * 1024;

export function openFileOut(path: string, calls: FileCalls = realFiles): FileOut {
  const fd = calls.open(path);
  const hash = createHash('sha256');
  const gathered = Buffer.allocUnsafe(GATHER);
  let waiting = 0;
  let bytes = 0;
  const put = (chunk: Uint8Array) => {
    hash.update(chunk);
    for (let at = 0; at < chunk.length; ) at += calls.write(fd, chunk, at);
    bytes += chunk.length;
  };
  const flush = () => {
    if (waiting > 0) put(gathered.subarray(0, waiting));
    waiting = 0;
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
    close() {
      flush();
      calls.sync(fd);
      calls.close(fd);
      return { bytes, sha256: hash.digest('hex') };
    },
  };
}

/** Bytes on their way somewhere else, counted and hashed. */
export function hashing(next: ByteOut): ByteOut & { digest(): Digest } {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    write(chunk) {
      hash.update(chunk);
      bytes += chunk.length;
      return next.write(chunk);
    },
    digest: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}
