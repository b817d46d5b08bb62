/** Which files the databases use: the profile's own, or temporary files that nobody can read after this run. */
import { randomBytes, randomFillSync } from 'node:crypto';
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
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Ports } from '../kernel/ports.ts';
import { COMPANIONS, setAside } from '../store/connect.ts';
import { syncFolder, writeDurable } from '../store/durable.ts';
import { createPool, type Pool } from '../store/pool.ts';
import {
  BACKUP,
  CACHE,
  hasSealedFiles,
  KEY_CHECK,
  keyFits,
  SEALED,
  WORKSPACE,
  writeKeyCheck,
} from '../store/profile-files.ts';
import { createSlot, type DatabaseSlot } from '../store/slot.ts';
import { repairWords } from './repair-summary.ts';

export interface Notice {
  id: string;
  level: 'info' | 'warning' | 'error';
  message: string;
}

interface OpenOptions {
  /** The files of this run become the profile's. */
  adopt?: boolean;
  /** Files should exist; without them something is lost. */
  expected?: boolean;
}

export interface Storage {
  cache: DatabaseSlot;
  workspace: DatabaseSlot;
  readOnly: boolean;
  /** Folder for files that are encrypted with the database key. */
  directory(): string;
  /**
   * Opens the profile's own files, or files of this run. When they do not open, the previous ones are reopened
   * unchanged, and it rejects: secrets-locked (the key is not theirs), newer-schema, bad-file, permission-denied,
   * disk-full.
   */
  open(key: string, where: 'profile' | 'run', options?: OpenOptions): Promise<void>;
  /** Called before the key of this run's files is stored: from then on they outlive the run. */
  prepareAdoption(): void;
  /** Rejects disk-full when so little space is left that the cache must not grow. */
  room(): Promise<void>;
  /** Deletes the cache's files instead of its rows, which works on a full disk too. */
  emptyCache(): Promise<void>;
  /** `keep`: the key of this run's files is stored, although they could not be moved yet. */
  close(keep?: boolean): Promise<void>;
}

const RUN = /^run-(\d+)-[0-9a-f]+$/;
const DATABASES = [WORKSPACE, CACHE];
/** Marks the folder of a run whose key is being stored: its files wait for the next start with that key. */
const ADOPTING = 'adopting';
/** Files that were being written when Parapet was killed. */
const UNFINISHED = new RegExp(
  `^(?:${SEALED}|profile-id|${KEY_CHECK}|reserve)(?:\\.\\d+-[0-9a-f]{8})?\\.new$`,
);
/** Interval of today's backup while Parapet runs. */
const BACKUP_MS = 60 * 60 * 1000;
/** Delay of the first backup, so that it does not slow the start. */
const FIRST_BACKUP_MS = 20_000;
/** Free space below which the cache stops growing: the journal and deletions need space, too. */
const HEADROOM = 64 * 1024 * 1024;
/** Space reserved for starting on a disk that something else has filled. */
const RESERVE = 8 * 1024 * 1024;
const RESERVE_NAME = 'reserve';

export interface StorageTuning {
  headroom?: number;
  firstBackupMs?: number;
}

/** Whether the profile, which is created if missing, is writable. */
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

/** Folders of runs in use by this process. */
const ownRuns = new Set<string>();
const runsOf = (profile: string) =>
  readdirSync(profile)
    .filter((name) => RUN.test(name))
    .map((name) => ({ path: join(profile, name), pid: Number(RUN.exec(name)?.[1]) }))
    .filter(({ path }) => !ownRuns.has(path));

/** Removes files of a killed run, unless their key may have been stored; otherwise it died with the run. */
function removeLeftovers(profile: string): void {
  for (const name of readdirSync(profile))
    if (UNFINISHED.test(name)) rmSync(join(profile, name), { force: true });
  for (const { path, pid } of runsOf(profile))
    if (!alive(pid) && !existsSync(join(path, ADOPTING))) rmSync(path, { recursive: true, force: true });
}

interface Pools {
  workspace: Pool;
  cache: Pool;
}

interface Place {
  directory: string;
  /** The folder of this run, when the files are in it. */
  run: string | null;
  key: string;
}

export function createStorage(
  ports: Ports,
  readOnly: boolean,
  notice: (notice: Notice) => void,
  /** The cache was damaged or emptied, and recreated while it was in use. */
  rebuilt: () => void,
  { headroom = HEADROOM, firstBackupMs = FIRST_BACKUP_MS }: StorageTuning = {},
): Storage {
  const { profile } = ports.paths;
  const slot = createSlot();
  const cache: DatabaseSlot = {
    ...slot,
    async ingest(task) {
      await room();
      return slot.ingest(task);
    },
  };
  const workspace = createSlot();
  let place: Place | null = null;
  let adopting = false;
  let pools: Pools | null = null;
  let nextBackup: NodeJS.Timeout | null = null;
  let backingUp: Promise<void> = Promise.resolve();
  if (!readOnly) removeLeftovers(profile);

  const newRun = (key: string): Place => {
    const path = readOnly
      ? mkdtempSync(join(tmpdir(), 'parapet-run-'))
      : join(profile, `run-${process.pid}-${randomBytes(6).toString('hex')}`);
    if (!readOnly) mkdirSync(path, { mode: 0o700 });
    ownRuns.add(path);
    writeKeyCheck(path, key);
    return { directory: path, run: path, key };
  };

  const pool = async (kind: 'cache' | 'workspace', { directory, key }: Place, expected: boolean) => {
    const path = join(directory, `${kind}.sqlite`);
    const fits = keyFits(directory, key);
    const opened = await createPool({
      entry: ports.workers.store,
      kind,
      path,
      key,
      now: ports.now(),
      ...(fits === null ? {} : { keyFits: fits }),
      expected,
      onSlow: (ms, sql) => ports.log.info('slow statement', { kind, ms, sql }),
      onDamaged: kind === 'cache' ? () => void rebuildCache(path) : tellDamagedWorkspace,
    });
    if (kind === 'cache' && opened.setAside !== null)
      notice({
        id: 'set-aside-cache',
        level: 'warning',
        message: `The cache could not be read and was set aside as ${opened.setAside}. A new one was begun; what it held is fetched again.`,
      });
    if (opened.repair !== null)
      notice({ id: 'workspace-repaired', level: 'error', message: repairWords(opened.repair) });
    return opened;
  };

  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(place?.directory ?? profile);
    return bavail * bsize;
  };
  const room = async () => {
    if ((await freeBytes()) < headroom)
      throw new ParapetError(
        'disk-full',
        `The disk has less than ${Math.round(headroom / 1024 / 1024)} MB left, so nothing more is saved. Free some space, or clear the cache in Settings, and try again.`,
        { retryable: true },
      );
  };

  /** Reserved while there is plenty of space; random bytes, since some file systems do not store zeros. */
  const reserve = join(profile, RESERVE_NAME);
  const holdReserve = async () => {
    if (readOnly || existsSync(reserve) || (await freeBytes()) < 2 * headroom + RESERVE) return;
    const file = await open(`${reserve}.new`, 'w', 0o600);
    try {
      // One small buffer: a large one would stay in memory until the collector has a reason to run.
      const piece = Buffer.alloc(RESERVE / 64);
      for (let done = 0; done < RESERVE; done += piece.length) await file.writeFile(randomFillSync(piece));
    } finally {
      await file.close();
    }
    await rename(`${reserve}.new`, reserve);
  };

  /** On a full disk the reserve is released to make space for the databases to open. */
  const openWithReserve = async (at: Place, expected: boolean): Promise<Pools> => {
    const isFull = (error: unknown) => error instanceof ParapetError && error.code === 'disk-full';
    try {
      return await openBoth(at, expected);
    } catch (error) {
      if (!isFull(error)) throw error;
    }
    rmSync(reserve, { force: true });
    try {
      const opened = await openBoth(at, expected);
      notice({
        id: 'disk-full',
        level: 'error',
        message:
          'The disk is full. Parapet opened with the last space it had held back: nothing more is saved to the cache. Free some space, or clear the cache in Settings.',
      });
      return opened;
    } catch (error) {
      if (!isFull(error)) throw error;
      const path = join(at.directory, CACHE);
      const size = existsSync(path) ? Math.round(statSync(path).size / 1024 / 1024) : 0;
      throw new ParapetError(
        'disk-full',
        `The disk is full, and Parapet cannot open its files. Free some space and start again. ${path} takes ${size} MB and may be deleted: what it holds is fetched again.`,
        { cause: error },
      );
    }
  };

  /** The workspace first: it shows whether key and version fit before the cache is touched. */
  const openBoth = async (at: Place, expected: boolean): Promise<Pools> => {
    const opened = await pool('workspace', at, expected);
    try {
      return { workspace: opened, cache: await pool('cache', at, false) };
    } catch (error) {
      await opened.close();
      throw error;
    }
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
        return pool('cache', placeNow(), false);
      })
      .then(rebuilt)
      .catch((error: unknown) => ports.log.warn('the cache could not be rebuilt', { reason: String(error) }));
  };
  const tellDamagedWorkspace = () =>
    notice({
      id: 'damaged-workspace',
      level: 'error',
      message:
        'The workspace is damaged. Close Parapet and start it again: it is then repaired from what can be read of it and from its newest backup, and what was lost is named. Nothing of it is deleted.',
    });
  const placeNow = (): Place => {
    if (place === null) throw new ParapetError('internal', 'The databases are not open yet.');
    return place;
  };

  /** Renames the files of a run to the profile's names; existing files with another key are kept beside them. */
  const adoptFiles = (from: string): (() => void) => {
    const moved: { from: string; to: string }[] = [];
    const back = () => {
      for (const one of moved.reverse()) renameSync(one.to, one.from);
    };
    try {
      for (const name of readdirSync(from)) {
        if (name === ADOPTING) continue;
        const target = join(profile, name);
        if (existsSync(target) && name !== KEY_CHECK)
          notice({
            id: `kept-${name}`,
            level: 'info',
            message: `An earlier ${name} of this profile was kept as ${setAside(target, `earlier-${ports.now()}`)}.`,
          });
        renameSync(join(from, name), target);
        moved.push({ from: join(from, name), to: target });
      }
      syncFolder(profile);
    } catch (error) {
      back();
      throw error;
    }
    return back;
  };

  /** Adopts runs that were killed while their key was being stored: with the key, their files become the profile's. */
  const finishAdoptions = (key: string) => {
    // The profile's lock keeps other processes out, so these runs are over, even if their process ids are in use again.
    for (const { path: run } of runsOf(profile)) {
      // The key check moves with the files.
      const fits = keyFits(run, key) ?? keyFits(profile, key);
      if (fits === null) continue;
      if (fits) adoptFiles(run);
      rmSync(run, { recursive: true, force: true });
    }
  };

  const removeRun = (run: string) => {
    rmSync(run, { recursive: true, force: true });
    ownRuns.delete(run);
  };

  const backUp = () => {
    if (pools === null || place?.run !== null) return;
    backingUp = pools.workspace.backup(ports.now()).catch((error: unknown) => {
      const { code, message } = toBridgeError(error);
      if (code !== 'cancelled')
        notice({
          id: 'no-backup',
          level: 'warning',
          message: `The workspace could not be backed up today. ${message} The backups of earlier days are still there.`,
        });
    });
  };
  const keepBackups = (after: number) => {
    if (nextBackup !== null) clearTimeout(nextBackup);
    nextBackup = setTimeout(() => {
      backUp();
      holdReserve().catch((error: unknown) =>
        ports.log.warn('no space could be held back', { reason: String(error) }),
      );
      keepBackups(BACKUP_MS);
    }, after).unref();
  };

  /** Determines where the files will be, and how to undo the move. */
  const moveTo = (key: string, where: 'profile' | 'run', adopt: boolean): { to: Place; undo(): void } => {
    const before = place?.run ?? null;
    if (where === 'run') return { to: newRun(key), undo: () => {} };
    if (readOnly) {
      const to = newRun(key);
      copyReadable(profile, to.directory);
      return { to, undo: () => {} };
    }
    const to: Place = { directory: profile, run: null, key };
    if (!adopt || before === null) {
      finishAdoptions(key);
      return { to, undo: () => {} };
    }
    const undo = adoptFiles(before);
    return { to, undo };
  };

  return {
    cache,
    workspace,
    readOnly,
    directory: () => place?.directory ?? profile,
    async open(key, where, { adopt = false, expected = false } = {}) {
      await backingUp;
      // Both databases are closed before a file is moved; callers wait in the slots until the new ones are open.
      const opened = Promise.withResolvers<Pools>();
      opened.promise.catch(() => {});
      const closed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      const replaced = Promise.all([
        workspace.replace(async () => {
          closed[0].resolve();
          return (await opened.promise).workspace;
        }),
        cache.replace(async () => {
          closed[1].resolve();
          return (await opened.promise).cache;
        }),
      ]);
      replaced.catch(() => {});
      const before = place;
      let failure: { error: unknown } | null = null;
      try {
        await Promise.all(closed.map(({ promise }) => promise));
        pools = null;
        try {
          const { to, undo } = moveTo(key, where, adopt);
          try {
            // In a read-only folder, nothing can have been lost by us.
            pools = await openWithReserve(
              to,
              expected && where === 'profile' && (!readOnly || hasSealedFiles(profile)),
            );
          } catch (error) {
            undo();
            if (to.run !== null) removeRun(to.run);
            throw error;
          }
          place = to;
        } catch (error) {
          failure = { error };
          if (before === null) throw error;
          pools = await openWithReserve(before, false);
        }
        opened.resolve(pools);
      } catch (error) {
        opened.reject(error);
        throw error;
      }
      await replaced;
      if (failure !== null) throw failure.error;
      if (where === 'profile' && !readOnly && keyFits(profile, key) !== true) writeKeyCheck(profile, key);
      if (before !== null && before.run !== null && before.run !== place?.run) removeRun(before.run);
      adopting = false;
      keepBackups(firstBackupMs);
    },
    room,
    prepareAdoption() {
      if (place?.run === null || place === null || readOnly) return;
      writeDurable(join(place.run, ADOPTING), '');
      adopting = true;
    },
    async emptyCache() {
      await cache.replace(async () => {
        const at = placeNow();
        for (const suffix of ['', ...COMPANIONS]) rmSync(join(at.directory, CACHE + suffix), { force: true });
        const opened = await pool('cache', at, false);
        if (pools !== null) pools.cache = opened;
        return opened;
      });
      rebuilt();
    },
    async close(keep = false) {
      if (nextBackup !== null) clearTimeout(nextBackup);
      await backingUp;
      await Promise.all([cache.close(), workspace.close()]);
      const run = place?.run ?? null;
      if (run === null) return;
      if (keep && adopting) ownRuns.delete(run);
      else removeRun(run);
    },
  };
}

/** For a read-only profile: a copy to look at, whose changes end with the run. */
function copyReadable(profile: string, to: string): void {
  const wanted = new Set(DATABASES.flatMap((name) => ['', '-wal'].map((suffix) => name + suffix)));
  for (const name of existsSync(profile) ? readdirSync(profile) : [])
    if (wanted.has(name) || name.startsWith(BACKUP)) copyFileSync(join(profile, name), join(to, name));
}
