/** Small files of the profile. Those that must survive a power cut are written under a temporary name, flushed, then renamed. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '#shared/model/disk-errors.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import { patientlySync } from '#workers/retry-locked-file.ts';

/** Errors of file systems (shared folders of virtual machines, FUSE) on which a folder cannot be flushed. */
const UNFLUSHABLE = ['EINVAL', 'EBADF', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR'];

const SMALL = 1024 * 1024;

/**
 * The text of a small file. Throws for what is not a file, such as a pipe or a device, whose reading might never end, for
 * one larger than 1 MB, and for text that is not UTF-8.
 */
export function readSmall(path: string): string {
  const handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = fstatSync(handle);
    if (!info.isFile()) throw new Error(`${path} is not a file`);
    if (info.size > SMALL) throw new Error(`${path} is larger than 1 MB`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(handle));
  } finally {
    closeSync(handle);
  }
}

/** A new name survives once its folder is flushed, where that is possible; Windows flushes names with the file. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!UNFLUSHABLE.includes(codeOf(error))) throw error;
  } finally {
    closeSync(handle);
  }
}

export function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Links `from` to `to` unless that exists. Throws EEXIST. */
function linkInto(from: string, to: string): void {
  try {
    linkSync(from, to);
    patientlySync(() => rmSync(from));
  } catch (error) {
    // Without hard links there is a gap between check and rename, in which the profile's lock keeps others out.
    if (codeOf(error) === 'EEXIST') throw error;
    if (isThere(to)) throw Object.assign(new Error(`${to} already exists`), { code: 'EEXIST' });
    patientlySync(() => renameSync(from, to));
  }
}

/**
 * Writes a file readable by its owner only; afterwards either the old content or the new one is there, never a part.
 * `onlyNew` throws EEXIST, changing nothing, if the file exists.
 */
export function writeDurable(path: string, content: string, { onlyNew = false } = {}): void {
  const fresh = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  try {
    const file = openSync(fresh, 'wx', 0o600);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (onlyNew) linkInto(fresh, path);
    else patientlySync(() => renameSync(fresh, path));
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Removes a file durably. */
export function removeDurable(path: string): void {
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}
