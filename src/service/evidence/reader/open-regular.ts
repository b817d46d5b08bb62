/** The one way in which evidence is opened: regular files only, never through a link. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';

/** There is something at the path, but not a file that can be read to its end. Its message is the reason. */
export class NotRegularError extends Error {
  override readonly name = 'NotRegularError';
}

// Windows has neither flag; it opens no pipe or device by a path below a folder either.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const refuse = (isLink: boolean): never => {
  throw new NotRegularError(isLink ? 'a symbolic link, not followed' : 'not a regular file');
};

export interface RegularFile {
  /** To be closed by the caller. */
  handle: FileHandle;
  /** Bytes. */
  size: number;
  mtimeMs: number;
}

/**
 * Opens `path`, an absolute path without links, for reading. Devices and pipes are not opened at all; what takes the
 * place of the file, or of a folder above it, after that was looked at is found out by the open handle. Throws
 * NotRegularError, or what the system says.
 */
export async function openRegular(path: string): Promise<RegularFile> {
  const before = await lstat(path);
  if (!before.isFile()) refuse(before.isSymbolicLink());
  let handle: FileHandle;
  try {
    handle = await open(path, FLAGS);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP') refuse(true);
    throw error;
  }
  try {
    const info = await handle.stat();
    if (!info.isFile()) refuse(false);
    if ((await realpath(path)) !== path) refuse(true);
    return { handle, size: info.size, mtimeMs: info.mtimeMs };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The first bytes of an open file, at most `limit`. */
export async function readStart(handle: FileHandle, limit: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(limit);
  let length = 0;
  while (length < limit) {
    const { bytesRead } = await handle.read(bytes, length, limit - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
