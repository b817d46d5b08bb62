/** The database of the embedded service. Synchronous: it lives in a worker thread or its own process. */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { sqlFunctions } from '#shared/query/sql-functions.ts';
import { isThere } from '#workers/is-there.ts';
import { DAMAGE_LOOKS, readWhole } from '#workers/read-whole.ts';
import type { SharedComparison } from './comparison.ts';
import { ALL_HEADERS_PENDING, HEADER_INDEX_TABLES, HEADER_TABLES, headerFunctions } from './header-texts.ts';
import type { MailSource } from './mail-source.ts';
import {
  ABSENT_TABLES,
  CONTENT_COLUMNS,
  FOLDED_COLUMNS,
  INDEXES,
  LIFE_TABLES,
  LOG_COLUMNS,
  LOGIN_COLUMNS,
  LOGIN_INDEXES,
  NARROW_INDEXES,
  OUTCOMES,
  PLACE_COLUMNS,
  PLACE_TABLES,
  PLACED,
  REFOLDED,
  SCHEMA_VERSION,
  STACK_TABLES,
  TABLES,
  UNFOLDED_INDEXES,
} from './schema.ts';
import { ALL_PENDING, INDEXES_OF_15, TEXT_TABLES, TEXTS_OF_8, textFunctions } from './texts.ts';

export type SqlValue = string | number | null | Uint8Array;

export interface Store {
  readonly db: Database.Database;
  readonly source: MailSource;
  /** Signs links to files; valid for this run, and shared by all connections to one file. */
  readonly linkKey: Uint8Array;
  /** Starts the time budget of the SQL functions of conditions. */
  begin(): void;
  /** Lets another thread take part in a comparison of texts. */
  share?: (work: SharedComparison) => void;
  meta(key: string): string | null;
  setMeta(key: string, value: string): void;
  buildIndexes(): void;
  close(): void;
}

export interface StoreOptions {
  /** A path, or ':memory:'. */
  path: string;
  /** Hex; null: unencrypted. */
  key?: string | null;
  /** Default: one of its own. */
  linkKey?: Uint8Array;
  /** Called regularly while a long statement runs; throwing ends the statement. */
  probe?: () => void;
}

export class NewerStoreError extends Error {}

/** The tables have an older shape. Everything in such a file can be regenerated, so it is not migrated. */
class OlderStoreError extends Error {}

// Signed 32 bits, as SQLite stores an application id.
const SHAPE = createHash('sha256').update(TABLES).digest().readInt32BE(0);

/** The file is not one of our databases, or the key is wrong: nothing in it is readable. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof OlderStoreError ||
  (error instanceof Database.SqliteError && /^SQLITE_(?:NOTADB|CORRUPT|ERROR|FORMAT)/.test(error.code));

/** The file is intact, but its tables are those of an earlier version. */
export const isOfEarlierVersion = (error: unknown): boolean => error instanceof OlderStoreError;

/** A page of the database is damaged, as a call or a reading found. */
export const isCorrupt = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(?:NOTADB|CORRUPT)/.test(error.code);

export const CORRUPT_DEMO_WORDS =
  'The database of the demo tenant is damaged. Close Parapet and start it again: the demo tenant is then made anew, and the damaged file is kept.';

export const CORRUPT_WORDS =
  'What was read of this evidence is damaged. Close Parapet and start it again: the evidence is then read again, and what can still be read of the damaged index is carried over.';

/** The file beside a database that marks it as damaged for its next opening. */
export const damageMark = (path: string): string => `${path}.found-damaged`;

/** Creates that file if the error indicates damage. */
export function markDamage({ db }: Pick<Store, 'db'>, error: unknown): void {
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

function addColumn(db: Database.Database, table: string, column: string, type: string): void {
  const known = db.prepare(`SELECT 1 FROM pragma_table_info('${table}') WHERE name = '${column}'`).get();
  if (known === undefined) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
}

/** Adds the columns of folded texts; in an older file, folds the texts and rebuilds the indexes. */
function addFolds(db: Database.Database, isOlder: boolean): void {
  for (const [table, column] of FOLDED_COLUMNS) {
    addColumn(db, table, `${column}_folded`, 'TEXT');
    if (isOlder) db.exec(`UPDATE ${table} SET ${column}_folded = nullif(pp_fold(${column}), ${column})`);
  }
  if (!isOlder) return;
  db.exec(REFOLDED);
  for (const name of UNFOLDED_INDEXES) db.exec(`DROP INDEX IF EXISTS ${name}`);
  db.exec(INDEXES);
}

/** Registers the functions of conditions; returns the function that starts their budget. */
function addFunctions(db: Database.Database, { probe }: StoreOptions): () => void {
  const sql = sqlFunctions(Date.now, probe);
  for (const [name, run] of Object.entries(sql.functions))
    db.function(name, { deterministic: true, varargs: true }, run);
  for (const [name, run] of Object.entries({ ...textFunctions(), ...headerFunctions() }))
    db.function(name, { deterministic: true, varargs: true }, run);
  db.function('pp_alive', () => {
    probe?.();
    return 1;
  });
  return sql.begin;
}

/**
 * A condition that is always true and lets a statement be cancelled. It calls out for every 128th row, which costs
 * nothing measurable. `id`: SQL of an integer key.
 */
export const aliveSql = (id: string): string => `likely(${id} & 127 OR pp_alive())`;

/** Offset of the unencrypted byte that says how many bytes per page the cipher reserves, and its value for ChaCha20. */
const RESERVED_AT = 20;
const CHACHA20_RESERVED = 32;

/** New databases use AEGIS-256, as the console's own do; those created with ChaCha20 keep it (ADR 3). */
function cipherOf(path: string): 'aegis' | 'chacha20' {
  const byte = Buffer.alloc(1);
  const file = openSync(path, 'r');
  try {
    readSync(file, byte, 0, 1, RESERVED_AT);
  } finally {
    closeSync(file);
  }
  return byte[0] === CHACHA20_RESERVED ? 'chacha20' : 'aegis';
}

function unlock(db: Database.Database, { path, key }: StoreOptions): void {
  if (!key) return;
  if (!/^[0-9a-f]{64}$/i.test(key)) throw new TypeError('The key of a database is 64 hex characters.');
  db.pragma(`cipher = '${cipherOf(path)}'`);
  db.pragma(`key = "x'${key}'"`);
}

/** Another, read-only connection to a file that `openStore` has open, and its `Store.begin`. Throws SQLite's errors. */
export function connectReader(options: StoreOptions): Pick<Store, 'db' | 'begin'> {
  const db = new Database(options.path, { readonly: true, fileMustExist: true });
  const begin = addFunctions(db, options);
  try {
    unlock(db, options);
    db.pragma(`cache_size = -${READER_CACHE_KIB}`);
    db.pragma('temp_store = MEMORY');
    if (Number(db.pragma('user_version', { simple: true })) !== SCHEMA_VERSION)
      throw new OlderStoreError('Not open for writing.');
  } catch (error) {
    db.close();
    throw error;
  }
  return { db, begin };
}

/** The store over such a connection. Throws SQLite's errors. */
export function openReader(options: StoreOptions, source: MailSource): Store {
  const { db, begin } = connectReader(options);
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
      if (look === DAMAGE_LOOKS || !isDamaged(error) || isOfEarlierVersion(error)) throw error;
    }
}

function isSound(options: StoreOptions): boolean {
  try {
    const db = openUnchecked(options);
    try {
      addFunctions(db, options);
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
export function openStore(options: StoreOptions, source: MailSource): Store {
  const db = new Database(options.path);
  const begin = addFunctions(db, options);
  try {
    unlock(db, options);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma('temp_store = MEMORY');
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > SCHEMA_VERSION) throw new NewerStoreError('Made by a newer version of the service.');
    if (version > 0 && Number(db.pragma('application_id', { simple: true })) !== SHAPE)
      throw new OlderStoreError('Made by an older version of the service.');
    if (version < SCHEMA_VERSION)
      db.transaction(() => {
        if (version === 0) db.exec(TABLES);
        db.pragma(`application_id = ${SHAPE}`);
        db.exec(LIFE_TABLES);
        db.exec(STACK_TABLES);
        db.exec(ABSENT_TABLES);
        if (version < 6) {
          db.exec(OUTCOMES);
          addFolds(db, version > 0);
        }
        db.exec(PLACE_TABLES);
        for (const column of PLACE_COLUMNS) addColumn(db, ...column);
        if (version === 8) db.exec(TEXTS_OF_8);
        const isOlder = version > 8 && version < 16;
        if (isOlder) db.exec(INDEXES_OF_15);
        db.exec(TEXT_TABLES);
        if (isOlder) db.exec(ALL_PENDING);
        db.exec(HEADER_TABLES);
        db.exec(HEADER_INDEX_TABLES);
        if (version > 0 && version < 14) {
          db.exec(ALL_HEADERS_PENDING);
          db.exec(NARROW_INDEXES);
          db.exec(INDEXES);
        }
        for (const column of [...CONTENT_COLUMNS, ...LOG_COLUMNS, ...LOGIN_COLUMNS]) addColumn(db, ...column);
        db.exec(LOGIN_INDEXES);
        if (version > 0 && version < 7) db.exec(PLACED);
        db.pragma(`user_version = ${SCHEMA_VERSION}`);
      })();
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
): Store {
  return {
    db,
    source,
    linkKey: linkKey ?? randomBytes(32),
    begin,
    meta: (key) =>
      db.prepare<unknown[], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key) ?? null,
    setMeta: (key, value) => {
      db.prepare(
        'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
      ).run(key, value);
    },
    buildIndexes: () => {
      db.exec(INDEXES);
      db.exec('PRAGMA optimize');
    },
    close: () => db.close(),
  };
}

/** Runs `read` on one snapshot of the store, even if it awaits. One at a time per connection. */
export async function inSnapshot<T>({ db }: Store, read: () => Promise<T>): Promise<T> {
  db.exec('BEGIN');
  try {
    return await read();
  } finally {
    if (db.inTransaction) db.exec('COMMIT');
  }
}
