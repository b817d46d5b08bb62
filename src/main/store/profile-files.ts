/** Names of a profile's files, and how to tell whether a key is theirs. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isThere } from '#workers/exists-or-throw.ts';
import { readSmall, writeDurable } from './durable.ts';

export const PROFILE_ID = 'profile-id';
export const SEALED = 'secrets.sealed';
/** Identifies the key of the databases beside it without revealing it. */
export const KEY_CHECK = 'key-check';
export const WORKSPACE = 'workspace.sqlite';
export const CACHE = 'cache.sqlite';
/** Prefix of workspace backups; a running number and the day follow. */
export const BACKUP = `${WORKSPACE}.backup-`;

/** Folder of the files of a build before 1.0.0; further ones have a number. */
export const EARLIER = 'before-1.0.0';

/** The folders with files of such builds. */
export function earlierProfiles(profile: string): string[] {
  if (!isThere(join(profile, EARLIER))) return [];
  return readdirSync(profile).filter((name) => name === EARLIER || name.startsWith(`${EARLIER}-`));
}

const keyCheck = z.object({
  kind: z.literal('parapet-key-check'),
  version: z.literal(1),
  key: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The key is 256 random bits, so its hash reveals nothing. */
const idOf = (databaseKey: string) =>
  createHash('sha256').update(`parapet database key\n${databaseKey}`).digest('hex');

/** Whether a key is the one that this folder's files were written with, or null if unknown. */
export function keyFits(folder: string, databaseKey: string): boolean | null {
  try {
    return keyCheck.parse(JSON.parse(readSmall(join(folder, KEY_CHECK)))).key === idOf(databaseKey);
  } catch {
    return null;
  }
}

export function writeKeyCheck(folder: string, databaseKey: string): void {
  const content: z.infer<typeof keyCheck> = {
    kind: 'parapet-key-check',
    version: 1,
    key: idOf(databaseKey),
  };
  writeDurable(join(folder, KEY_CHECK), `${JSON.stringify(content)}\n`);
}

/** Whether the profile has files that need a stored key. Throws where the folder cannot be read. */
export function hasSealedFiles(profile: string): boolean {
  if ([WORKSPACE, CACHE, KEY_CHECK, 'evidence'].some((name) => isThere(join(profile, name)))) return true;
  return isThere(profile) && readdirSync(profile).some((name) => name.startsWith(BACKUP));
}

/** The mode of a folder that other users can access, or null if none can, or the platform has no modes. */
export function exposedMode(folder: string): string | null {
  if (process.platform === 'win32' || !isThere(folder)) return null;
  const { mode } = statSync(folder);
  return (mode & 0o077) === 0 ? null : (mode & 0o777).toString(8);
}

/**
 * Whether the folder's disk keeps permissions, so that only their owner can read files in it; true if the folder is not
 * writable, so that this can't be tested.
 */
export function keepsModes(folder: string): boolean {
  const probe = join(folder, `.mode-${randomBytes(8).toString('hex')}`);
  try {
    writeFileSync(probe, '', { mode: 0o600, flag: 'wx' });
    return (statSync(probe).mode & 0o077) === 0;
  } catch {
    return true;
  } finally {
    try {
      rmSync(probe, { force: true });
    } catch {
      // A temporary disk failure must not prevent the start.
    }
  }
}
