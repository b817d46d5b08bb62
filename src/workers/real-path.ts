/**
 * Real paths: without links, and on Windows with the names as the disk spells them. There the system names one only on
 * disks that its mount manager knows; images mounted by OSFMount or ImDisk, encrypted containers, RAM disks and some
 * shares are not among them. On those, Node's own functions follow the links one by one.
 */
import { realpath as followLinks, realpathSync as followLinksSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

type FilePath = string | Buffer;

/** What tests replace. `system`: the system's own call. */
interface Calls<T> {
  platform?: NodeJS.Platform;
  system?: (path: FilePath) => T;
}

const bytesOf = (path: FilePath) => Buffer.from(path);
const follow = promisify(followLinks);
const isWindows = ({ platform = process.platform }: Calls<unknown>) => platform === 'win32';

async function realBytes(path: FilePath, calls: Calls<Promise<Buffer>>): Promise<Buffer> {
  const { system = (at) => realpath(at, 'buffer') } = calls;
  try {
    return await system(path);
  } catch (error) {
    if (!isWindows(calls)) throw error;
    return bytesOf(await follow(path.toString()));
  }
}

function realBytesSync(path: FilePath, calls: Calls<Buffer>): Buffer {
  const { system = (at) => followLinksSync.native(at, 'buffer') } = calls;
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
 * Whether no link is on the way. Throws the system's error. Windows may spell a path in another way though there is none: in
 * another case, or without the dot or blank at the end of a name that another system wrote.
 */
export async function isReal(path: FilePath, calls: Calls<Promise<Buffer>> = {}): Promise<boolean> {
  const own = bytesOf(path);
  if (own.equals(await realBytes(path, calls))) return true;
  return isWindows(calls) && own.equals(bytesOf(await follow(path.toString())));
}

export function isRealSync(path: FilePath, calls: Calls<Buffer> = {}): boolean {
  const own = bytesOf(path);
  if (own.equals(realBytesSync(path, calls))) return true;
  return isWindows(calls) && own.equals(bytesOf(followLinksSync(path.toString())));
}
