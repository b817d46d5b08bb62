import { lstatSync, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { realPath } from '#workers/real-path.ts';
import { NotRegularError, startOf, withRegular } from '../formats/files/open-regular.ts';
import { type FilePath, labelOf, pathOf } from '../formats/files/paths.ts';
import { reasonOf } from '../formats/files/reason.ts';
import { Turns } from '../formats/files/turns.ts';
import { partsIn } from '../formats/mail/apple-mail.ts';
import { kindOf, type MailKind, type Role, SNIFF_BYTES, unopened } from '../formats/mailboxes/kinds.ts';
import { isQueueBody } from '../formats/mailboxes/queue-files.ts';

/**
 * Resolution of modification times on the coarsest file systems (FAT, exFAT), with a margin for clocks that differ a
 * little.
 */
const COARSE_MS = 4_000;

/**
 * Whether a later write is certain to change the file's times. A recent time in whole seconds is not enough: FAT counts in
 * steps of two seconds, so a file written twice within one step looks unchanged.
 */
export function isSettled({ mtimeMs, ctimeMs }: Pick<Stats, 'mtimeMs' | 'ctimeMs'>, now: number): boolean {
  const latest = Math.max(mtimeMs, ctimeMs);
  return latest % 1_000 !== 0 || Math.abs(now - latest) > COARSE_MS;
}

/** A file as listed; `file` is its label. One that changed in size, times or inode is read again. */
export interface ListedFile {
  file: string;
  path: FilePath;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  /** If false, the file may change without a change of size, times or inode, so it is read again the next time. */
  isSettled: boolean;
}

export interface MailFile extends ListedFile {
  kind: MailKind;
}

/** A file with mail that was read in full as it is now. */
export interface KnownFile extends ListedFile {
  kind: 'known';
}

/** A file of an evidence folder, or a location that could not be read, with the reason. */
export type WalkEntry =
  | MailFile
  | KnownFile
  /** A regular file without mail. `reason` is why, if it is in a mail folder, or may contain mail (`isUnread`). */
  | { kind: 'other'; file: string; path: FilePath; size: number; reason?: string; isUnread?: true }
  /** A folder where another disk or share begins. '' is the root. */
  | { kind: 'mount'; file: string }
  /** Mail read here or below earlier cannot be checked now. '' is the root. */
  | { kind: 'left-out'; file: string; problem: 'not-mail' | 'unreadable'; reason: string };

const MAILDIR_PARTS = new Map<string, Role>([
  ['cur', 'messages'],
  ['new', 'messages'],
  ['tmp', 'unfinished'],
]);
const MAX_DEPTH = 64;

const start = (path: FilePath): string =>
  withRegular(path, (fd, size) => startOf(fd, SNIFF_BYTES, size)).toString('latin1');

const classify = (path: FilePath, name: string, role: Role): Promise<MailKind | null> =>
  kindOf(name, role, async () => start(path));

const listed = (file: string, path: FilePath, info: Stats): ListedFile => ({
  file,
  path,
  size: info.size,
  mtimeMs: info.mtimeMs,
  ctimeMs: info.ctimeMs,
  ino: info.ino,
  isSettled: isSettled(info, Date.now()),
});

/** A file that is not mail, with the reason if it may contain mail. */
function other(file: string, path: FilePath, size: number): Extract<WalkEntry, { kind: 'other' }> {
  const unread = unopened(file, start(path));
  return { kind: 'other', file, path, size, ...(unread === null ? {} : { reason: unread, isUnread: true }) };
}

async function entry(item: ListedFile, info: Stats, role: Role): Promise<WalkEntry> {
  const { file, path, size } = item;
  try {
    if (!info.isFile())
      throw new NotRegularError(
        info.isSymbolicLink() ? 'a symbolic link, not followed' : 'not a regular file',
      );
    if (role === 'unfinished')
      return { kind: 'other', file, path, size, reason: 'an unfinished delivery (tmp of a Maildir)' };
    const kind = await classify(path, basename(file), role);
    if (kind !== null) return { kind, ...item };
    const entry = other(file, path, size);
    if (entry.isUnread === true) return entry;
    // Programs skip names that begin with a dot, which are not mail by the rules of Maildir.
    const isStray = role === 'messages' && !basename(file).startsWith('.');
    const reason = 'in a Maildir, but it does not begin with a mail header';
    return isStray ? { ...entry, reason } : entry;
  } catch (error) {
    const problem = error instanceof NotRegularError ? 'not-mail' : 'unreadable';
    return { kind: 'left-out', file, problem, reason: reasonOf(error) };
  }
}

interface Walk {
  root: string;
  turns: Turns;
  isKnown(file: ListedFile): boolean | Promise<boolean>;
  signal: AbortSignal | undefined;
}

async function* folder(
  walk: Walk,
  file: string,
  depth: number,
  role: Role,
  device: number,
): AsyncGenerator<WalkEntry> {
  const { root, turns, signal } = walk;
  let names: string[];
  try {
    names = (await readdir(pathOf(root, file), { encoding: 'buffer' })).map(labelOf);
  } catch (error) {
    yield { kind: 'left-out', file, problem: 'unreadable', reason: reasonOf(error) };
    return;
  }
  // By code unit, so that the order is the same on every machine and in every locale.
  names.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const isMaildir = names.includes('cur') && names.includes('new');
  const isPart = partsIn(root, file, names);
  for (const name of names) {
    await turns.give();
    signal?.throwIfAborted();
    const label = file === '' ? name : `${file}/${name}`;
    const child = pathOf(root, label);
    let info: Stats;
    try {
      info = lstatSync(child);
    } catch (error) {
      yield { kind: 'left-out', file: label, problem: 'unreadable', reason: reasonOf(error) };
      continue;
    }
    const item = listed(label, child, info);
    // A file that was read in full is not opened: with a cold disk, opening each of 100 000 would take minutes.
    if (info.isFile() && role !== 'unfinished' && (await walk.isKnown(item)))
      yield { kind: 'known', ...item };
    else if (!info.isDirectory()) {
      const node = await entry(item, info, role);
      if (node.kind !== 'other' || (!isPart(name) && !isQueueBody(name, names))) yield node;
    } else if (depth >= MAX_DEPTH)
      yield { kind: 'left-out', file: label, problem: 'unreadable', reason: 'folders nested too deep' };
    else {
      if (info.dev !== device) yield { kind: 'mount', file: label };
      const part = isMaildir ? (MAILDIR_PARTS.get(name) ?? null) : null;
      yield* folder(walk, label, depth + 1, part, info.dev);
    }
  }
}

/**
 * Lists a folder (recursively) or a single file in a stable order. Links inside the folder are not followed; a file
 * given directly is accepted under any name if its first line looks like mail. Throws when the path itself cannot be
 * opened, and on abort. `isKnown` says whether a file was read in full as it is now.
 */
export async function* walkEvidence(
  root: string,
  isKnown: Walk['isKnown'] = () => false,
  signal?: AbortSignal,
): AsyncGenerator<WalkEntry> {
  const path = await realPath(root);
  const info = await stat(path);
  if (info.isDirectory()) {
    const above = await stat(dirname(path)).catch(() => info);
    if (above.dev !== info.dev) yield { kind: 'mount', file: '' };
    yield* folder({ root: path, turns: new Turns(), isKnown, signal }, '', 0, null, info.dev);
    return;
  }
  const name = basename(path);
  const item = listed(name, path, info);
  if (await isKnown(item)) {
    yield { kind: 'known', ...item };
    return;
  }
  const kind = (await classify(path, name, null)) ?? (await classify(path, 'bare', null));
  if (kind !== null) yield { kind, ...item };
  else yield other(name, path, info.size);
}
