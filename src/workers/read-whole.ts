/** Tells a failing disk from a damaged file, for which SQLite reports the same error. */
import { closeSync, openSync, readSync } from 'node:fs';
import { isThere } from './exists-or-throw.ts';

const READ_BYTES = 1024 * 1024;

/** How often a file must look damaged before it is treated as damaged: SQLite reports a temporary disk failure the same way. */
export const DAMAGE_LOOKS = 3;

/** Reads the whole database and its log; throws the system's error if any byte is unreadable. */
export function readWhole(path: string): void {
  const bytes = Buffer.allocUnsafe(READ_BYTES);
  for (const suffix of ['', '-wal']) {
    if (!isThere(path + suffix)) continue;
    const file = openSync(path + suffix, 'r');
    try {
      while (readSync(file, bytes, 0, READ_BYTES, null) > 0);
    } finally {
      closeSync(file);
    }
  }
}
