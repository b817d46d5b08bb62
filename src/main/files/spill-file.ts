/**
 * A spill file: written front to back, read anywhere, encrypted with a key that never leaves the process, since the
 * exported file may be password-protected.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import { diskFailure } from '#shared/model/disk-errors.ts';
import { release } from '../kernel/release.ts';
import { fileError } from './temp-file.ts';

/** Spill files lie in the profile, on the analyst's own disk: the system's temporary folder may be in memory. */
export const spillFolder = (profile: string): string => join(profile, 'export-work');

/** The folder for spill files; one in the temporary folder if the profile cannot be written. */
export async function scratchFolder(profile: string): Promise<string> {
  const folder = spillFolder(profile);
  const isCreated = await mkdir(folder, { recursive: true, mode: 0o700 }).then(
    () => true,
    () => false,
  );
  return isCreated ? folder : mkdtemp(join(tmpdir(), 'parapet-export-'));
}

const CIPHER = 'aes-256-ctr';
const BLOCK = 16;

/** What another thread of the process needs to read a spill file. */
export interface SpillShare {
  fd: number;
  key: Uint8Array;
}

export interface Spill {
  readonly bytes: number;
  readonly share: SpillShare;
  append(bytes: Uint8Array): void;
  /** Returns a buffer of its own. */
  read(position: number, length: number): Uint8Array;
  /**
   * Front to back, in pieces whose buffers are reused: a consumer that keeps one must copy it, and must count what
   * arrived.
   */
  stream(): ReadableStream<Uint8Array>;
  close(): void;
}

const PIECE = 128 * 1024;
/** Buffers in rotation for a stream: several times what its stages hold. */
const UNDER_WAY = 48;

/** A file system error of a spill file, which is not on the disk of the exported file. */
export class SpillFailure extends Error {
  readonly code: string | null;
  /** Identifies errors that Node has no code for, such as an exceeded quota. */
  readonly errno: number | null;
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
    this.errno = cause instanceof Error && 'errno' in cause ? Number(cause.errno) : null;
  }
}

/** The failure in words that do not blame the folder of the file `name`, which needs the working files. */
export function workingError(error: unknown, name: string): unknown {
  const failure = fileError(error, name);
  if (!(failure instanceof ParapetError)) return failure;
  const why =
    failure.code === 'disk-full'
      ? 'its disk is full. Free some space there'
      : `${diskFailure(error) ?? 'it cannot be written to'}. Check that disk, and try again`;
  return new ParapetError(
    failure.code,
    `${name} needs working files in the profile folder, and ${why}. Nothing was left behind.`,
    { retryable: true, cause: error },
  );
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SpillFailure(error);
  }
}

/** Counter of any block: in CTR mode it is the block number. */
function counterAt(block: number): Buffer {
  const iv = Buffer.alloc(BLOCK);
  iv.writeBigUInt64BE(BigInt(block), 8);
  return iv;
}

/** Returns a buffer of its own. */
export function readSpill({ fd, key }: SpillShare, offset: number, length: number): Buffer {
  const first = Math.floor(offset / BLOCK);
  const start = first * BLOCK;
  const sealed = Buffer.allocUnsafe(offset + length - start);
  for (let filled = 0; filled < sealed.length; ) {
    const count = guarded(() => readSync(fd, sealed, filled, sealed.length - filled, start + filled));
    if (count === 0) throw new Error('a working file of the export is shorter than it was written');
    filled += count;
  }
  const read = createDecipheriv(CIPHER, key, counterAt(first)).update(sealed);
  release(sealed);
  return read.subarray(offset - start);
}

export function openSpill(folder: string): Spill {
  const path = join(folder, `work-${randomUUID()}`);
  const fd = guarded(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(path, 'wx+', 0o600);
  });
  // Unlinked at once, so that it disappears with the process. Windows refuses; there `close` removes it.
  try {
    rmSync(path);
  } catch {}
  const key = randomBytes(32);
  const cipher = createCipheriv(CIPHER, key, counterAt(0));
  let bytes = 0;
  let open = true;
  const share: SpillShare = { fd, key };
  const read = (position: number, length: number) => readSpill(share, position, length);
  return {
    get bytes() {
      return bytes;
    },
    share,
    append(chunk) {
      const sealed = cipher.update(chunk);
      guarded(() => {
        for (let index = 0; index < sealed.length; )
          index += writeSync(fd, sealed, index, sealed.length - index, bytes + index);
      });
      bytes += sealed.length;
      release(sealed);
    },
    read,
    stream() {
      let position = 0;
      const buffers: Uint8Array[] = [];
      return new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const length = Math.min(PIECE, bytes - position);
            if (length <= 0) return controller.close();
            const piece = read(position, length);
            buffers.push(piece);
            const oldest = buffers.length > UNDER_WAY ? buffers.shift() : undefined;
            if (oldest !== undefined) release(oldest);
            controller.enqueue(piece);
            position += length;
          },
        },
        { highWaterMark: 1 },
      );
    },
    close() {
      if (!open) return;
      open = false;
      guarded(() => {
        closeSync(fd);
        rmSync(path, { force: true });
      });
    },
  };
}
