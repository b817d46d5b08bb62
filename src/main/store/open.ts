/** Opens one SQLite file: key, pragmas, migrations. Synchronous; runs only in worker threads and tests. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { codeOf } from '#shared/model/disk-errors.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import { type Migration, migrate, newestVersion, versionOf } from '#workers/migrations.ts';
import { DAMAGE_LOOKS, readWhole } from '#workers/read-whole.ts';
import { makeBackup, soundBackup } from './backup.ts';
import {
  COMPANIONS,
  connect,
  type DatabaseKind,
  type Inspection,
  inspect,
  makePrivate,
  type OpenSpec,
  setAside,
  stamp,
} from './connect.ts';
import { isDamage, StoreFailure } from './errors.ts';
import { cacheMigrations } from './migrations/cache.ts';
import { workspaceMigrations } from './migrations/workspace.ts';
import { finishRepair, logIsDamaged, type Repair, repairWorkspace } from './salvage.ts';

export interface Opened {
  db: Database.Database;
  /** Name that a damaged file was set aside under, or null if it was intact. */
  setAside: string | null;
  /** How a damaged, empty or missing workspace was repaired, or null if it was intact. */
  repair: Repair | null;
}

const MIGRATIONS: Record<DatabaseKind, readonly Migration[]> = {
  cache: cacheMigrations,
  workspace: workspaceMigrations,
};
const READER_CACHE_KIB = 64 * 1024;
const WRITER_CACHE_KIB = 32 * 1024;
/** Damaged caches kept for inspection; older ones are removed. A damaged workspace is never removed. */
const KEPT_ASIDE = 2;

const looksDamaged = (inspection: Inspection): boolean =>
  inspection.state === 'unreadable' || (inspection.state === 'open' && !inspection.sound);

/** Repeats the inspection while the file looks damaged. */
function examine(spec: OpenSpec): Inspection {
  let inspection = inspect(spec, true);
  for (let look = 1; look < DAMAGE_LOOKS && looksDamaged(inspection); look++)
    inspection = inspect(spec, true);
  return inspection;
}

const migrationsOf = ({ kind, migrations }: OpenSpec) => migrations ?? MIGRATIONS[kind];
const newestOf = (spec: OpenSpec) => newestVersion(migrationsOf(spec));

const newerSchema = (
  version: number,
  existingVersion: number,
  what = 'This profile',
  ways = 'Start the newer version, or use another profile.',
) =>
  new StoreFailure({
    code: 'newer-schema',
    message: `${what} was written by a newer Parapet (schema ${version}, this one knows ${existingVersion}). Nothing was changed. ${ways}`,
    retryable: false,
    data: { found: version, known: existingVersion },
  });

/** Throws for a newer cache, which stays in place: it may hold pinned results and profiles that no service has any more. */
function refuseNewerCache(spec: OpenSpec): void {
  const inspection = inspect(spec, false);
  const version = inspection.state === 'open' ? (inspection.version ?? 0) : 0;
  if (version > newestOf(spec))
    throw newerSchema(
      version,
      newestOf(spec),
      'The cache of this profile',
      `Start the newer version, use another profile, or move ${spec.path} elsewhere: a new cache is then started, without the pinned results and the profiles saved for offline.`,
    );
}

function prepare(spec: OpenSpec): Database.Database {
  makePrivate(spec.path);
  const db = connect(spec, false, WRITER_CACHE_KIB);
  try {
    db.pragma('journal_mode=WAL');
    // The workspace must be on disk when a write resolves; the cache can be fetched again.
    db.pragma(`synchronous=${spec.kind === 'workspace' ? 'FULL' : 'NORMAL'}`);
    // An unfinished transaction may have hidden the version from the look before.
    const version = versionOf(db);
    if (version > newestOf(spec)) throw newerSchema(version, newestOf(spec));
    migrate(db, migrationsOf(spec));
    // Deleted rows must not linger in free pages.
    if (spec.kind === 'cache') db.pragma('secure_delete=ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** `prepare` after a repair, repeatedly: if it failed, the repair would be done and never reported. */
function prepareRepaired(spec: OpenSpec): Database.Database {
  for (let look = 1; ; look++)
    try {
      return prepare(spec);
    } catch (error) {
      if (look === DAMAGE_LOOKS) throw error;
    }
}

/** Removes all but the newest damaged caches; `last` is one of them, also if the clock was set back since. */
function dropOldest(path: string, last: string): void {
  const prefix = `${basename(path)}.damaged-`;
  const others = readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && name !== last && !/-(wal|shm|journal)$/.test(name))
    .sort();
  for (const name of others.slice(0, 1 - KEPT_ASIDE))
    for (const suffix of ['', ...COMPANIONS]) rmSync(join(dirname(path), name + suffix), { force: true });
}

/** Sets the cache aside and makes a new one. */
function freshCache(spec: OpenSpec): Opened {
  const name = setAside(spec.path, `damaged-${stamp(spec.now)}`);
  dropOldest(spec.path, name);
  return { db: prepareRepaired(spec), setAside: name, repair: null };
}

/**
 * A damaged cache, or one with other tables, is set aside and recreated, since its data can be fetched again. The key is
 * known to be right. Throws `newer-schema`, changing nothing.
 */
function openCache(spec: OpenSpec): Opened {
  // A log without its database must not be applied to a new one.
  if (!isThere(spec.path) && COMPANIONS.some((suffix) => isThere(spec.path + suffix)))
    setAside(spec.path, `damaged-${stamp(spec.now)}`);
  if (spec.suspect === true) {
    readWhole(spec.path);
    if (looksDamaged(examine(spec))) return freshCache(spec);
  }
  refuseNewerCache(spec);
  for (let look = 1; ; look++)
    try {
      return { db: prepare(spec), setAside: null, repair: null };
    } catch (error) {
      // The tables do not fit the statements: they are of another program.
      const isOther = codeOf(error) === 'SQLITE_ERROR';
      const present = isThere(spec.path) && statSync(spec.path).size > 0;
      if (!present || !(isDamage(error) || isOther)) throw error;
      if (isOther || look === DAMAGE_LOOKS || looksDamaged(examine(spec))) break;
    }
  return freshCache(spec);
}

/** Reopens a file that other threads have open, which therefore stays in place whatever is wrong with it. */
export const reopenWriter = (spec: OpenSpec): Opened => ({ db: prepare(spec), setAside: null, repair: null });

/** Whether some file written with the profile's key opens with this one. */
function keyIsProven(spec: OpenSpec): boolean {
  if (spec.keyFits === true) return true;
  if (soundBackup(spec) !== null) return true;
  const cache = inspect({ path: join(dirname(spec.path), 'cache.sqlite'), key: spec.key }, false);
  return cache.state === 'open';
}

const wrongKey = () =>
  new StoreFailure({
    code: 'secrets-locked',
    message:
      'The files of this profile do not open with the key that was found: either it is a different key, or all files are damaged. Nothing was changed. Restore the key, or a copy of the files, or start with another profile folder (--profile).',
    retryable: true,
  });

/**
 * What is wrong with a workspace, or null if there is nothing. Changes nothing. Throws for a wrong key and for a
 * newer schema.
 */
function troubleOf(spec: OpenSpec): Repair['cause'] | null {
  const inspection = examine(spec);
  if (inspection.state === 'absent' || inspection.state === 'empty') {
    const cause = inspection.state === 'absent' ? 'missing' : 'empty';
    if (soundBackup(spec) !== null) return cause;
    if (spec.expected !== true) return null;
    if (spec.keyFits === false) throw wrongKey();
    return cause;
  }
  if (inspection.state === 'unreadable') {
    if (!keyIsProven(spec)) throw wrongKey();
    return 'damaged';
  }
  if (inspection.version !== null && inspection.version > newestOf(spec))
    throw newerSchema(inspection.version, newestOf(spec));
  return !inspection.sound || logIsDamaged(spec.path) ? 'damaged' : null;
}

/** Repairs a damaged, empty or missing workspace from what is readable in it and its newest backup. */
function openWorkspace(spec: OpenSpec): Opened {
  const finished = finishRepair(spec);
  const cause = troubleOf(spec);
  if (cause === null) {
    const inspection = inspect(spec, false);
    // A migration to a newer schema can always be undone from a backup.
    if (inspection.state === 'open' && inspection.version !== null && inspection.version < newestOf(spec))
      makeBackup(spec);
    return { db: prepare(spec), setAside: null, repair: finished };
  }
  const repair = repairWorkspace(spec, cause, (db, version) =>
    migrate(
      db,
      migrationsOf(spec).filter((step) => version === null || step.version <= version),
    ),
  );
  return { db: prepareRepaired(spec), setAside: repair.setAside, repair };
}

/** The writer's connection. Throws, changing nothing, `newer-schema` and `secrets-locked` (wrong key for the files). */
export const openWriter = (spec: OpenSpec): Opened =>
  spec.kind === 'cache' ? openCache(spec) : openWorkspace(spec);

export const openReader = (
  spec: Pick<OpenSpec, 'path' | 'key'>,
  cacheKib: number = READER_CACHE_KIB,
): Database.Database => connect(spec, true, cacheKib);
