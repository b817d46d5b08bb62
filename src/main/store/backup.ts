/** Backups of the workspace: beside it, sealed with its key, one for each of the last days it was used on. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { connect, makePrivate, type OpenSpec, tablesOf } from './connect.ts';
import { syncFile, syncFolder } from './durable.ts';
import { StoreFailure } from './errors.ts';

/** Days that are kept. */
const BACKUPS_KEPT = 7;
const ATTEMPTS = 3;
const CACHE_KIB = 4 * 1024;
const UNFINISHED = /\.new(-journal|-wal|-shm)?$/;
const NAME = /\.backup-(\d{6,})-(\d{8})$/;

export interface Backup {
  path: string;
  /** Orders backups whatever the clock said when they were made. */
  number: number;
  /** YYYYMMDD in UTC. */
  day: string;
  /** Epoch milliseconds of its last write. */
  at: number;
}

/** Backups of a database, the newest first. */
export function backupsOf(path: string): Backup[] {
  const folder = dirname(path);
  const prefix = `${basename(path)}.backup-`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ name, parts: NAME.exec(name) }))
    .filter(({ parts }) => parts !== null)
    .map(({ name, parts }) => ({
      path: join(folder, name),
      number: Number(parts?.[1]),
      day: parts?.[2] ?? '',
      at: statSync(join(folder, name)).mtimeMs,
    }))
    .sort((a, b) => b.number - a.number);
}

/** Rows of every table, as text to compare. */
function countsOf(spec: Pick<OpenSpec, 'path' | 'key'>): string {
  const db = connect(spec, true, CACHE_KIB);
  try {
    return db.transaction(() =>
      JSON.stringify(
        tablesOf(db).map((name) => [name, db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()]),
      ),
    )();
  } finally {
    db.close();
  }
}

/** What is wrong with a copy; null: it opens with the key and every page of it is whole. */
function faultOf(copy: Pick<OpenSpec, 'path' | 'key'>): string | null {
  try {
    const db = connect(copy, true, CACHE_KIB);
    try {
      const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
      return verdict === 'ok' ? null : verdict;
    } finally {
      db.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The newest backup that opens with the key and is whole; null: there is none. */
export const soundBackup = (spec: Pick<OpenSpec, 'path' | 'key'>): Backup | null =>
  backupsOf(spec.path).find(({ path }) => faultOf({ path, key: spec.key }) === null) ?? null;

/** A copy that is whole and has the rows of the file, before or after what was written meanwhile. */
function copyTo(fresh: string, spec: OpenSpec): void {
  for (let attempt = 1; ; attempt++) {
    rmSync(fresh, { force: true });
    makePrivate(fresh);
    const before = countsOf(spec);
    const db = connect(spec, true, CACHE_KIB);
    try {
      // The key and the cipher go with the connection: the copy is sealed as the file is.
      db.prepare('VACUUM INTO ?').run(fresh);
    } finally {
      db.close();
    }
    const copy = { path: fresh, key: spec.key };
    let fault = faultOf(copy);
    if (fault === null) {
      const counts = countsOf(copy);
      if (counts === before || counts === countsOf(spec)) return;
      fault = 'its rows are not those of the workspace';
    }
    if (attempt === ATTEMPTS)
      throw new StoreFailure({
        code: 'damaged',
        message: `The backup that was made is not right: ${fault}.`,
        retryable: true,
      });
  }
}

/**
 * Makes the backup of today in place of an earlier one of today, verifies it, and removes those of old days.
 * Throws when it cannot be made; those that were there before stay.
 */
export function makeBackup(spec: OpenSpec): void {
  const folder = dirname(spec.path);
  const prefix = `${basename(spec.path)}.backup-`;
  for (const name of readdirSync(folder))
    if (name.startsWith(prefix) && UNFINISHED.test(name)) rmSync(join(folder, name), { force: true });
  const fresh = join(folder, `${prefix}${randomBytes(4).toString('hex')}.new`);
  try {
    copyTo(fresh, spec);
    syncFile(fresh);
    const day = new Date(spec.now).toISOString().slice(0, 10).replaceAll('-', '');
    const number = String((backupsOf(spec.path)[0]?.number ?? 0) + 1).padStart(6, '0');
    renameSync(fresh, `${spec.path}.backup-${number}-${day}`);
    syncFolder(folder);
    const [newest, ...older] = backupsOf(spec.path);
    const days = older.filter((one) => one.day !== newest?.day);
    const kept = new Set(days.slice(0, BACKUPS_KEPT - 1));
    for (const one of older) if (!kept.has(one)) rmSync(one.path, { force: true });
  } finally {
    rmSync(fresh, { force: true });
  }
}
