/** A file in the making: written beside its final name as `.part`, renamed when whole, removed when not. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';

export interface Target {
  write(bytes: Uint8Array): Promise<void>;
  readonly bytes: number;
  /** Flushes, gives the file its name, answers the SHA-256 of its bytes in hex. */
  finish(): Promise<string>;
  /** Removes what was written. Does nothing after `finish`. */
  discard(): Promise<void>;
}

const busy = new Set<string>();

export const partOf = (path: string): string => `${path}.part`;

/** What the file system said, in words; other errors pass through. */
export function fileError(error: unknown, name: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const tell = (parapet: 'disk-full' | 'permission-denied' | 'path-missing', message: string) =>
    new ParapetError(parapet, message, { retryable: true, cause: error });
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return tell(
        'disk-full',
        `There is no room for ${name}. Free some space or choose another folder. Nothing was left behind.`,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return tell('permission-denied', `Parapet may not write ${name} there. Choose another folder.`);
    case 'ENOENT':
    case 'ENOTDIR':
      return tell('path-missing', `The folder for ${name} is no longer there. Choose another folder.`);
    case 'EISDIR':
      return tell('path-missing', `${name} is a folder. Choose another name.`);
    default:
      return error;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder; there the rename is as durable as it gets.
  const folder = await open(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** Opens `<path>.part`. Rejects ParapetError for what the file system refuses, and for a file in the making already. */
export async function openTarget(path: string): Promise<Target> {
  const name = basename(path);
  const part = partOf(path);
  if (busy.has(path)) throw new ParapetError('file-exists', `${name} is being written by another export.`);
  busy.add(path);
  let handle: FileHandle | null = null;
  let bytes = 0;
  let ended = false;
  const hash = createHash('sha256');
  const close = async () => {
    const open = handle;
    handle = null;
    await open?.close();
  };
  try {
    // A folder under that name would only show when the work is done.
    const there = await stat(path).catch(() => null);
    if (there?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    handle = await open(part, 'w', 0o600);
  } catch (error) {
    busy.delete(path);
    throw fileError(error, name);
  }
  return {
    get bytes() {
      return bytes;
    },
    async write(chunk) {
      if (handle === null) throw new ParapetError('internal', `${name} is closed.`);
      hash.update(chunk);
      try {
        for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
      } catch (error) {
        throw fileError(error, name);
      }
      bytes += chunk.length;
    },
    async finish() {
      try {
        await handle?.sync();
        await close();
        await rename(part, path);
      } catch (error) {
        throw fileError(error, name);
      }
      ended = true;
      busy.delete(path);
      await syncFolder(path);
      return hash.digest('hex');
    },
    async discard() {
      if (ended) return;
      ended = true;
      await close().catch(() => undefined);
      await rm(part, { force: true }).catch(() => undefined);
      busy.delete(path);
    },
  };
}

/** Writes a small file the same way. */
export async function writeFileWhole(path: string, bytes: Uint8Array): Promise<string> {
  const target = await openTarget(path);
  try {
    await target.write(bytes);
    return await target.finish();
  } finally {
    await target.discard();
  }
}
