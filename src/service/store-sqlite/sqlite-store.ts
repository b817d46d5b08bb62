/** The database of the embedded service. Synchronous: it lives in a worker thread or its own process. */

import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isThere } from '#workers/exists-or-throw.ts';
import { migrate, newestVersion, versionOf } from '#workers/migrations.ts';
import { DAMAGE_LOOKS, readWhole } from '#workers/read-whole.ts';
import type { MailSource } from '../store/mail-source.ts';
import type { Store } from '../store/store.ts';
import { addFunctions } from './functions.ts';
import { type Repositories, repositories } from './repositories.ts';
import { APPLICATION_ID, INDEXES, MIGRATIONS } from './schema.ts';

export interface SqliteStore extends Store {
  readonly db: Database.Database;
  /** Starts the time budget of the SQL functions of conditions. */
  begin(): void;
  meta(key: string): string | null;
  /** Null removes it. */
  setMeta(key: string, value: string | null): void;
  buildIndexes(): void;
  close(): void;
}

export interface StoreOptions {
  /** A path, or ':memory:'. */
  path: string;
  /** Hex, or null if unencrypted. */
  key?: string | null;
  /** Default: one of its own. */
  linkKey?: Uint8Array;
  /** Called regularly while a long statement runs; throwing ends the statement. */
  probe?: () => void;
}

export class NewerStoreError extends Error {}

/** Another program's database, or one of a build before 1.0.0. */
class ForeignStoreError extends Error {}

/** The file is not one of our databases, or the key is wrong: nothing in it is readable. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof ForeignStoreError ||
  (error instanceof Database.SqliteError && /^SQLITE_(?:NOTADB|CORRUPT|ERROR|FORMAT)/.test(error.code));

/** A page of the database is damaged, as a call or a reading found. */
export const isCorrupt = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(?:NOTADB|CORRUPT)/.test(error.code);

/** The file beside a database that marks it as damaged for its next opening. */
export const damageMark = (path: string): string => `${path}.found-damaged`;

/** Creates that file if the error indicates damage. */
function markDamage({ db }: Pick<SqliteStore, 'db'>, error: unknown): void {
  if (!isCorrupt(error) || db.memory) return;
  try {
    writeFileSync(damageMark(db.name), '', { mode: 0o600 });
  } catch {
    // On a full or failing disk the damage is found again.
  }
}

/** A checkpoint decrypts and encrypts each page again: rare ones save work on pages that an import writes often. */
const CHECKPOINT_PAGES = 8_192;
const CACHE_KIB = 96 * 1024;
const READER_CACHE_KIB = 32 * 1024;

/** Suffixes of the files that SQLite keeps beside a database. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** Removes a database with its companion files. */
export function removeDatabase(path: string): void {
  for (const end of ['', ...COMPANIONS]) rmSync(`${path}${end}`, { force: true });
}

function unlock(db: Database.Database, { key }: StoreOptions): void {
  if (!key) return;
  if (!/^[0-9a-f]{64}$/i.test(key)) throw new TypeError('The key of a database is 64 hex characters.');
  db.pragma("cipher = 'aegis'");
  db.pragma(`key = "x'${key}'"`);
}

/** Another, read-only connection to a file that `openStore` has open. Throws SQLite's errors. */
export function openReader(options: StoreOptions, source: MailSource): SqliteStore {
  const db = new Database(options.path, { readonly: true, fileMustExist: true });
  const begin = addFunctions(db, options.probe);
  try {
    unlock(db, options);
    db.pragma(`cache_size = -${READER_CACHE_KIB}`);
    db.pragma('temp_store = MEMORY');
    if (versionOf(db) !== newestVersion(MIGRATIONS)) throw new ForeignStoreError('Not open for writing.');
  } catch (error) {
    db.close();
    throw error;
  }
  return storeOver(db, source, begin, options);
}

/** A read-only connection to a file of any version, as far as it can be read. Throws SQLite's errors. */
export function openUnchecked(options: StoreOptions): Database.Database {
  const db = new Database(options.path, { readonly: true, fileMustExist: true });
  try {
    unlock(db, options);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Repeats `open` while the file looks damaged; throws the last error. */
export function openRepeatedly<T>(open: () => T): T {
  for (let look = 1; ; look++)
    try {
      return open();
    } catch (error) {
      if (look === DAMAGE_LOOKS || !isDamaged(error)) throw error;
    }
}

function isSound(options: StoreOptions): boolean {
  try {
    const db = openUnchecked(options);
    try {
      addFunctions(db, options.probe);
      return db.pragma('integrity_check(1)', { simple: true }) === 'ok';
    } finally {
      db.close();
    }
  } catch (error) {
    if (isDamaged(error)) return false;
    throw error;
  }
}

/**
 * Whether a database marked as damaged really is. A temporary disk failure looks the same to SQLite, so everything is read
 * again; the mark of an intact one is removed. Throws while the disk fails.
 */
export function confirmDamage(options: StoreOptions): boolean {
  const { path } = options;
  if (!isThere(damageMark(path))) return false;
  readWhole(path);
  // The first look may itself have met a failing disk.
  if (!isSound(options) && !isSound(options)) return true;
  rmSync(damageMark(path), { force: true });
  return false;
}

/** Opens or creates a store. Throws SQLite's errors when the file is damaged or the key is wrong. */
export function openStore(options: StoreOptions, source: MailSource): SqliteStore {
  const db = new Database(options.path);
  const begin = addFunctions(db, options.probe);
  try {
    unlock(db, options);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma('temp_store = MEMORY');
    const version = versionOf(db);
    if (version > 0 && Number(db.pragma('application_id', { simple: true })) !== APPLICATION_ID)
      throw new ForeignStoreError('Not a database of this service.');
    if (version > newestVersion(MIGRATIONS))
      throw new NewerStoreError('Made by a newer version of the service.');
    migrate(db, MIGRATIONS);
  } catch (error) {
    db.close();
    throw error;
  }
  return storeOver(db, source, begin, options);
}

function storeOver(
  db: Database.Database,
  source: MailSource,
  begin: () => void,
  { linkKey }: StoreOptions,
): SqliteStore {
  const handle = {
    db,
    source,
    linkKey: linkKey ?? randomBytes(32),
    begin,
    meta: (key: string) =>
      db.prepare<unknown[], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key) ?? null,
    setMeta: (key: string, value: string | null) => {
      if (value === null) db.prepare('DELETE FROM meta WHERE key = ?').run(key);
      else
        db.prepare(
          'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
        ).run(key, value);
    },
    buildIndexes: () => {
      db.exec(INDEXES);
      db.exec('PRAGMA optimize');
    },
    isFailure: (error: unknown) => error instanceof Database.SqliteError,
    noteDamage: (error: unknown) => {
      markDamage({ db }, error);
      return isCorrupt(error);
    },
    close: () => db.close(),
  };
  const store = handle as typeof handle & Repositories;
  return Object.assign(store, repositories(store));
}

/** Empties the log into the database file, so that this file alone can be renamed. Throws if that fails. */
export const intoOneFile = ({ db }: SqliteStore): void => void db.pragma('journal_mode = DELETE');

/** Runs `read` on one snapshot of the store, even if it awaits. One at a time per connection. */
export async function inSnapshot<T>({ db }: SqliteStore, read: () => Promise<T>): Promise<T> {
  db.exec('BEGIN');
  try {
    return await read();
  } finally {
    if (db.inTransaction) db.exec('COMMIT');
  }
}

/** Small: a new store is written sequentially, and the memory of a larger cache would stay with the process. */
const FILLING_CACHE_KIB = 8 * 1024;

/** Runs `fill` on a new store, which is made anew if the process ends meanwhile. */
export async function filling({ db }: SqliteStore, fill: () => Promise<void>): Promise<void> {
  db.pragma('synchronous = OFF');
  db.pragma(`cache_size = -${FILLING_CACHE_KIB}`);
  await fill();
  db.pragma('synchronous = NORMAL');
  db.pragma(`cache_size = -${CACHE_KIB}`);
}
