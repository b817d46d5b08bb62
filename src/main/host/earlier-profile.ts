/** Profiles of builds before 1.0.0, whose files this version cannot read: they are set aside whole, as that build needs them. */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { diskFailure, isDenied, isDiskFull, withheld } from '#shared/model/disk-errors.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import { patientlySync } from '#workers/retry-locked-file.ts';
import { readSmall, syncFolder } from '../store/durable.ts';
import { EARLIER, PROFILE_ID } from '../store/profile-files.ts';

/** Later versions write more than the id (profile.ts). */
const EARLIER_ID = /^[0-9a-f-]{36}\s*$/;
/** What depends on a schema or a key. The folder may also have files of the user, which stay. */
const OWN =
  /^(?:(?:workspace|cache)\.sqlite(?:[.-].+)?|demo-[\da-z-]+\.sqlite(?:[.-].+)?|evidence|run-\d+-[0-9a-f]+|key-check|secrets\.sealed|reserve)$/;

function isOfEarlierBuild(profile: string): boolean {
  try {
    return EARLIER_ID.test(readSmall(join(profile, PROFILE_ID)));
  } catch {
    return false;
  }
}

/** The first folder that has no id yet: a new one, or that of a move which was interrupted. */
function folderFor(profile: string): string {
  const first = join(profile, EARLIER);
  let folder = first;
  for (let count = 2; isThere(join(folder, PROFILE_ID)); count++) folder = `${first}-${count}`;
  return folder;
}

function moveInto(folder: string, profile: string, names: readonly string[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The id last: until it has moved, the next start continues.
  for (const name of [...names, PROFILE_ID])
    patientlySync(() => renameSync(join(profile, name), join(folder, name)));
  for (const changed of [folder, profile]) syncFolder(changed);
}

const reasonOf = (error: unknown): string =>
  diskFailure(error) ??
  withheld(error) ??
  (isDenied(error) ? 'its folder may not be written to' : null) ??
  (isDiskFull(error) ? 'its disk is full' : null) ??
  String(error);

/** Call with the profile's lock. A kill at any step loses nothing. Throws, in words, if the files cannot be moved. */
export function setAsideEarlier(profile: string): void {
  if (!isOfEarlierBuild(profile)) return;
  const names = readdirSync(profile).filter((name) => OWN.test(name));
  const folder = folderFor(profile);
  // Nothing was ever stored with this id.
  if (names.length === 0 && !isThere(folder)) return;
  try {
    moveInto(folder, profile, names);
  } catch (error) {
    throw new Error(
      `it was made by a build of Parapet before 1.0.0, which this version cannot read, and cannot be kept as ${basename(folder)} in it: ${reasonOf(error)}. Nothing of it was changed or removed`,
      { cause: error },
    );
  }
}
