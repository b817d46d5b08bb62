/** The folder that holds an analyst's databases and settings. */
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeOf } from '#shared/model/disk-errors.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import { readSmall, writeDurable } from '../store/durable.ts';
import { hasSealedFiles, PROFILE_ID, SEALED } from '../store/profile-files.ts';
import { setAsideEarlier } from './earlier-profile.ts';
import { systemProgram } from './windows.ts';

/** The user's home folder, or null if the system knows of none. An empty or relative HOME is ignored. */
export function homeFolder(): string | null {
  for (const find of [os.homedir, () => os.userInfo().homedir])
    try {
      const home = find();
      if (path.isAbsolute(home)) return home;
    } catch {
      // A user without an account on this machine, as in a container.
    }
  return null;
}

function requiredHome(): string {
  const home = homeFolder();
  if (home === null) throw new Error('this user has no home folder');
  return home;
}

/** The platform's location for application data: XDG, Application Support, or AppData. */
export function defaultProfile(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  home: () => string,
): string {
  if (platform === 'win32')
    return path.win32.join(env['APPDATA'] ?? path.win32.join(home(), 'AppData', 'Roaming'), 'Parapet');
  if (platform === 'darwin') return path.posix.join(home(), 'Library', 'Application Support', 'Parapet');
  const data = env['XDG_DATA_HOME'];
  // The XDG specification says to ignore a relative path.
  return path.posix.join(
    data !== undefined && path.posix.isAbsolute(data) ? data : path.posix.join(home(), '.local', 'share'),
    'parapet',
  );
}

const REFUSED = ['EACCES', 'EPERM', 'EROFS'];

/** Whether files can be created in a folder. */
export function canWrite(dir: string, platform: NodeJS.Platform = process.platform): boolean {
  try {
    accessSync(dir, constants.W_OK);
  } catch {
    return false;
  }
  if (platform !== 'win32') return true;
  // On Windows the call above checks an attribute that has no meaning for folders.
  const probe = path.join(dir, `.write-check-${randomBytes(8).toString('hex')}`);
  try {
    closeSync(openSync(probe, 'wx'));
  } catch (error) {
    return !REFUSED.includes(codeOf(error));
  }
  try {
    rmSync(probe, { force: true });
  } catch {
    // A virus scanner may be reading it.
  }
  return true;
}

export interface Identity {
  /** Scopes this profile's keychain entries; unaffected by moving the folder. */
  id: string;
  /** Nothing was stored here before. */
  fresh: boolean;
}

/** A bare id is of a build before 1.0.0 (earlier-profile.ts). */
const FORM = 'parapet 1 ';
const ID = /^[0-9a-f-]{36}$/;

function profileId(dir: string): string {
  const file = path.join(dir, PROFILE_ID);
  try {
    const text = readSmall(file).trim();
    const sid = text.startsWith(FORM) ? text.slice(FORM.length) : '';
    if (ID.test(sid)) return sid;
  } catch {
    // first start: created below
  }
  const id = randomUUID();
  // A profile with sealed files already had an id, so the file is lost or damaged; writing a new id would hide its key
  // for ever. With a temporary id no key is found, and the files stay locked until the right id is restored.
  if (hasSealedFiles(dir)) return id;
  try {
    writeDurable(file, `${FORM}${id}\n`);
  } catch {
    // A read-only folder stores nothing either, so the id lasts for this run.
  }
  return id;
}

const runTool = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 20_000,
    windowsHide: true,
  });

/**
 * Restricts a Windows folder to this user, the administrators and the system. A new folder inherits permissions, and at
 * the root of a disk these allow every user to read and change its content. Throws if the disk keeps no permissions.
 */
export function giveToOwner(dir: string, env: NodeJS.ProcessEnv, run = runTool): void {
  const user = run(systemProgram(env, 'whoami.exe'), ['/user', '/fo', 'csv', '/nh']);
  const sid = /"(S-1-[\d-]+)"\s*$/.exec(user)?.[1];
  if (sid === undefined) throw new Error('Windows did not say who the user is');
  const grants = [sid, 'S-1-5-18', 'S-1-5-32-544'].map((account) => `*${account}:(OI)(CI)F`);
  run(systemProgram(env, 'icacls.exe'), [dir, '/inheritance:r', '/grant:r', ...grants]);
}

/**
 * Creates the folder, readable by its owner only. An existing one keeps its mode, since it may be shared on purpose.
 * Throws when it cannot be created, is a file, or lets another user of the machine replace files in it.
 */
export function openProfile(folder: string | null): string {
  const dir = folder ?? defaultProfile(process.env, process.platform, requiredHome);
  const isNew = mkdirSync(dir, { recursive: true, mode: 0o700 }) !== undefined;
  // The default location is private to the user already.
  if (process.platform === 'win32' && isNew && folder !== null)
    try {
      giveToOwner(dir, process.env);
    } catch {
      // A disk without permissions, such as a FAT memory stick.
    }
  const user = process.getuid?.();
  const { uid, mode } = statSync(dir);
  if (user !== undefined && user !== 0 && uid !== user && uid !== 0)
    throw new Error(`${dir} belongs to another user of this machine`);
  if (process.platform !== 'win32' && (mode & 0o1002) === 0o002)
    throw new Error(
      `every user of this machine can replace files in ${dir} (revoke that right with: chmod o-w "${dir}", or choose a folder on a disk that keeps permissions)`,
    );
  return dir;
}

/** Call with the profile's lock. Throws where a profile of a build before 1.0.0 cannot be set aside. */
export function identify(dir: string): Identity {
  setAsideEarlier(dir);
  const fresh = !hasSealedFiles(dir) && !isThere(path.join(dir, SEALED));
  return { id: profileId(dir), fresh };
}
