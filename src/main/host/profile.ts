/** The folder that holds an analyst's databases and settings. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeDurable } from '../store/durable.ts';
import { hasSealedFiles, SEALED } from '../store/profile-files.ts';

/** The usual place for an application's data: XDG, Application Support, or AppData. */
export function defaultProfile(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, home: string): string {
  if (platform === 'win32')
    return path.join(env['APPDATA'] ?? path.join(home, 'AppData', 'Roaming'), 'Parapet');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Parapet');
  const data = env['XDG_DATA_HOME'];
  // The XDG specification tells programs to ignore a relative path.
  return path.join(
    data !== undefined && path.isAbsolute(data) ? data : path.join(home, '.local', 'share'),
    'parapet',
  );
}

export interface Profile {
  path: string;
  /** Names this profile's entries in the keychain, and outlives a move of the folder. */
  id: string;
  /** Nothing was stored here before. */
  fresh: boolean;
}

const ID = /^[0-9a-f-]{36}$/;

function profileId(dir: string): string {
  const file = path.join(dir, 'profile-id');
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (ID.test(known)) return known;
  } catch {
    // first start: written below
  }
  const id = randomUUID();
  // A profile with files has an id, whatever this file says now: another one would hide its key for ever. Under the
  // id of this run nothing is found, and the files stay closed until the right one is back.
  if (hasSealedFiles(dir)) return id;
  try {
    writeDurable(file, `${id}\n`);
  } catch {
    // A folder that cannot be written keeps nothing either: the id serves this run.
  }
  return id;
}

/**
 * Makes the folder, readable by its owner only. One that was there keeps its mode: it may be shared on purpose.
 * Throws when it cannot be made, is a file, or is one that another user of the machine could exchange files in.
 */
export function openProfile(wanted: string | null): Profile {
  const dir = wanted ?? defaultProfile(process.env, process.platform, os.homedir());
  const fresh = !hasSealedFiles(dir) && !existsSync(path.join(dir, SEALED));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const user = process.getuid?.();
  const { uid, mode } = statSync(dir);
  if (user !== undefined && user !== 0 && uid !== user && uid !== 0)
    throw new Error(`${dir} belongs to another user of this machine`);
  if (process.platform !== 'win32' && (mode & 0o1002) === 0o002)
    throw new Error(
      `every user of this machine can exchange files in ${dir} (take that right away with: chmod o-w "${dir}")`,
    );
  return { path: dir, id: profileId(dir), fresh };
}
