/** The only way to open evidence: regular files, never through a link. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { codeOf } from '#shared/model/disk-errors.ts';
import { isReal, isRealSync } from '#workers/real-path.ts';
import { type ByteSource, bytesAt, requireBytes } from './bytes.ts';
import type { FilePath } from './paths.ts';

/** Something exists at the path, but not a regular file. The message gives the reason. */
export class NotRegularError extends Error {
  override readonly name = 'NotRegularError';
}

// Windows has neither flag, nor pipes or devices at a path below a folder.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const refuse = (isLink: boolean): never => {
  throw new NotRegularError(isLink ? 'a symbolic link, not followed' : 'not a regular file');
};

export interface RegularFile {
  /** Must be closed by the caller. */
  handle: FileHandle;
  /** Bytes. */
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

/**
 * Opens `path`, an absolute path without links, for reading. Devices and pipes are not opened at all; if the file or a
 * folder above it is replaced after the check, the open handle reveals it. Throws NotRegularError or the system's
 * error.
 */
export async function openRegular(path: FilePath): Promise<RegularFile> {
  const before = await lstat(path);
  if (!before.isFile()) refuse(before.isSymbolicLink());
  let handle: FileHandle;
  try {
    handle = await open(path, FLAGS);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') refuse(true);
    throw error;
  }
  try {
    const info = await handle.stat();
    if (!info.isFile()) refuse(false);
    if (!(await isReal(path))) refuse(true);
    return { handle, size: info.size, mtimeMs: info.mtimeMs, ctimeMs: info.ctimeMs };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * `openRegular` and `use` synchronously: a file of a few kilobytes takes a tenth of the time of asynchronous steps. For
 * small files only, since it blocks the thread.
 */
export function withRegular<T>(path: FilePath, use: (fd: number, size: number) => T): T {
  const before = lstatSync(path);
  if (!before.isFile()) refuse(before.isSymbolicLink());
  let fd: number;
  try {
    fd = openSync(path, FLAGS);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') refuse(true);
    throw error;
  }
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) refuse(false);
    if (!isRealSync(path)) refuse(true);
    return use(fd, info.size);
  } finally {
    closeSync(fd);
  }
}

/** `readStart` for a file of this size, opened by `withRegular`. Throws if it got shorter. */
export function startOf(fd: number, limit: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(limit);
  let length = 0;
  for (let count = -1; count !== 0 && length < limit; length += count)
    count = readSync(fd, bytes, length, limit - length, length);
  requireBytes(length, limit, 0, size);
  return bytes.subarray(0, length);
}

/** The first bytes of an open file, at most `limit`. */
export const readStart = (handle: ByteSource, limit: number): Promise<Buffer> => bytesAt(handle, 0, limit);
