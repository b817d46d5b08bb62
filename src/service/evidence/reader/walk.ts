import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { NotRegularError, openRegular, readStart } from './open-regular.ts';

/** One file of an evidence folder, or a place where nothing could be read and why. */
export type WalkEntry =
  | { kind: 'mail' | 'mbox'; file: string; path: string; size: number; mtimeMs: number }
  /** A regular file that holds no mail. */
  | { kind: 'other'; file: string; path: string }
  /** What was read here or below it at an earlier time cannot be looked at now. '' is the root. */
  | { kind: 'left-out'; file: string; problem: 'not-mail' | 'unreadable'; reason: string };

const MAX_DEPTH = 64;
const SNIFF_BYTES = 1024;
const MAIL_FIELD =
  /^(?:return-path|received|delivered-to|x-[\w-]+|date|from|to|subject|message-id|mime-version|reply-to|sender|content-type|authentication-results|arc-seal|dkim-signature):/i;

/** A system error in words an analyst can act on. */
export function reasonOf(error: unknown): string {
  if (error instanceof NotRegularError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Record<string, string> = {
    ENOENT: 'it does not exist',
    EACCES: 'no permission to read it',
    EPERM: 'no permission to read it',
    EISDIR: 'it is a folder',
    ELOOP: 'its links go in a circle',
    EMFILE: 'too many files are open',
    EIO: 'the disk reports a read error',
    ENAMETOOLONG: 'its name is too long',
  };
  return words[code] ?? (code || (error instanceof Error ? error.message : 'unknown error'));
}

async function head(path: string): Promise<string> {
  const { handle } = await openRegular(path);
  try {
    return (await readStart(handle, SNIFF_BYTES)).toString('latin1');
  } finally {
    await handle.close();
  }
}

/** What a file is, by its name, else by its first line. An .eml stays one mail even with a "From " line. */
async function classify(path: string, name: string): Promise<'mail' | 'mbox' | null> {
  const lower = name.toLowerCase();
  if (lower.endsWith('.eml')) return 'mail';
  const named = /\.(?:mbox|mbx)$/.test(lower);
  // Mail stores name files without an extension, or with flags that look like one.
  const bare = !/\.[a-z][a-z0-9]{0,7}$/.test(lower) || /:2,[a-z]*$/.test(lower);
  if (!named && !bare) return null;
  const start = await head(path);
  if (start.startsWith('From ')) return 'mbox';
  if (named) return start === '' ? 'mbox' : MAIL_FIELD.test(start) ? 'mail' : null;
  return MAIL_FIELD.test(start) ? 'mail' : null;
}

async function entry(path: string, file: string, name: string): Promise<WalkEntry> {
  try {
    const info = await lstat(path);
    if (!info.isFile())
      throw new NotRegularError(
        info.isSymbolicLink() ? 'a symbolic link, not followed' : 'not a regular file',
      );
    const kind = await classify(path, name);
    if (kind === null) return { kind: 'other', file, path };
    return { kind, file, path, size: info.size, mtimeMs: info.mtimeMs };
  } catch (error) {
    const problem = error instanceof NotRegularError ? 'not-mail' : 'unreadable';
    return { kind: 'left-out', file, problem, reason: reasonOf(error) };
  }
}

async function* folder(
  path: string,
  file: string,
  depth: number,
  signal?: AbortSignal,
): AsyncGenerator<WalkEntry> {
  let names: string[];
  try {
    names = await readdir(path);
  } catch (error) {
    yield { kind: 'left-out', file, problem: 'unreadable', reason: reasonOf(error) };
    return;
  }
  // By code unit, so that the order is the same on every machine and in every locale.
  names.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const name of names) {
    signal?.throwIfAborted();
    const child = join(path, name);
    const label = file === '' ? name : `${file}/${name}`;
    let info: Awaited<ReturnType<typeof lstat>>;
    try {
      info = await lstat(child);
    } catch (error) {
      yield { kind: 'left-out', file: label, problem: 'unreadable', reason: reasonOf(error) };
      continue;
    }
    if (info.isDirectory()) {
      if (depth < MAX_DEPTH) yield* folder(child, label, depth + 1, signal);
      else yield { kind: 'left-out', file: label, problem: 'unreadable', reason: 'folders nested too deep' };
    } else yield await entry(child, label, name);
  }
}

/**
 * Lists a folder (recursively) or a single file, in a stable order. Links inside the folder are not
 * followed; a file named directly is taken whatever its name, if its first line is one of mail.
 * Throws when the path itself cannot be opened, or on abort.
 */
export async function* walkEvidence(root: string, signal?: AbortSignal): AsyncGenerator<WalkEntry> {
  const path = await realpath(root);
  const info = await stat(path);
  if (info.isDirectory()) {
    yield* folder(path, '', 0, signal);
    return;
  }
  const name = basename(path);
  const kind = (await classify(path, name)) ?? (await classify(path, 'bare'));
  if (kind === null) yield { kind: 'other', file: name, path };
  else yield { kind, file: name, path, size: info.size, mtimeMs: info.mtimeMs };
}
