/** Detects changes of an evidence folder, so that it is read again automatically. */
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { realPath } from '#workers/real-path.ts';

/** Further folders are not watched; their changes are found at the next reading. */
const MAX_FOLDERS = 1_000;
/** Waits for a copy in progress to finish, but not forever. */
const QUIET_MS = 2_000;
const LATEST_MS = 30_000;
/** A program that writes a file may read it again, or have it scanned, within this time. */
const READ_LATER_MS = 60_000;

export interface Watch {
  /** The system allows no more watches, so changes of some folders are not noticed. */
  isLimited: boolean;
  close(): void;
}

interface WatchOptions {
  quietMs?: number;
  latestMs?: number;
  folders?: number;
  platform?: NodeJS.Platform;
  /** The call that tests replace. */
  watchPath?: typeof watch;
}

/**
 * Whether a file was last read, and not changed. Windows also reports reads, so without this check reading the evidence
 * would cause it to be read again.
 */
export const isOnlyRead = ({ atimeMs, mtimeMs, ctimeMs }: Pick<Stats, 'atimeMs' | 'mtimeMs' | 'ctimeMs'>) =>
  atimeMs - Math.max(mtimeMs, ctimeMs) > READ_LATER_MS;

/** inotify reports ENOSPC for too many watches, and EMFILE for too many instances. */
const isLimit = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EMFILE', 'ENFILE'].includes(String(error.code));

async function foldersOf(root: string, limit: number): Promise<string[]> {
  const out: string[] = [];
  const waiting = [root];
  for (let next = waiting.shift(); next !== undefined && out.length < limit; next = waiting.shift()) {
    out.push(next);
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) waiting.push(join(next, entry.name));
  }
  return out;
}

/**
 * Calls `changed` once when something below `root`, a folder or a file, has changed and is quiet again; then it stops.
 * Folders that cannot be watched are skipped; `isLimited` says so if the reason is a limit of the system.
 */
export async function watchEvidence(
  root: string,
  changed: () => void,
  {
    quietMs = QUIET_MS,
    latestMs = LATEST_MS,
    folders = MAX_FOLDERS,
    platform = process.platform,
    watchPath = watch,
  }: WatchOptions = {},
): Promise<Watch> {
  const watchers: FSWatcher[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let latest: NodeJS.Timeout | undefined;
  let isOver = false;
  let isLimited = false;
  const close = (): void => {
    isOver = true;
    clearTimeout(quiet);
    clearTimeout(latest);
    for (const one of watchers.splice(0)) one.close();
  };
  const tell = (): void => {
    if (isOver) return;
    close();
    changed();
  };
  const note = (): void => {
    if (isOver) return;
    clearTimeout(quiet);
    quiet = setTimeout(tell, quietMs).unref();
    latest ??= setTimeout(tell, latestMs).unref();
  };
  const isWindows = platform === 'win32';
  const noteUnlessRead = async (file: string) => {
    const info = await lstat(file).catch(() => null);
    if (info === null || !isOnlyRead(info)) note();
  };
  try {
    const path = await realPath(root);
    const isFolder = (await stat(path)).isDirectory();
    // On Windows a folder cannot be renamed while one below it is watched, so only the uppermost is.
    const places = isFolder && !isWindows ? await foldersOf(path, folders) : [path];
    for (const place of places) {
      if (isOver) break;
      try {
        const watcher = watchPath(
          place,
          { persistent: false, recursive: isFolder && isWindows },
          (event, name) => {
            if (!isWindows || event !== 'change' || name === null) note();
            else void noteUnlessRead(isFolder ? join(place, name) : place);
          },
        );
        watcher.on('error', note);
        watchers.push(watcher);
      } catch (error) {
        isLimited ||= isLimit(error);
        // Any other error means a file system without notifications.
      }
    }
  } catch {
    // There is nothing to watch.
  }
  return { isLimited, close };
}
