/** Databases that cannot be used as they are: kept beside the new one under another name, never removed at once. */
import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isThere } from '#workers/is-there.ts';
import { patientlySync } from '#workers/patience.ts';
import { COMPANIONS, removeDatabase } from './store.ts';

/** Files set aside that are kept of each database; one can be large. */
const KEPT_ASIDE = 2;

export type AsideReason = 'damaged' | 'earlier';

/** The files that were set aside of this database, oldest first. */
export function databasesAside(path: string): string[] {
  const own = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter(
      (name) =>
        name.startsWith(own) && /^(?:damaged|earlier)-\d{8}T\d{6}Z(?:-\d+)?$/.test(name.slice(own.length)),
    )
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    .map((name) => join(dirname(path), name));
}

/** The part of the name that says when, in an order of texts. */
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

/** Removes all but the newest files that were set aside; `last` is one of them, also if the clock was set back since. */
export function removeOldAside(path: string, last: string): void {
  const others = databasesAside(path).filter((aside) => aside !== last);
  for (const old of others.slice(0, 1 - KEPT_ASIDE)) removeDatabase(old);
}
