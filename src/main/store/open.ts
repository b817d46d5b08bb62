/** Opens one SQLite file: key, pragmas, migrations. Synchronous; runs in worker threads and in tests only. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { isDamage, StoreFailure } from './errors.ts';
import { cacheMigrations } from './migrations/cache/index.ts';
import type { Migration } from './migrations/migration.ts';
import { workspaceMigrations } from './migrations/workspace/index.ts';

export type DatabaseKind = 'cache' | 'workspace';

export interface OpenSpec {
  kind: DatabaseKind;
  path: string;
  /** 32 bytes as hex; null: in clear (tests only). */
  key: string | null;
  /** Epoch milliseconds; names what is set aside. */
  now: number;
}

export interface Opened {
  db: Sqlite.Database;
  /** The name that a damaged file was set aside under; null: nothing was wrong. */
  setAside: string | null;
}

const MIGRATIONS: Record<DatabaseKind, readonly Migration[]> = {
  cache: cacheMigrations,
  workspace: workspaceMigrations,
};
const READER_CACHE_KIB = 64 * 1024;
const WRITER_CACHE_KIB = 32 * 1024;
/** How many damaged caches are kept for a look; older ones go. A damaged workspace is never removed. */
const KEPT_ASIDE = 2;

function connect(spec: Pick<OpenSpec, 'path' | 'key'>, readonly: boolean, cacheKib: number): Sqlite.Database {
  const db = new Sqlite(spec.path, { readonly, fileMustExist: readonly, timeout: 10_000 });
  try {
    if (spec.key !== null) {
      if (!/^[0-9a-f]{64}$/.test(spec.key)) throw new TypeError('a database key is 32 bytes in hex');
      // AEGIS-256 authenticates every page and costs 1.05x on insert and nothing on a scan where the processor has
      // AES; chacha20 and sqlcipher measured 1.8x on insert and 4x on a scan (2 cores, 40 000 rows).
      db.pragma(`cipher='aegis'`);
      db.pragma(`key='raw:${spec.key}'`);
    }
    // The first read tells whether the key fits and the file is a database.
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

/** Runs the steps that the file lacks, each in a transaction. Rejects `newer-schema` before touching anything. */
export function migrate(db: Sqlite.Database, migrations: readonly Migration[]): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  const newest = migrations.at(-1)?.version ?? 0;
  if (version > newest)
    throw new StoreFailure({
      code: 'newer-schema',
      message: `This profile was written by a newer Parapet (schema ${version}, this one knows ${newest}). Nothing was changed. Start the newer version, or use another profile.`,
      retryable: false,
      data: { found: version, known: newest },
    });
  for (const migration of migrations.filter((step) => step.version > version)) {
    db.transaction(() => {
      for (const sql of migration.statements) db.exec(sql);
      db.pragma(`user_version=${migration.version}`);
    })();
  }
}

function checkPages(db: Sqlite.Database): void {
  const verdict = db.pragma('quick_check(1)', { simple: true });
  if (verdict !== 'ok') throw new Sqlite.SqliteError(String(verdict), 'SQLITE_CORRUPT');
}

function prepare(spec: OpenSpec): Sqlite.Database {
  const db = connect(spec, false, WRITER_CACHE_KIB);
  try {
    // The workspace is small and cannot be had again: damage in it must show now, not in the middle of the work.
    if (spec.kind === 'workspace') checkPages(db);
    migrate(db, MIGRATIONS[spec.kind]);
    db.pragma('journal_mode=WAL');
    db.pragma('synchronous=NORMAL');
    // Wiped rows must not linger in free pages.
    if (spec.kind === 'cache') db.pragma('secure_delete=ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const COMPANIONS = ['', '-wal', '-shm', '-journal'];

/** Renames a database and its companions out of the way; answers the new name of the file. */
export function setAside(path: string, label: string): string {
  const target = `${path}.${label}`;
  for (const suffix of COMPANIONS)
    if (existsSync(path + suffix)) renameSync(path + suffix, `${target}${suffix}`);
  return basename(target);
}

const stamp = (now: number) => new Date(now).toISOString().replace(/[-:]/g, '').replace(/\..*$/, 'Z');

function dropOldest(path: string): void {
  const prefix = `${basename(path)}.damaged-`;
  const aside = readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && !/-(wal|shm|journal)$/.test(name))
    .sort();
  for (const name of aside.slice(0, Math.max(0, aside.length - KEPT_ASIDE)))
    for (const suffix of COMPANIONS) rmSync(join(dirname(path), name + suffix), { force: true });
}

/**
 * The writer's connection. A file that is damaged, or was written with another key, is set aside and a new one made.
 * A newer schema rejects `newer-schema` for the workspace and counts as damage for the cache, which can be had again.
 */
export function openWriter(spec: OpenSpec): Opened {
  try {
    return { db: prepare(spec), setAside: null };
  } catch (error) {
    const newer =
      error instanceof StoreFailure && error.error.code === 'newer-schema' && spec.kind === 'cache';
    const present = existsSync(spec.path) && statSync(spec.path).size > 0;
    if (!present || !(isDamage(error) || newer)) throw error;
    const name = setAside(spec.path, `damaged-${stamp(spec.now)}`);
    if (spec.kind === 'cache') dropOldest(spec.path);
    return { db: prepare(spec), setAside: name };
  }
}

/** The same for a file that others have open: it stays where it is, whatever is wrong with it. */
export const reopenWriter = (spec: OpenSpec): Opened => ({ db: prepare(spec), setAside: null });

export const openReader = (
  spec: Pick<OpenSpec, 'path' | 'key'>,
  cacheKib: number = READER_CACHE_KIB,
): Sqlite.Database => connect(spec, true, cacheKib);
