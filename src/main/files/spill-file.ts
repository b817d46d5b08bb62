/**
 * A working file of an export: written from front to back, read anywhere. Its bytes are encrypted with a key that
 * never leaves the process, since the file that comes of it may be one with a password.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { release } from '../kernel/release.ts';

/** Working files lie with the profile: its disk is the analyst's own, a temporary folder may be memory. */
export const scratchOf = (profile: string): string => join(profile, 'export-work');

const CIPHER = 'aes-256-ctr';
const BLOCK = 16;

/** What another thread needs to read a working file; it never leaves the process. */
export interface SpillShare {
  fd: number;
  key: Uint8Array;
}

export interface Spill {
  readonly bytes: number;
  readonly share: SpillShare;
  append(bytes: Uint8Array): void;
  /** Bytes of the caller's own. */
  read(at: number, length: number): Uint8Array;
  /** From front to back, in pieces that are good for a while: whoever keeps one must copy it, and count what arrived. */
  stream(): ReadableStream<Uint8Array>;
  close(): void;
}

const PIECE = 128 * 1024;
/** Pieces of a stream that may still be on their way through it: several times what its stages hold. */
const UNDER_WAY = 48;

/** What the file system refused of a working file, which lies elsewhere than the file that is exported. */
export class SpillFailure extends Error {
  readonly code: string | null;
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SpillFailure(error);
  }
}

/** CTR runs on from any block: the counter is the block's number. */
function counterAt(block: number): Buffer {
  const iv = Buffer.alloc(BLOCK);
  iv.writeBigUInt64BE(BigInt(block), 8);
  return iv;
}

/** Bytes of the caller's own. */
export function readSpill({ fd, key }: SpillShare, at: number, length: number): Buffer {
  const first = Math.floor(at / BLOCK);
  const start = first * BLOCK;
  const sealed = Buffer.allocUnsafe(at + length - start);
  for (let got = 0; got < sealed.length; ) {
    const count = readSync(fd, sealed, got, sealed.length - got, start + got);
    if (count === 0) throw new Error('a working file of the export is shorter than it was written');
    got += count;
  }
  const read = createDecipheriv(CIPHER, key, counterAt(first)).update(sealed);
  release(sealed);
  return read.subarray(at - start);
}

export function openSpill(folder: string): Spill {
  const path = join(folder, `work-${randomUUID()}`);
  const fd = guarded(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, 'wx+', 0o600);
  });
  // A file without a name is gone with the process, however that ends. Windows refuses: it goes with `close`.
  try {
    rmSync(path);
  } catch {}
  const key = randomBytes(32);
  const cipher = createCipheriv(CIPHER, key, counterAt(0));
  let bytes = 0;
  let open = true;
  const share: SpillShare = { fd, key };
  const read = (at: number, length: number) => readSpill(share, at, length);
  return {
    get bytes() {
      return bytes;
    },
    share,
    append(chunk) {
      const sealed = cipher.update(chunk);
      guarded(() => {
        for (let at = 0; at < sealed.length; )
          at += writeSync(fd, sealed, at, sealed.length - at, bytes + at);
      });
      bytes += sealed.length;
      release(sealed);
    },
    read,
    stream() {
      let at = 0;
      const given: Uint8Array[] = [];
      return new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const length = Math.min(PIECE, bytes - at);
            if (length <= 0) return controller.close();
            const piece = read(at, length);
            given.push(piece);
            if (given.length > UNDER_WAY) release(given.shift()!);
            controller.enqueue(piece);
            at += length;
          },
        },
        { highWaterMark: 1 },
      );
    },
    close() {
      if (!open) return;
      open = false;
      closeSync(fd);
      rmSync(path, { force: true });
    },
  };
}
