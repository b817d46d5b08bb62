/** Detects changes of an evidence folder, so that it is read again automatically. */
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Unwatched, WATCHED_FOLDERS } from '#shared/embedded.ts';
import { codeOf } from '#shared/model/disk-errors.ts';
import { realPath } from '#workers/real-path.ts';

/** Further folders are not watched; their changes are found at the next reading. */
const MAX_FOLDERS = WATCHED_FOLDERS;
/** Waits for a copy in progress to finish, but not forever. */
const QUIET_MS = 2_000;
const LATEST_MS = 30_000;
/** A program that writes a file may read it again, or have it scanned, within this time. */
const READ_LATER_MS = 60_000;

export interface Watch {
  /** Why changes of some folders are not noticed: the system allows no more watches, or there are too many folders. */
  limit: Unwatched | null;
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
const isLimit = (error: unknown): boolean => ['ENOSPC', 'EMFILE', 'ENFILE'].includes(codeOf(error));

/** The uppermost folders, and why others are missing. */
async function foldersOf(
  root: string,
  most: number,
): Promise<{ folders: string[]; limit: Unwatched | null }> {
  const folders: string[] = [];
  const waiting = [root];
  let limit: Unwatched | null = null;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (folders.length === most) return { folders, limit: limit ?? 'folders' };
    folders.push(next);
    const entries = await readdir(next, { withFileTypes: true }).catch((error: unknown) => {
      if (isLimit(error)) limit = 'system';
      return [];
    });
    for (const entry of entries) if (entry.isDirectory()) waiting.push(join(next, entry.name));
  }
  return { folders, limit };
}

/**
 * Calls `changed` once when something below `root`, a folder or a file, has changed and is quiet again; then it stops.
 * Folders that cannot be watched are skipped; `limit` says so if the reason is a limit.
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
  let limit: Unwatched | null = null;
  const close = (): void => {
    isOver = true;
    clearTimeout(quiet);
    clearTimeout(latest);
    for (const watcher of watchers.splice(0)) watcher.close();
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
    const result = isFolder && !isWindows ? await foldersOf(path, folders) : { folders: [path], limit };
    limit = result.limit;
    for (const place of result.folders) {
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
        if (isLimit(error)) limit = 'system';
        // Any other error means a file system without notifications.
      }
    }
  } catch {
    // There is nothing to watch.
  }
  return { limit, close };
}
