/**
 * A part: a file being written. It lies beside its final path under a random name and is renamed when complete. It is
 * always created exclusively, so an existing file or link of that name is never touched.
 */
import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import {
  type FileHandle,
  link as hardLink,
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
import { codeOf, diskFailure, isDiskFull, withheld } from '#shared/model/disk-errors.ts';
import { patiently } from '#workers/retry-locked-file.ts';

/** Append-only: later writes cannot overwrite bytes that were written and read back. Windows has no O_NOFOLLOW. */
export const PART_FLAGS =
  constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
export const PART_MODE = 0o600;

const PART_NAME = /^\.parapet-[0-9a-f]{16}\.part$/;
export const isPart = (path: string): boolean => PART_NAME.test(basename(path));

/** An unused name in the file's folder; short, so that it never exceeds the length limit. */
export const newPart = (path: string): string =>
  join(dirname(path), `.parapet-${randomBytes(8).toString('hex')}.part`);

/**
 * Folder with a note for each part being written: a file of the same name that holds the part's path, without which a
 * part left by a crash would never be found. Null if there is no notes, as in threads and for a read-only profile.
 */
let notes: string | null = null;
const noteOf = (part: string): string | null => (notes === null ? null : join(notes, basename(part)));

async function forget(part: string): Promise<void> {
  const note = noteOf(part);
  if (note !== null) await rm(note, { force: true });
}

/**
 * Removes the parts that an earlier process of this profile left in a crash: only regular files with a part's name.
 * From now on parts are noted in the profile. Must be called by the profile's only process, before it writes any.
 * `clear` removes one, and may finish it instead.
 */
export async function removeLeftParts(
  profile: string,
  clear: (part: string) => Promise<void> = removePart,
): Promise<void> {
  const folder = join(profile, 'parts');
  notes = folder;
  const failures: unknown[] = [];
  for (const name of await readdir(folder).catch(() => []))
    try {
      const part = await readFile(join(folder, name), 'utf8');
      const info = await lstat(part).catch(() => null);
      if (basename(part) === name && isPart(name) && info?.isFile()) await clear(part);
      await rm(join(folder, name), { force: true });
    } catch (error) {
      // Its disk may be read-only now, or failing: the note stays for the next start.
      failures.push(error);
    }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}

/** Removes a leftover part, and nothing with any other name. */
export async function removePart(part: string | undefined): Promise<void> {
  if (part === undefined || !isPart(part)) return;
  await rm(part, { force: true });
  await forget(part);
}

/** Creates a part. Its note is written first, so that a crash at any moment leaves no unknown part. */
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

const hasCode = (error: unknown, ...codes: string[]): boolean => codes.includes(codeOf(error));

const isNaming = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'link' || error.syscall === 'rename');

/** A file system error in words; other errors are returned as they are. */
export function fileError(
  error: unknown,
  name: string,
  platform: NodeJS.Platform = process.platform,
): unknown {
  const fail = (
    parapet: 'disk-full' | 'permission-denied' | 'path-missing' | 'file-exists' | 'bad-file',
    message: string,
  ) => new ParapetError(parapet, message, { retryable: true, cause: error });
  if (isDiskFull(error))
    return fail(
      'disk-full',
      `There is no room for ${name}. Free some space or choose another folder. Nothing was left behind.`,
    );
  switch (codeOf(error)) {
    case 'EFBIG':
      return fail(
        'disk-full',
        `${name} is larger than a file may be on that disk (FAT32 allows 4 GiB). Choose a folder on another disk. Nothing was left behind.`,
      );
    case 'EROFS':
      // Also a disk that the system made read-only because it failed.
      return fail(
        'permission-denied',
        `${name} cannot be written, because its disk is read-only. Choose a folder on another disk.`,
      );
    case 'EACCES':
    case 'EPERM':
      // Windows reports this for a file that is open in a spreadsheet.
      if (platform === 'win32' && isNaming(error))
        return fail(
          'permission-denied',
          `${name} may be open in another program, or Parapet may not write it there. Close it there, or choose another name or folder.`,
        );
      return fail('permission-denied', `Parapet may not write ${name} there. Choose another folder.`);
    case 'ENOENT':
    case 'ENOTDIR':
      return fail('path-missing', `The folder for ${name} is no longer there. Choose another folder.`);
    case 'EISDIR':
      return fail('path-missing', `${name} is a folder. Choose another name.`);
    case 'EEXIST':
      return fail(
        'file-exists',
        `A file named ${name} appeared there in the meantime and was left as it is. Choose another name.`,
      );
  }
  // Only these two calls use the name itself.
  if (hasCode(error, 'EINVAL', 'EILSEQ', 'ENAMETOOLONG') && isNaming(error))
    return fail(
      'bad-file',
      `That disk does not accept the name ${name}. Choose a shorter one, without characters such as : or ?.`,
    );
  const refused = withheld(error);
  if (refused !== null)
    return fail(
      'bad-file',
      `${name} could not be read or written: ${refused}. Try again, or choose another name or folder.`,
    );
  const failure = diskFailure(error);
  return failure === null
    ? error
    : fail(
        'bad-file',
        `${name} could not be read or written: ${failure}. Connect the disk again, or choose another one.`,
      );
}

export const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;

/** Whether there certainly is nothing at a path. */
const isGone = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: unknown) => hasCode(error, 'ENOENT', 'ENOTDIR'),
  );

/** After a power cut the rename holds only if the folder was synced too. */
async function syncFolder(path: string, openFolder: typeof open): Promise<void> {
  // Windows cannot open a folder, so the rename alone has to do.
  const folder = await openFolder(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  // The file has its name already, so a failure here must not fail the export.
  await folder?.close().catch(() => undefined);
}

type Identity = Pick<BigIntStats, 'dev' | 'ino'> | null;

const identityOf = (path: string): Promise<Identity> => lstat(path, { bigint: true }).catch(() => null);

/** Some file systems report 0 for every file. */
const isSame = (identity: Identity, other: Identity): boolean =>
  identity !== null &&
  other !== null &&
  identity.ino !== 0n &&
  identity.dev === other.dev &&
  identity.ino === other.ino;

/** Whether two names are those of one file. */
export const isSameFile = async (first: string, other: string): Promise<boolean> =>
  isSame(await identityOf(first), await identityOf(other));

/** Renames. A network share whose response was lost may report a failure although it renamed the file. */
async function renamePart(part: string, path: string, call: typeof rename): Promise<void> {
  const identity = await identityOf(part);
  try {
    await patiently(() => call(part, path));
  } catch (error) {
    if (!isSame(identity, await identityOf(path))) throw error;
  }
}

/** The error of most file systems. */
const REFUSED_NAME = { code: 'EINVAL', syscall: 'rename' };

async function moveTo(
  part: string,
  path: string,
  replace: boolean,
  { link = hardLink, remove = rm, move = rename }: CommitCalls,
): Promise<void> {
  if (replace) {
    // Windows would report EPERM.
    const there = await lstat(path).catch(() => null);
    if (there?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    return renamePart(part, path, move);
  }
  try {
    await link(part, path).catch(async (error: unknown) => {
      // Likewise: the repeated request finds the link that the first one made.
      if (!(await isSameFile(part, path))) throw error;
    });
  } catch (error) {
    // File systems without hard links report different errors: Windows has EISDIR for FAT and exFAT.
    if (hasCode(error, 'EEXIST')) throw error;
    if (await exists(path)) throw Object.assign(new Error('the file is there'), { code: 'EEXIST' });
    return renamePart(part, path, move).catch(async (reason: unknown) => {
      // Some file systems (exFAT by FUSE) report a refused name as missing. The folder exists, as it has the part.
      const isRefused = hasCode(reason, 'ENOENT') && (await exists(part));
      throw isRefused ? Object.assign(new Error('the name is refused'), REFUSED_NAME) : reason;
    });
  }
  // The file has its final name, even if the part's name can't be removed.
  await patiently(() => remove(part, { force: true })).catch(() => undefined);
}

/** Numbered names tried before giving up. */
const NAMES = 99;

/** Marks an incomplete file, in its content and in its name. */
export const PARTIAL = 'PARTIAL';

/** Marks the file name itself as PARTIAL, so that it says so wherever the file is copied. */
export function partialName(path: string): string {
  const extension = /\.[^./\\]{1,6}\.zip$/i.exec(path)?.[0] ?? extname(path);
  return `${path.slice(0, path.length - extension.length)} ${PARTIAL}${extension}`;
}

function numberedName(path: string, turn: number): string {
  const extension = extname(path);
  return turn === 1 ? path : `${path.slice(0, path.length - extension.length)} ${turn}${extension}`;
}

/** The path that a part would get now: the first that nothing has, if it may be numbered. */
export async function namedNow(path: string, { number = false }: Naming): Promise<string> {
  let turn = 1;
  while (number && turn < NAMES && (await exists(numberedName(path, turn)))) turn++;
  return numberedName(path, turn);
}

/** How a finished part gets its name. */
export interface Naming {
  /** Replaces an existing file: the analyst agreed to it. */
  replace: boolean;
  /** Where an existing file must not be replaced: add ` 2`, ` 3` … before the extension instead of failing. */
  number?: boolean;
}

/** The calls of the file system that tests replace. */
export interface CommitCalls {
  openFolder?: typeof open;
  link?: typeof hardLink;
  remove?: typeof rm;
  move?: typeof rename;
}

/**
 * Renames a complete, synced part durably and returns the path it got. Rejects EEXIST when the name is taken and
 * neither replacing nor numbering is allowed.
 */
export async function commitPart(
  part: string,
  path: string,
  { replace, number = false }: Naming,
  calls: CommitCalls = {},
): Promise<string> {
  for (let turn = 1; ; turn++) {
    const free = numberedName(path, turn);
    try {
      await moveTo(part, free, replace, calls);
      await syncFolder(free, calls.openFolder ?? open);
      // With the note, the next start removes a part that could not be removed now.
      if (await isGone(part)) await forget(part);
      return free;
    } catch (error) {
      if (!number || turn >= NAMES || !hasCode(error, 'EEXIST')) throw error;
    }
  }
}
