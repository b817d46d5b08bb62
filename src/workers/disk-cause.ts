/**
 * Finds out why SQLite could not open or write a file. It has no error codes for an exceeded quota or for too many open
 * files: it reports an I/O error, or a file that cannot be opened.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { isThere } from './exists-or-throw.ts';

const UNEXPLAINED = /^SQLITE_(?:CANTOPEN|IOERR_(?:WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHMSIZE|SHMOPEN))/;
/** More than a page of the database, so that this write fails if that one did. */
const PROBE_BYTES = 64 * 1024;
/** Files that SQLite opens for a database, besides it: log, its index, and the folder. */
const COMPANIONS = 3;

function writeBeside(path: string): void {
  const probe = join(dirname(path), `.parapet-${randomBytes(8).toString('hex')}.probe`);
  const file = openSync(probe, 'wx', 0o600);
  const more: number[] = [];
  try {
    // Removed first, so that it never outlives the process.
    rmSync(probe, { force: true });
    for (let count = 0; count < COMPANIONS; count++) more.push(openSync(devNull, 'r'));
    writeSync(file, randomBytes(PROBE_BYTES));
    fsyncSync(file);
  } finally {
    for (const handle of [file, ...more]) closeSync(handle);
  }
}

/**
 * The system's error from opening the file at `path` and writing another one beside it, or null if both work, or
 * SQLite's own error is clear.
 */
export function diskCause(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !UNEXPLAINED.test(String(error.code))) return null;
  try {
    if (isThere(path)) closeSync(openSync(path, 'r'));
    writeBeside(path);
    return null;
  } catch (cause) {
    return cause;
  }
}
