/**
 * A file in the making: it lies beside its final name under a random one that nobody else has, and is renamed when it
 * is whole. It is created, never opened: a file or a link that lies there is left as it is.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';

/** Appending: what was written and read back cannot be written over by what follows. Windows knows no O_NOFOLLOW. */
export const PART_FLAGS =
  constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
export const PART_MODE = 0o600;

const PART_NAME = /^\.parapet-[0-9a-f]{16}\.part$/;
export const isPart = (path: string): boolean => PART_NAME.test(basename(path));

/** A name that is free, in the folder of the file; short, so that any file's name leaves room for it. */
export const newPart = (path: string): string =>
  join(dirname(path), `.parapet-${randomBytes(8).toString('hex')}.part`);

/**
 * Where parts are noted while they are in the making, each in a file of its name that holds its path: a kill leaves
 * parts in folders that nobody looks into again. null: nowhere, as in the threads and where no profile is written to.
 */
let notes: string | null = null;
const noteOf = (part: string): string | null => (notes === null ? null : join(notes, basename(part)));

async function forget(part: string): Promise<void> {
  const note = noteOf(part);
  if (note !== null) await rm(note, { force: true });
}

/**
 * Removes the parts that a Parapet of this profile left when it died: regular files under a part's name alone. From
 * now on parts are noted in the profile. To be called by the profile's only process, before it writes any. `clear`: what
 * removes one, and may finish it.
 */
export async function removeLeftParts(
  profile: string,
  clear: (part: string) => Promise<void> = removePart,
): Promise<void> {
  const folder = join(profile, 'parts');
  for (const name of await readdir(folder).catch(() => [])) {
    const part = await readFile(join(folder, name), 'utf8');
    const info = await lstat(part).catch(() => null);
    if (basename(part) === name && isPart(name) && info?.isFile()) await clear(part);
    await rm(join(folder, name), { force: true });
  }
  notes = folder;
}

/** Removes what a Parapet that died left behind, and nothing that is not named so. */
export async function removePart(part: string | undefined): Promise<void> {
  if (part === undefined || !isPart(part)) return;
  await rm(part, { force: true });
  await forget(part);
}

/** Creates a part. It is noted first, so that no moment is left at which a kill leaves one that nobody knows of. */
export async function openPart(part: string): Promise<FileHandle> {
  const note = noteOf(part);
  if (note !== null) {
    await mkdir(dirname(note), { recursive: true, mode: 0o700 });
    await writeFile(note, part, { mode: PART_MODE });
  }
  try {
    return await open(part, PART_FLAGS, PART_MODE);
  } catch (error) {
    await forget(part);
    throw error;
  }
}

/** What the file system said, in words; other errors pass through. */
export function fileError(error: unknown, name: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const tell = (
    parapet: 'disk-full' | 'permission-denied' | 'path-missing' | 'file-exists',
    message: string,
  ) => new ParapetError(parapet, message, { retryable: true, cause: error });
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
    case 'EEXIST':
      return tell(
        'file-exists',
        `A file named ${name} appeared there meanwhile and was left as it is. Choose another name.`,
      );
    default:
      return error;
  }
}

export const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** The rename itself survives a power cut only when the folder is on the disk too. */
async function syncFolder(path: string, openFolder: typeof open): Promise<void> {
  // Windows cannot open a folder; there the rename is as durable as it gets.
  const folder = await openFolder(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

async function moveTo(part: string, path: string, replace: boolean): Promise<void> {
  if (replace) return rename(part, path);
  try {
    await link(part, path);
  } catch (error) {
    // File systems without hard links.
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error;
    if (await exists(path)) throw Object.assign(new Error('the file is there'), { code: 'EEXIST' });
    return rename(part, path);
  }
  await rm(part, { force: true });
}

/** Names tried for a file that has to have another one than was asked for. */
const NAMES = 99;

/** How a finished part gets its name. */
export interface Naming {
  /** A file of that name is replaced: the analyst agreed to it. */
  replace: boolean;
  /** Where a file of that name is not to be replaced: ` 2`, ` 3` … before the extension, instead of failing. */
  number?: boolean;
}

/**
 * Gives a whole, synced file its name, durably; answers the path it has. Rejects EEXIST where another file has the name
 * and neither replacing nor numbering is allowed. `openFolder`: tests watch that the folder is synced.
 */
export async function settlePart(
  part: string,
  path: string,
  { replace, number = false }: Naming,
  openFolder: typeof open = open,
): Promise<string> {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  for (let turn = 1; ; turn++) {
    const free = turn === 1 ? path : `${stem} ${turn}${extension}`;
    try {
      await moveTo(part, free, replace);
      await syncFolder(free, openFolder);
      await forget(part);
      return free;
    } catch (error) {
      if (!number || turn >= NAMES || !hasCode(error, 'EEXIST')) throw error;
    }
  }
}
