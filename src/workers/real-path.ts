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

async function realBytes(path: FilePath, calls: Calls<Promise<Buffer>>): Promise<Buffer> {
  const { platform = process.platform, system = (at) => realpath(at, 'buffer') } = calls;
  try {
    return await system(path);
  } catch (error) {
    if (platform !== 'win32') throw error;
    return bytesOf(await follow(path.toString()));
  }
}

function realBytesSync(path: FilePath, calls: Calls<Buffer>): Buffer {
  const { platform = process.platform, system = (at) => followLinksSync.native(at, 'buffer') } = calls;
  try {
    return system(path);
  } catch (error) {
    if (platform !== 'win32') throw error;
    return bytesOf(followLinksSync(path.toString()));
  }
}

export const realPath = async (path: string, calls: Calls<Promise<Buffer>> = {}): Promise<string> =>
  (await realBytes(path, calls)).toString();

/** Whether no link is on the way. Throws the system's error. */
export const isReal = async (path: FilePath, calls: Calls<Promise<Buffer>> = {}): Promise<boolean> =>
  bytesOf(path).equals(await realBytes(path, calls));

export const isRealSync = (path: FilePath, calls: Calls<Buffer> = {}): boolean =>
  bytesOf(path).equals(realBytesSync(path, calls));
