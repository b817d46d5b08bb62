/** Repairs a damaged, empty or missing workspace row by row from what is readable in it and in its newest backup. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { isThere } from '#workers/exists-or-throw.ts';
import { DAMAGE_LOOKS } from '#workers/read-whole.ts';
import { patientlySync } from '#workers/retry-locked-file.ts';
import { type Backup, soundBackup } from './backup.ts';
import {
  COMPANIONS,
  columnsOf,
  connect,
  makePrivate,
  type OpenSpec,
  setAside,
  stamp,
  tablesOf,
} from './connect.ts';
import { syncFile, syncFolder } from './durable.ts';
import { isDamage } from './errors.ts';
import { repairedLog } from './wal.ts';

export interface RepairedTable {
  name: string;
  /** Rows recovered from the file itself. */
  kept: number;
  /** Rows that only the backup had. */
  restored: number;
  /** Rows known to be lost, or null if unknown how many. */
  lost: number | null;
  /** False if part of the table was unreadable in the file. */
  whole: boolean;
}

export interface Repair {
  cause: 'damaged' | 'empty' | 'missing';
  /** Name the file was set aside under, or null if there was no file. */
  setAside: string | null;
  /** Time of the backup that was used, epoch milliseconds, or null if there was none. */
  backupAt: number | null;
  tables: RepairedTable[];
}

export const PAGE_SIZE = 4096;
const CACHE_KIB = 4 * 1024;
/** Reads attempted inside damaged areas, per table. */
const PROBES = 4_000;

type Row = Record<string, unknown>;
type Take = (row: Row) => void;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Repeats work that reports damage: a temporary failure of the disk looks the same. */
function persistently<T>(work: () => T): T {
  for (let look = 1; ; look++)
    try {
      return work();
    } catch (error) {
      if (!isDamage(error) || look === DAMAGE_LOOKS) throw error;
    }
}

/**
 * Reads a table from both ends up to unreadable rows, then repeatedly from the middle of the remaining gaps. Returns
 * whether all of it was read.
 */
function readTable(db: Sqlite.Database, table: string, take: Take): boolean {
  const keyColumn = db
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk = 1')
    .pluck()
    .get(table);
  const withRowid = !/\bWITHOUT\s+ROWID\b/i.test(
    String(db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table)),
  );
  const orderColumn = withRowid ? 'rowid' : quoted(keyColumn ?? 'rowid');
  const select = `SELECT ${orderColumn} AS "pp place", * FROM ${quoted(table)} NOT INDEXED`;
  let probes = 0;
  let whole = true;
  /** Returns the last rowid reached, or null if there is none. Throws only errors other than damage. */
  const run = (order: 'ASC' | 'DESC', from: number | null, to: number | null) => {
    const bounds = [
      ...(from === null ? [] : [`${orderColumn} >= ${from}`]),
      ...(to === null ? [] : [`${orderColumn} <= ${to}`]),
    ];
    const where = bounds.length === 0 ? '' : ` WHERE ${bounds.join(' AND ')}`;
    let reached: unknown = null;
    for (let look = 1; ; look++)
      try {
        for (const { 'pp place': place, ...row } of db
          .prepare<[], Row>(`${select}${where} ORDER BY ${orderColumn} ${order}`)
          .iterate()) {
          take(row);
          reached = place;
        }
        return { done: true, reached };
      } catch (error) {
        if (!isDamage(error)) throw error;
        probes += 1;
        // Without a row there is no end to go on from.
        if (reached === null && look < DAMAGE_LOOKS) continue;
        whole = false;
        return { done: false, reached };
      }
  };
  const within = (from: number | null, to: number | null): void => {
    const up = run('ASC', from, to);
    if (up.done) return;
    const down = run('DESC', from, to);
    if (down.done) return;
    if (typeof up.reached === 'string' || typeof down.reached === 'string') return;
    const low = typeof up.reached === 'number' ? up.reached : from;
    const high = typeof down.reached === 'number' ? down.reached : to;
    if (low === null || high === null || high - low < 2 || probes > PROBES) return;
    const middle = Math.floor((low + high) / 2);
    within(low + 1, middle);
    within(middle + 1, high - 1);
  };
  within(null, null);
  return whole;
}

interface Sources {
  /** Best source first; those that cannot be opened are left out. */
  sources: Sqlite.Database[];
  /** A page read without an error is its newest version; with a damaged log it may be an older one. */
  current: boolean;
}

function sourcesOf(spec: OpenSpec, scratch: string): Sources {
  const sources: Sqlite.Database[] = [];
  const open = (path: string) => {
    try {
      sources.push(persistently(() => connect({ path, key: spec.key }, true, CACHE_KIB, true)));
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  };
  const log = isThere(`${spec.path}-wal`) ? readFileSync(`${spec.path}-wal`) : null;
  const repaired = log === null ? null : repairedLog(log, PAGE_SIZE);
  if (repaired !== null) {
    makePrivate(scratch);
    writeFileSync(scratch, readFileSync(spec.path));
    writeFileSync(`${scratch}-wal`, repaired, { mode: 0o600 });
    open(scratch);
  }
  open(spec.path);
  return { sources, current: repaired === null };
}

const remove = (path: string) => {
  for (const suffix of ['', ...COMPANIONS]) rmSync(path + suffix, { force: true });
};

/** Whether the log lost frames that SQLite would silently skip. */
export function logIsDamaged(path: string): boolean {
  const log = `${path}-wal`;
  return isThere(log) && repairedLog(readFileSync(log), PAGE_SIZE) !== null;
}

/** Migrates an empty database to a version, or null for the newest. */
type Migrate = (db: Sqlite.Database, version: number | null) => void;

/** Copies the rows of all tables from the sources and, where those are incomplete, from the backup. */
function fill(
  into: Sqlite.Database,
  { sources, current }: Sources,
  backup: Sqlite.Database | null,
): RepairedTable[] {
  // Tables are filled in alphabetical order, so rows may refer to ones that come later.
  into.pragma('foreign_keys=OFF');
  return into.transaction(() =>
    tablesOf(into).map((name): RepairedTable => {
      const wantedColumns = columnsOf(into, name);
      let added = 0;
      const inserts = new Map<string, Sqlite.Statement>();
      const take: Take = (row) => {
        const columns = wantedColumns.filter((column) => Object.hasOwn(row, column));
        const sql = `INSERT OR IGNORE INTO ${quoted(name)} (${columns.map(quoted).join(', ')})
          VALUES (${columns.map(() => '?').join(', ')})`;
        const insert = inserts.get(sql) ?? into.prepare(sql);
        inserts.set(sql, insert);
        added += insert.run(columns.map((column) => row[column])).changes;
      };
      let whole = false;
      for (const source of sources) {
        if (whole) break;
        try {
          whole =
            persistently(() => tablesOf(source).includes(name) && readTable(source, name, take)) && current;
        } catch (error) {
          if (!isDamage(error)) throw error;
        }
      }
      const count = added;
      if (!whole && backup !== null && tablesOf(backup).includes(name)) readTable(backup, name, take);
      return {
        name,
        kept: count,
        restored: added - count,
        lost: whole ? 0 : current ? lostOf(into, sources, name) : null,
        whole,
      };
    }),
  )();
}

/** Journal entries are numbered without gaps, so missing numbers count the lost ones. */
function lostOf(into: Sqlite.Database, sources: readonly Sqlite.Database[], table: string): number | null {
  if (table !== 'journal') return null;
  const ends = sources.map((source) => {
    try {
      return Number(source.prepare('SELECT coalesce(max(id), 0) FROM journal').pluck().get());
    } catch {
      return null;
    }
  });
  const counts = ends.filter((end) => end !== null);
  if (counts.length === 0) return null;
  const count = Number(into.prepare('SELECT count(*) FROM journal').pluck().get());
  return Math.max(...counts, count) - count;
}

/**
 * Replaces a damaged, empty or missing workspace with a sound one. The old file is kept under another name, with its
 * log. Safe against a crash at any step: the new file waits under its own name until the old one is moved away.
 */
export function repairWorkspace(spec: OpenSpec, cause: Repair['cause'], migrate: Migrate): Repair {
  const waiting = waitingFile(spec.path);
  const work = `${spec.path}.salvaging`;
  const scratch = `${spec.path}.reading`;
  for (const path of [work, scratch, waiting]) remove(path);
  let tables: RepairedTable[];
  let used: Backup | null;
  try {
    const from = cause === 'damaged' ? sourcesOf(spec, scratch) : { sources: [], current: true };
    used = soundBackup(spec);
    const backup = used === null ? null : connect({ path: used.path, key: spec.key }, true, CACHE_KIB);
    makePrivate(work);
    const into = connect({ path: work, key: spec.key }, false, CACHE_KIB);
    try {
      const [like] = [...from.sources, ...(backup === null ? [] : [backup])];
      migrate(into, like === undefined ? null : Number(like.pragma('user_version', { simple: true })));
      tables = fill(into, from, backup);
    } finally {
      into.close();
      for (const source of from.sources) source.close();
      backup?.close();
    }
    syncFile(work);
    patientlySync(() => renameSync(work, waiting));
    syncFolder(dirname(spec.path));
  } finally {
    remove(work);
    remove(scratch);
  }
  const name = cause === 'damaged' ? setAside(spec.path, `damaged-${stamp(spec.now)}`) : null;
  if (cause === 'empty') rmSync(spec.path);
  putInPlace(spec);
  return { cause, setAside: name, backupAt: used?.at ?? null, tables };
}

const waitingFile = (path: string) => `${path}.salvaged`;

/** Completes a repair that was interrupted between the two renames; one interrupted earlier simply starts again. */
export function finishRepair(spec: OpenSpec): Repair | null {
  if (!isThere(waitingFile(spec.path))) return null;
  if (isThere(spec.path)) {
    remove(waitingFile(spec.path));
    return null;
  }
  putInPlace(spec);
  return { cause: 'damaged', setAside: null, backupAt: null, tables: [] };
}

function putInPlace(spec: OpenSpec): void {
  // A leftover log would be applied to the new database.
  if (COMPANIONS.some((suffix) => isThere(spec.path + suffix)))
    setAside(spec.path, `damaged-${stamp(spec.now)}`);
  patientlySync(() => renameSync(waitingFile(spec.path), spec.path));
  syncFolder(dirname(spec.path));
}
