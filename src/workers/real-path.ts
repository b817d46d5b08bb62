/**
 * Real paths: without links, and on Windows with names spelled as on the disk. Windows resolves them only on disks that
 * its mount manager knows, which excludes images mounted by OSFMount or ImDisk, encrypted containers, RAM disks and some
 * shares. There, Node's own implementation follows the links one by one.
 */
import { realpath as followLinks, realpathSync as followLinksSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

type FilePath = string | Buffer;

/** For tests. `system` is the operating system's call. */
interface Calls<T> {
  platform?: NodeJS.Platform;
  system?: (path: FilePath) => T;
}

const bytesOf = (path: FilePath) => Buffer.from(path);
const follow = promisify(followLinks);
const isWindows = ({ platform = process.platform }: Calls<unknown>) => platform === 'win32';

async function realBytes(path: FilePath, calls: Calls<Promise<Buffer>>): Promise<Buffer> {
  const { system = (path) => realpath(path, 'buffer') } = calls;
  try {
    return await system(path);
  } catch (error) {
    if (!isWindows(calls)) throw error;
    return bytesOf(await follow(path.toString()));
  }
}

function realBytesSync(path: FilePath, calls: Calls<Buffer>): Buffer {
  const { system = (path) => followLinksSync.native(path, 'buffer') } = calls;
  try {
    return system(path);
  } catch (error) {
    if (!isWindows(calls)) throw error;
    return bytesOf(followLinksSync(path.toString()));
  }
}

export const realPath = async (path: string, calls: Calls<Promise<Buffer>> = {}): Promise<string> =>
  (await realBytes(path, calls)).toString();

/**
 * Whether the path contains no link. Throws the system's error. Windows may spell a path without links differently: in
 * another case, or without a trailing dot or space in a name that another system wrote.
 */
export async function isReal(path: FilePath, calls: Calls<Promise<Buffer>> = {}): Promise<boolean> {
  const bytes = bytesOf(path);
  if (bytes.equals(await realBytes(path, calls))) return true;
  return isWindows(calls) && bytes.equals(bytesOf(await follow(path.toString())));
}

export function isRealSync(path: FilePath, calls: Calls<Buffer> = {}): boolean {
  const bytes = bytesOf(path);
  if (bytes.equals(realBytesSync(path, calls))) return true;
  return isWindows(calls) && bytes.equals(bytesOf(followLinksSync(path.toString())));
}
