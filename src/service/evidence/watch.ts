/** Detects changes of an evidence folder, so that it is read again automatically. */
import { type FSWatcher, watch } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Further folders are not watched; their changes are found at the next reading. */
const MAX_FOLDERS = 1_000;
/** Waits for a copy in progress to finish, but not forever. */
const QUIET_MS = 2_000;
const LATEST_MS = 30_000;

export interface Watch {
  close(): void;
}

interface WatchOptions {
  quietMs?: number;
  latestMs?: number;
  folders?: number;
}

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
 * Folders that cannot be watched are silently skipped.
 */
export async function watchEvidence(
  root: string,
  changed: () => void,
  { quietMs = QUIET_MS, latestMs = LATEST_MS, folders = MAX_FOLDERS }: WatchOptions = {},
): Promise<Watch> {
  const watchers: FSWatcher[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let latest: NodeJS.Timeout | undefined;
  let isOver = false;
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
  try {
    const path = await realpath(root);
    const places = (await stat(path)).isDirectory() ? await foldersOf(path, folders) : [path];
    for (const place of places) {
      if (isOver) break;
      try {
        const watcher = watch(place, { persistent: false }, note);
        watcher.on('error', note);
        watchers.push(watcher);
      } catch {
        // Too many watches, or a file system without notifications.
      }
    }
  } catch {
    // There is nothing to watch.
  }
  return { close };
}
