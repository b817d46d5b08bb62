/** Unusable databases: renamed and kept beside the new one, never removed immediately. */
import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isThere } from '#workers/is-there.ts';
import { patientlySync } from '#workers/patience.ts';
import { COMPANIONS, removeDatabase } from './store.ts';

/** Number of files kept per database; one can be large. */
const KEPT_ASIDE = 2;

export type AsideReason = 'damaged' | 'earlier';

/** The files set aside for this database, oldest first. */
function databasesAside(path: string): string[] {
  const own = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter(
      (name) =>
        name.startsWith(own) && /^(?:damaged|earlier)-\d{8}T\d{6}Z(?:-\d+)?$/.test(name.slice(own.length)),
    )
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    .map((name) => join(dirname(path), name));
}

export interface Aside {
  path: string;
  reason: AsideReason;
}

/** The newest file set aside for this database; null: none. */
export function newestAside(path: string): Aside | null {
  const aside = databasesAside(path).at(-1);
  if (aside === undefined) return null;
  return { path: aside, reason: aside.startsWith(`${path}.earlier-`) ? 'earlier' : 'damaged' };
}

/** The time as a part of the name, which sorts as text. */
const timeOf = (name: string): string => name.slice(name.lastIndexOf('.')).replace(/^\.[a-z]+-/, '');

/** Renames a database with its companions; returns its new path. Throws when the folder does not allow it. */
export function setAside(path: string, reason: AsideReason, now: number): string {
  const label = `${reason}-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`;
  let target = `${path}.${label}`;
  for (let again = 2; isThere(target); again++) target = `${path}.${label}-${again}`;
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

/** Removes all but the newest files set aside; `last` counts as newest even if the clock was set back. */
export function removeOldAside(path: string, last: string): void {
  const others = databasesAside(path).filter((aside) => aside !== last);
  for (const old of others.slice(0, 1 - KEPT_ASIDE)) removeDatabase(old);
}
