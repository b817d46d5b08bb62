/** The folder that holds an analyst's databases and settings. */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

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
  try {
    writeFileSync(file, `${id}\n`, { mode: 0o600 });
  } catch {
    // A folder that cannot be written keeps nothing either: the id serves this run.
  }
  return id;
}

/** Makes the folder, readable by its owner only. Throws when it cannot be made or is a file. */
export function openProfile(wanted: string | null): Profile {
  const dir = wanted ?? defaultProfile(process.env, process.platform, os.homedir());
  const fresh = !existsSync(path.join(dir, 'workspace.sqlite'));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  try {
    chmodSync(dir, 0o700);
  } catch {
    // another owner's folder, or a file system without modes
  }
  return { path: dir, id: profileId(dir), fresh };
}
