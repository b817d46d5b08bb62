/**
 * One SQLite file: opening it with key and pragmas, and inspecting it without changes. Synchronous; for worker threads
 * and tests.
 */
import { chmodSync, closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { codeOf } from '#shared/model/disk-errors.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import type { Migration } from '#workers/migrations.ts';
import { patientlySync } from '#workers/retry-locked-file.ts';
import { syncFolder } from './durable.ts';
import { isDamage, StoreFailure } from './errors.ts';

export type DatabaseKind = 'cache' | 'workspace';

export interface OpenSpec {
  kind: DatabaseKind;
  path: string;
  /** 32 bytes as hex, or null if unencrypted (tests only). */
  key: string | null;
  /** Epoch milliseconds, used in the names of files that are set aside. */
  now: number;
  /** The key is known to be the file's, so a file that does not open is damaged; otherwise the key may be wrong. */
  keyFits?: boolean;
  /** The file existed before, so its absence means lost data. */
  expected?: boolean;
  /** An open cache reported damage. A failing disk reports the same, so the file is examined first. */
  suspect?: boolean;
  /** For tests; default: those of the kind. */
  migrations?: readonly Migration[];
}

/** Suffixes of the files SQLite keeps beside a database. */
export const COMPANIONS = ['-wal', '-shm', '-journal'];

/** FAT, exFAT and some shares keep no permissions, and refuse to change them even to the owner of the file. */
function isWithoutModes(error: unknown, path: string): boolean {
  const isRefused = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error));
  return isRefused && statSync(path).uid === process.getuid?.();
}

/**
 * Creates the file if necessary, accessible to its owner only where its disk keeps permissions (`keepsModes`); SQLite
 * gives its companions the same mode.
 */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  // On Windows files inherit the permissions of their folder.
  if (process.platform === 'win32') return;
  for (const suffix of ['', ...COMPANIONS])
    if (isThere(path + suffix) && (statSync(path + suffix).mode & 0o077) !== 0)
      try {
        chmodSync(path + suffix, 0o600);
      } catch (error) {
        if (!isWithoutModes(error, path + suffix)) throw error;
      }
}

/**
 * `isDamaged` also reads what is left of a truncated file. Throws SQLite's errors: SQLITE_NOTADB for a wrong key as
 * well as for a file that is not a database.
 */
export function connect(
  spec: Pick<OpenSpec, 'path' | 'key'>,
  readonly: boolean,
  cacheKib: number,
  isDamaged = false,
): Sqlite.Database {
  const db = new Sqlite(spec.path, { readonly, fileMustExist: readonly, timeout: 10_000 });
  try {
    if (spec.key !== null) {
      if (!/^[0-9a-f]{64}$/.test(spec.key)) throw new TypeError('a database key is 32 bytes in hex');
      // AEGIS-256 authenticates every page and costs 1.05x on insert and nothing on a scan where the processor has
      // AES; chacha20 and sqlcipher measured 1.8x on insert and 4x on a scan (2 cores, 40 000 rows).
      db.pragma(`cipher='aegis'`);
      db.pragma(`key='raw:${spec.key}'`);
    }
    // Otherwise SQLite reads nothing at all of a file that is shorter than its header says.
    if (isDamaged) db.unsafeMode(true).pragma('writable_schema=ON');
    // The first read fails if the key is wrong or the file is not a database.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    db.pragma('temp_store=MEMORY');
    db.pragma('foreign_keys=ON');
    db.pragma(`cache_size=-${cacheKib}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export const tablesOf = (db: Sqlite.Database): string[] =>
  db
    .prepare<unknown[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all();

export const columnsOf = (db: Sqlite.Database, table: string): string[] =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);

export type Inspection =
  | { state: 'absent' }
  | { state: 'empty' }
  | { state: 'unreadable' }
  /** The version is unknown until an unfinished transaction is rolled back. */
  | { state: 'open'; version: number | null; sound: boolean };

/**
 * Determines the state of a file without changing it or its log. `thorough` reads every page. Throws StoreFailure, and
 * SQLite's errors for a file that cannot be opened at all.
 */
export function inspect(spec: Pick<OpenSpec, 'path' | 'key'>, thorough: boolean): Inspection {
  if (!isThere(spec.path)) return { state: 'absent' };
  const status = statSync(spec.path);
  if (!status.isFile())
    throw new StoreFailure({
      code: 'bad-file',
      message: `${basename(spec.path)} in the profile folder is not a file. Move away what is there, restore the file, and try again.`,
      retryable: false,
    });
  // SQLite treats a single byte as an empty file, too.
  if (status.size < 2) return { state: 'empty' };
  // The profile is locked, so companions that appear during the inspection are our own and can be removed.
  const companions = ['-shm', '-wal'].map((suffix) => spec.path + suffix).filter((path) => !isThere(path));
  try {
    const db = connect(spec, true, 4 * 1024);
    try {
      const version = Number(db.pragma('user_version', { simple: true }));
      const sound = !thorough || isSound(db);
      return { state: 'open', version, sound };
    } finally {
      db.close();
    }
  } catch (error) {
    if (isDamage(error)) return { state: 'unreadable' };
    if (/^SQLITE_READONLY/.test(codeOf(error))) return { state: 'open', version: null, sound: true };
    throw error;
  } finally {
    for (const path of companions) patientlySync(() => rmSync(path, { force: true }));
  }
}

function isSound(db: Sqlite.Database): boolean {
  try {
    return db.pragma('quick_check(1)', { simple: true }) === 'ok';
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** Renames a database and its companions to an unused name; returns the new path of the database. */
export function setAside(path: string, label: string): string {
  const exists = (target: string) => ['', ...COMPANIONS].some((suffix) => isThere(target + suffix));
  let target = `${path}.${label}`;
  for (let again = 2; exists(target); again++) target = `${path}.${label}-${again}`;
  for (const suffix of ['', ...COMPANIONS])
    if (isThere(path + suffix)) patientlySync(() => renameSync(path + suffix, target + suffix));
  syncFolder(dirname(path));
  return basename(target);
}

/** A timestamp for file names. */
export const stamp = (now: number) => new Date(now).toISOString().replace(/[-:]/g, '').replace(/\..*$/, 'Z');
