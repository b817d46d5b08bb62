/** Which files the databases live in: the profile's own, or files of this run that nobody can read after it. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setAside } from '../store/open.ts';
import { createPool } from '../store/pool.ts';
import { createSlot, type DatabaseSlot } from '../store/slot.ts';
import type { Ports } from './ports.ts';

export interface Notice {
  id: string;
  level: 'info' | 'warning' | 'error';
  message: string;
}

export interface Storage {
  cache: DatabaseSlot;
  workspace: DatabaseSlot;
  readOnly: boolean;
  /** Folder of files that are sealed with the database key. */
  directory(): string;
  /** Opens the profile's own files, or files of this run. `adopt`: this run's files become the profile's. */
  open(key: string, where: 'profile' | 'run', adopt?: boolean): Promise<void>;
  close(): Promise<void>;
}

const RUN = /^run-(\d+)-[0-9a-f]+$/;
const FILES = ['workspace.sqlite', 'cache.sqlite'];

/** Whether files can be made in the profile; the folder is made when it is not there. */
export function isWritable(profile: string): boolean {
  const probe = join(profile, `.write-check-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    mkdirSync(profile, { recursive: true, mode: 0o700 });
    accessSync(profile, constants.W_OK);
    writeFileSync(probe, '');
    rmSync(probe);
    return true;
  } catch {
    return false;
  }
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Files of a run that was killed: their key died with it. */
function removeLeftovers(profile: string): void {
  for (const name of readdirSync(profile)) {
    const pid = Number(RUN.exec(name)?.[1] ?? 0);
    if (pid > 0 && !alive(pid)) rmSync(join(profile, name), { recursive: true, force: true });
  }
}

export function createStorage(
  ports: Ports,
  readOnly: boolean,
  notice: (notice: Notice) => void,
  /** The cache was damaged and begun anew while it was in use. */
  rebuilt: () => void,
): Storage {
  const { profile } = ports.paths;
  const cache = createSlot();
  const workspace = createSlot();
  let directory: string | null = null;
  let runDirectory: string | null = null;
  let key = '';
  if (!readOnly) removeLeftovers(profile);

  const newRunDirectory = (): string => {
    if (readOnly) return mkdtempSync(join(tmpdir(), 'parapet-run-'));
    const path = join(profile, `run-${process.pid}-${randomBytes(6).toString('hex')}`);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };

  const pool = async (kind: 'cache' | 'workspace', at: string) => {
    const path = join(at, `${kind}.sqlite`);
    const opened = await createPool({
      entry: ports.workers.store,
      kind,
      path,
      key,
      now: ports.now(),
      onSlow: (ms, sql) => ports.log.info('slow statement', { kind, ms, sql }),
      onDamaged: kind === 'cache' ? () => void rebuildCache(path) : tellDamagedWorkspace,
    });
    if (opened.setAside !== null)
      notice({
        id: `set-aside-${kind}`,
        level: 'warning',
        message:
          kind === 'cache'
            ? `The cache could not be read and was set aside as ${opened.setAside}. A new one was begun; what it held is fetched again.`
            : `The workspace could not be read with this profile's key and was set aside as ${opened.setAside}. A new one was begun: connections, drafts and layouts start afresh.`,
      });
    return opened;
  };

  const rebuildCache = async (path: string) => {
    await cache
      .replace(async () => {
        const name = setAside(path, `damaged-${ports.now()}`);
        notice({
          id: 'set-aside-cache',
          level: 'warning',
          message: `The cache was damaged and was set aside as ${name}. A new one was begun; what it held is fetched again.`,
        });
        return pool('cache', directory ?? profile);
      })
      .then(rebuilt)
      .catch((error: unknown) => ports.log.warn('the cache could not be rebuilt', { reason: String(error) }));
  };
  const tellDamagedWorkspace = () =>
    notice({
      id: 'damaged-workspace',
      level: 'error',
      message:
        'The workspace is damaged. It is set aside and begun anew at the next start; nothing of it is deleted.',
    });

  /** Puts this run's files under the profile's names; what is there under another key is kept beside. */
  const adoptFiles = (from: string) => {
    for (const name of readdirSync(from)) {
      const target = join(profile, name);
      if (existsSync(target))
        notice({
          id: `kept-${name}`,
          level: 'info',
          message: `An earlier ${name} of this profile was kept as ${setAside(target, `earlier-${ports.now()}`)}.`,
        });
      renameSync(join(from, name), target);
    }
    rmSync(from, { recursive: true, force: true });
  };

  return {
    cache,
    workspace,
    readOnly,
    directory: () => directory ?? profile,
    async open(newKey, where, adopt = false) {
      // Both are closed before a file moves; callers wait in the slots until the new ones are there.
      const gate = Promise.withResolvers<void>();
      const both = [cache, workspace] as const;
      const closed = both.map(() => Promise.withResolvers<void>());
      const replaced = both.map((slot, index) =>
        slot.replace(async () => {
          closed[index]?.resolve();
          await gate.promise;
          return pool(slot === cache ? 'cache' : 'workspace', directory ?? profile);
        }),
      );
      const done = Promise.all(replaced);
      done.catch(() => {});
      try {
        await Promise.all(closed.map(({ promise }) => promise));
        key = newKey;
        const before = runDirectory;
        if (where === 'profile' && !readOnly) {
          if (adopt && before !== null) adoptFiles(before);
          else if (before !== null) rmSync(before, { recursive: true, force: true });
          runDirectory = null;
          directory = profile;
        } else if (!adopt || before === null) {
          runDirectory = newRunDirectory();
          directory = runDirectory;
          if (where === 'profile') copyReadable(profile, runDirectory);
          if (before !== null) rmSync(before, { recursive: true, force: true });
        }
        gate.resolve();
      } catch (error) {
        gate.reject(error);
        throw error;
      }
      await done;
    },
    async close() {
      await Promise.all([cache.close(), workspace.close()]);
      if (runDirectory !== null) rmSync(runDirectory, { recursive: true, force: true });
    },
  };
}

/** From a profile that cannot be written to, a copy to look at: changes end with the run. */
function copyReadable(profile: string, to: string): void {
  for (const name of FILES)
    for (const suffix of ['', '-wal'])
      if (existsSync(join(profile, name + suffix)))
        copyFileSync(join(profile, name + suffix), join(to, name + suffix));
}
