/** Whether a disk still gives a database: SQLite says of a failing disk what it says of a damaged file. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const READ_BYTES = 1024 * 1024;

/** Throws the system's error when some byte of the database or its log cannot be read. */
export function readWhole(path: string): void {
  const bytes = Buffer.allocUnsafe(READ_BYTES);
  for (const suffix of ['', '-wal']) {
    if (!existsSync(path + suffix)) continue;
    const file = openSync(path + suffix, 'r');
    try {
      while (readSync(file, bytes, 0, READ_BYTES, null) > 0);
    } finally {
      closeSync(file);
    }
  }
}
