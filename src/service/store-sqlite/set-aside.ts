/** Unusable databases: renamed and kept beside the new one, never removed immediately. */
import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isThere } from '#workers/exists-or-throw.ts';
import { patientlySync } from '#workers/retry-locked-file.ts';
import { COMPANIONS, removeDatabase } from './sqlite-store.ts';

/** Number of files kept per database; one can be large. */
const KEPT_ASIDE = 2;

export type AsideReason = 'damaged' | 'earlier';

/** The files set aside for this database, oldest first. */
function databasesAside(path: string): string[] {
  const prefix = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter(
      (name) =>
        name.startsWith(prefix) &&
        /^(?:damaged|earlier)-\d{8}T\d{6}Z(?:-\d+)?$/.test(name.slice(prefix.length)),
    )
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    .map((name) => join(dirname(path), name));
}

export interface Aside {
  path: string;
  reason: AsideReason;
}

/** The newest file set aside for this database, or null if there is none. */
export function newestAside(path: string): Aside | null {
  const aside = databasesAside(path).at(-1);
  if (aside === undefined) return null;
  return { path: aside, reason: aside.startsWith(`${path}.earlier-`) ? 'earlier' : 'damaged' };
}

/** The time as a part of the name, which sorts as text. */
const timeOf = (name: string): string => name.slice(name.lastIndexOf('.')).replace(/^\.[a-z]+-/, '');

/** The second after the time of a file that was set aside. */
function secondAfter(aside: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(timeOf(aside)) ?? [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second + 1);
}

/**
 * Renames a database with its companions; returns its new path. Its time is later than that of all others, even if the
 * clock was set back: the newest is the one whose companions may still have to be renamed. Throws when the folder does
 * not allow it.
 */
export function setAside(path: string, reason: AsideReason, now: number): string {
  const last = newestAside(path);
  const time = last === null ? now : Math.max(now, secondAfter(last.path));
  const target = `${path}.${reason}-${new Date(time).toISOString().replace(/[-:]|\.\d+/g, '')}`;
  for (const suffix of ['', ...COMPANIONS])
    if (isThere(path + suffix)) patientlySync(() => renameSync(path + suffix, target + suffix));
  return target;
}

/**
 * Completes setting aside that ended after the database was renamed: its log would be removed when a new database is made.
 * Nothing else may have the files open.
 */
export function finishSettingAside(path: string): void {
  const aside = isThere(path) ? null : newestAside(path);
  if (aside === null) return;
  for (const suffix of COMPANIONS)
    if (isThere(path + suffix) && !isThere(aside.path + suffix))
      patientlySync(() => renameSync(path + suffix, aside.path + suffix));
}

/** Removes all but the newest files set aside. */
export function removeOldAside(path: string): void {
  for (const old of databasesAside(path).slice(0, -KEPT_ASIDE)) removeDatabase(old);
}
