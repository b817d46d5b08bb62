/** Backups of the workspace: beside it, encrypted with its key, one for each of the last days it was used. */
import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { diskCause } from '#workers/disk-cause.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import { DAMAGE_LOOKS, readWhole } from '#workers/read-whole.ts';
import { patientlySync } from '#workers/retry-locked-file.ts';
import { connect, inspect, makePrivate, type OpenSpec, tablesOf } from './connect.ts';
import { syncFile, syncFolder } from './durable.ts';
import { isDamage, StoreFailure, storeError } from './errors.ts';

/** Days of backups kept. */
const BACKUPS_KEPT = 7;
const ATTEMPTS = 3;
const CACHE_KIB = 4 * 1024;
const UNFINISHED = /\.new(-journal|-wal|-shm)?$/;
const NAME = /\.backup-(\d{6,})-(\d{8})$/;

export interface Backup {
  path: string;
  /** Running number: orders backups even if the clock was wrong. */
  number: number;
  /** YYYYMMDD in UTC. */
  day: string;
  /** When it was made, epoch milliseconds; the start of its day if the file has been copied since. */
  at: number;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');

function madeAt(path: string, day: string): number {
  const { mtimeMs } = statSync(path);
  if (dayOf(mtimeMs) === day) return mtimeMs;
  return Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`) || mtimeMs;
}

/** Backups of a database, newest first. */
export function backupsOf(path: string): Backup[] {
  const folder = dirname(path);
  const prefix = `${basename(path)}.backup-`;
  if (!isThere(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ name, parts: NAME.exec(name) }))
    .filter(({ parts }) => parts !== null)
    .map(({ name, parts }) => {
      const path = join(folder, name);
      const day = parts?.[2] ?? '';
      return { path, number: Number(parts?.[1]), day, at: madeAt(path, day) };
    })
    .sort((a, b) => b.number - a.number);
}

/** Row counts of all tables, as text for comparison. */
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

/**
 * What is wrong with a copy, or null if it opens with the key and every page is intact. Throws if it cannot be read
 * at all.
 */
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
    if (!isDamage(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether a backup opens with the key and is intact. Throws if its disk does not let it be read. */
function isIntact(copy: Pick<OpenSpec, 'path' | 'key'>): boolean {
  for (let look = 1; ; look++)
    try {
      if (faultOf(copy) === null) return true;
      readWhole(copy.path);
      if (look === DAMAGE_LOOKS) return false;
    } catch (error) {
      if (look === DAMAGE_LOOKS) throw error;
    }
}

/**
 * The newest backup that opens with the key and is intact, or null if there is none. Throws if there is none, but one
 * could not be read: a repair without it would lose what it holds.
 */
export function soundBackup(spec: Pick<OpenSpec, 'path' | 'key'>): Backup | null {
  let unread: { name: string; error: unknown } | null = null;
  for (const backup of backupsOf(spec.path))
    try {
      if (isIntact({ path: backup.path, key: spec.key })) return backup;
    } catch (error) {
      unread ??= { name: basename(backup.path), error };
    }
  if (unread === null) return null;
  const { code, message } = storeError(diskCause(unread.error, spec.path) ?? unread.error);
  throw new StoreFailure({
    code,
    message: `The workspace is not repaired yet, because its backup ${unread.name} cannot be read, and nothing was changed. ${message} To go on without this backup, move it elsewhere.`,
    retryable: true,
  });
}

/** Makes an intact copy whose row counts match the file's before or after concurrent writes. */
function copyTo(fresh: string, spec: OpenSpec): void {
  for (let attempt = 1; ; attempt++) {
    rmSync(fresh, { force: true });
    makePrivate(fresh);
    const before = countsOf(spec);
    const db = connect(spec, true, CACHE_KIB);
    try {
      // VACUUM INTO keeps the connection's key and cipher.
      db.prepare('VACUUM INTO ?').run(fresh);
    } finally {
      db.close();
    }
    const copy = { path: fresh, key: spec.key };
    let fault = faultOf(copy);
    if (fault === null) {
      const counts = countsOf(copy);
      if (counts === before || counts === countsOf(spec)) return;
      fault = 'its rows differ from those of the workspace';
    }
    if (attempt === ATTEMPTS)
      throw new StoreFailure({
        code: 'damaged',
        message: `The new backup is not intact: ${fault}.`,
        retryable: true,
      });
  }
}

/** The newest backup of each schema before the newest one's: what an earlier version of Parapet can still open. */
function newestOfEarlierSchemas([newest, ...older]: readonly Backup[], key: string | null): Backup[] {
  const schemaOf = ({ path }: Backup): number | null => {
    const inspection = inspect({ path, key }, false);
    return inspection.state === 'open' ? inspection.version : null;
  };
  const schemas = new Set([newest === undefined ? null : schemaOf(newest), null]);
  return older.filter((backup) => {
    const schema = schemaOf(backup);
    const isFirst = !schemas.has(schema);
    schemas.add(schema);
    return isFirst;
  });
}

/**
 * Makes today's backup, replacing an earlier one of today unless that has an earlier schema, verifies it, and removes
 * those beyond the limit. Throws when it cannot be made; existing backups then stay.
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
    const day = dayOf(spec.now);
    const number = String((backupsOf(spec.path)[0]?.number ?? 0) + 1).padStart(6, '0');
    patientlySync(() => renameSync(fresh, `${spec.path}.backup-${number}-${day}`));
    syncFolder(folder);
    const all = backupsOf(spec.path);
    const [newest, ...older] = all;
    const today = all.filter((backup) => backup.day === newest?.day);
    const days = older.filter((backup) => backup.day !== newest?.day);
    const keepers = new Set([...newestOfEarlierSchemas(today, spec.key), ...days.slice(0, BACKUPS_KEPT - 1)]);
    for (const backup of older) if (!keepers.has(backup)) rmSync(backup.path, { force: true });
  } finally {
    rmSync(fresh, { force: true });
  }
}
