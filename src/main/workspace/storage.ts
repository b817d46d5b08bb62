/** Which files the databases use: the profile's own, or temporary files that cannot be read after this run. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import { isDiskFull } from '#shared/model/disk-errors.ts';
import type { Ports } from '../kernel/ports.ts';
import { COMPANIONS, setAside, stamp } from '../store/connect.ts';
import { createPool, type Pool } from '../store/pool.ts';
import { BACKUP, CACHE, hasSealedFiles, keyFits, WORKSPACE, writeKeyCheck } from '../store/profile-files.ts';
import { createSlot, type DatabaseSlot } from '../store/slot.ts';
import { DiskSpace } from './disk-space.ts';
import { repairWords } from './repair-summary.ts';
import { RunFolders } from './run-folders.ts';

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

const DATABASES = [WORKSPACE, CACHE];
/** Interval of today's backup while Parapet runs. */
const BACKUP_MS = 60 * 60 * 1000;
/** Interval of attempts to open the cache again while its disk fails. */
const REBUILD_AGAIN_MS = 10_000;
/** A cache that looks damaged once more is set aside without an examination, which would find nothing again. */
const MOST_FALSE_ALARMS = 3;
/** Delay of the first backup, so that it does not slow the start. */
const FIRST_BACKUP_MS = 20_000;

export interface StorageTuning {
  headroom?: number;
  /** As in `PoolOptions`. */
  idle?: number;
  firstBackupMs?: number;
}

/** Attempts to write to the profile: a share or a failing disk may refuse a single one. */
const WRITE_ATTEMPTS = 3;

/** Whether the profile, which is created if missing, is writable. `write` is the call that tests replace. */
export function isWritable(profile: string, write: typeof writeFileSync = writeFileSync): boolean {
  for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt++) {
    const probe = join(profile, `.write-check-${process.pid}-${randomBytes(4).toString('hex')}`);
    try {
      mkdirSync(profile, { recursive: true, mode: 0o700 });
      accessSync(profile, constants.W_OK);
      write(probe, '');
      rmSync(probe);
      return true;
    } catch {
      // Tried again, and the run is read-only after the last attempt.
    }
  }
  return false;
}

interface Pools {
  workspace: Pool;
  cache: Pool;
}

interface Location {
  directory: string;
  /** The folder of this run, when the files are in it. */
  run: string | null;
  key: string;
}

interface Move {
  to: Location;
  undo(): void;
}

const isFull = (error: unknown) =>
  isDiskFull(error) || (error instanceof ParapetError && error.code === 'disk-full');

export class ProfileStorage {
  readonly cache: DatabaseSlot;
  readonly workspace: DatabaseSlot = createSlot();
  readonly readOnly: boolean;
  readonly #ports: Ports;
  readonly #profile: string;
  readonly #notice: (notice: Notice) => void;
  readonly #rebuilt: () => void;
  readonly #firstBackupMs: number;
  readonly #idle: number | undefined;
  readonly #runs: RunFolders;
  readonly #space: DiskSpace;
  #location: Location | null = null;
  #adopting = false;
  #pools: Pools | null = null;
  #isResting = true;
  #nextBackup: NodeJS.Timeout | null = null;
  #nextRebuild: NodeJS.Timeout | null = null;
  /** How often a cache that looked damaged was sound. */
  #falseAlarms = 0;
  #isClosed = false;
  #backingUp: Promise<void> = Promise.resolve();

  /** `rebuilt` is called after the cache was damaged or emptied, and recreated while it was in use. */
  constructor(
    ports: Ports,
    readOnly: boolean,
    notice: (notice: Notice) => void,
    rebuilt: () => void,
    { headroom, idle, firstBackupMs = FIRST_BACKUP_MS }: StorageTuning = {},
  ) {
    this.#ports = ports;
    this.#profile = ports.paths.profile;
    this.readOnly = readOnly;
    this.#notice = notice;
    this.#rebuilt = rebuilt;
    this.#firstBackupMs = firstBackupMs;
    this.#idle = idle;
    this.#space = new DiskSpace(this.#profile, () => this.directory(), headroom);
    const slot = createSlot();
    this.cache = {
      ...slot,
      ingest: async (task) => {
        await this.room();
        return slot.ingest(task);
      },
    };
    this.#runs = new RunFolders(this.#profile, readOnly, ports.now, (name, as) =>
      notice({
        id: `kept-${name}`,
        level: 'info',
        message: `An earlier ${name} of this profile was kept as ${as}.`,
      }),
    );
  }

  /** Folder for files that are encrypted with the database key. */
  directory(): string {
    return this.#location?.directory ?? this.#profile;
  }

  /** Whether what is written now stays, as the files are the profile's own or are about to become them. */
  isLasting(): boolean {
    return this.#location?.run === null || this.#adopting;
  }

  /** Rejects disk-full when so little space is left that the cache must not grow. */
  room(): Promise<void> {
    return this.#space.room();
  }

  /**
   * Opens the profile's own files, or files of this run. When they do not open, the previous ones are reopened
   * unchanged, and it rejects: secrets-locked (the key is not theirs), newer-schema, bad-file, permission-denied,
   * disk-full.
   */
  async open(
    key: string,
    where: 'profile' | 'run',
    { adopt = false, expected = false }: OpenOptions = {},
  ): Promise<void> {
    await this.#backingUp;
    // Both databases are closed before a file is moved; callers wait in the slots until the new ones are open.
    const opened = Promise.withResolvers<Pools>();
    opened.promise.catch(() => {});
    const closed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const replaced = Promise.all([
      this.workspace.replace(async () => {
        closed[0].resolve();
        return (await opened.promise).workspace;
      }),
      this.cache.replace(async () => {
        closed[1].resolve();
        return (await opened.promise).cache;
      }),
    ]);
    replaced.catch(() => {});
    const before = this.#location;
    let failure: { error: unknown } | null = null;
    try {
      await Promise.all(closed.map(({ promise }) => promise));
      this.#pools = null;
      try {
        const move = await this.#withReserve(() => this.#moveTo(key, where, adopt));
        await this.#openAt(move, expected && where === 'profile');
      } catch (error) {
        failure = { error };
        if (before === null) throw error;
        this.#pools = await this.#withReserve(() => this.#openBoth(before, false));
      }
      opened.resolve(this.#poolsNow());
    } catch (error) {
      opened.reject(error);
      throw error;
    }
    await replaced;
    if (failure !== null) throw failure.error;
    if (where === 'profile' && !this.readOnly && keyFits(this.#profile, key) !== true)
      writeKeyCheck(this.#profile, key);
    if (before !== null && before.run !== null && before.run !== this.#location?.run)
      this.#runs.remove(before.run);
    this.#adopting = false;
    this.#keepBackups(this.#firstBackupMs);
  }

  /** Called before the key of this run's files is stored: from then on they outlive the run. */
  prepareAdoption(): void {
    const run = this.#location?.run ?? null;
    if (run === null || this.readOnly) return;
    this.#runs.prepareAdoption(run);
    this.#adopting = true;
  }

  /**
   * Whether no window is open: then the cache is closed while it is idle, which frees the memory of its thread. The
   * workspace stays open: if its file goes missing, an empty one must not be started.
   */
  rest(isResting: boolean): void {
    this.#isResting = isResting;
    this.#pools?.cache.rest(isResting);
  }

  /** Deletes the cache's files instead of its rows, which works on a full disk too. */
  async emptyCache(): Promise<void> {
    await this.cache.replace(async () => {
      const location = this.#currentLocation();
      for (const suffix of ['', ...COMPANIONS])
        rmSync(join(location.directory, CACHE + suffix), { force: true });
      const opened = await this.#openPool('cache', location, false);
      if (this.#pools !== null) this.#pools.cache = opened;
      return opened;
    });
    this.#rebuilt();
  }

  /** With `keep` the key of this run's files is stored although they could not be moved yet. */
  async close(keep = false): Promise<void> {
    this.#isClosed = true;
    for (const timer of [this.#nextBackup, this.#nextRebuild]) if (timer !== null) clearTimeout(timer);
    await this.#backingUp;
    await Promise.all([this.cache.close(), this.workspace.close()]);
    const run = this.#location?.run ?? null;
    if (run === null) return;
    if (keep && this.#adopting) this.#runs.leave(run);
    else this.#runs.remove(run);
  }

  #currentLocation(): Location {
    if (this.#location === null) throw new ParapetError('internal', 'The databases are not open yet.');
    return this.#location;
  }

  #poolsNow(): Pools {
    if (this.#pools === null) throw new ParapetError('internal', 'The databases are not open yet.');
    return this.#pools;
  }

  /** Determines where the files will be, and how to undo the move. */
  #moveTo(key: string, where: 'profile' | 'run', adopt: boolean): Move {
    const before = this.#location?.run ?? null;
    if (where === 'run' || this.readOnly) {
      const run = this.#runs.begin(key);
      if (where === 'profile') copyReadable(this.#profile, run);
      return { to: { directory: run, run, key }, undo: () => {} };
    }
    const to: Location = { directory: this.#profile, run: null, key };
    if (adopt && before !== null) return { to, undo: this.#runs.adopt(before) };
    this.#runs.finishAdoptions(key);
    return { to, undo: () => {} };
  }

  async #openAt({ to, undo }: Move, expected: boolean): Promise<void> {
    try {
      // In a read-only folder, nothing can have been lost by us.
      const isExpected = expected && (!this.readOnly || hasSealedFiles(this.#profile));
      this.#pools = await this.#withReserve(() => this.#openBoth(to, isExpected));
    } catch (error) {
      undo();
      if (to.run !== null) this.#runs.discard(to.run);
      throw error;
    }
    this.#location = to;
  }

  /** On a full disk, releases the reserve and repeats the work. */
  async #withReserve<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isFull(error)) throw error;
    }
    if (!this.readOnly) this.#space.releaseReserve();
    try {
      const opened = await work();
      this.#notice({
        id: 'disk-full',
        level: 'error',
        message:
          'The disk is full. Parapet opened with the last space it had reserved: nothing more is saved to the cache. Free some space, or clear the cache in Settings.',
      });
      return opened;
    } catch (error) {
      if (!isFull(error)) throw error;
      const path = join(this.#profile, CACHE);
      const size = existsSync(path) ? Math.round(statSync(path).size / 1024 / 1024) : 0;
      throw new ParapetError(
        'disk-full',
        `The disk is full, and Parapet cannot open its files. Free some space and start again. ${path} takes ${size} MB and may be deleted: its content is fetched again.`,
        { cause: error },
      );
    }
  }

  /** The workspace first: it shows whether key and version fit before the cache is touched. */
  async #openBoth(location: Location, expected: boolean): Promise<Pools> {
    const opened = await this.#openPool('workspace', location, expected);
    try {
      return { workspace: opened, cache: await this.#openPool('cache', location, false) };
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  async #openPool(
    kind: 'cache' | 'workspace',
    { directory, key }: Location,
    expected: boolean,
    suspect = false,
  ): Promise<Pool> {
    const path = join(directory, `${kind}.sqlite`);
    const fits = keyFits(directory, key);
    const opened = await createPool({
      entry: this.#ports.workers.store,
      kind,
      path,
      key,
      now: this.#ports.now(),
      ...(fits === null ? {} : { keyFits: fits }),
      expected,
      suspect,
      idle: this.#idle,
      onSlow: (ms, sql) => this.#ports.log.info('slow statement', { kind, ms, sql }),
      onDamaged: () => (kind === 'cache' ? void this.#rebuildCache() : this.#noticeDamagedWorkspace()),
    });
    if (kind === 'cache') opened.rest(this.#isResting);
    if (kind === 'cache' && opened.setAside !== null) this.#noticeNewCache(opened.setAside);
    if (opened.repair !== null)
      this.#notice({ id: 'workspace-repaired', level: 'error', message: repairWords(opened.repair) });
    return opened;
  }

  /**
   * Reopens the cache after an error that indicates damage, and sets it aside if it is really damaged: a temporary
   * failure of the disk looks the same. While the disk fails, this fails too and is retried.
   */
  async #rebuildCache(): Promise<void> {
    const suspect = this.#falseAlarms < MOST_FALSE_ALARMS;
    try {
      let isNew = !suspect;
      await this.cache.replace(async () => {
        const location = this.#currentLocation();
        if (!suspect)
          this.#noticeNewCache(
            setAside(join(location.directory, CACHE), `damaged-${stamp(this.#ports.now())}`),
          );
        const opened = await this.#openPool('cache', location, false, suspect);
        isNew ||= opened.setAside !== null;
        if (this.#pools !== null) this.#pools.cache = opened;
        return opened;
      });
      if (isNew) this.#rebuilt();
      else this.#falseAlarms += 1;
    } catch (error) {
      if (this.#isClosed) return;
      this.#ports.log.warn('the cache could not be opened again', { reason: String(error) });
      this.#nextRebuild = setTimeout(() => void this.#rebuildCache(), REBUILD_AGAIN_MS).unref();
    }
  }

  #noticeNewCache(aside: string): void {
    this.#notice({
      id: 'set-aside-cache',
      level: 'warning',
      message: `The cache could not be read and was set aside as ${aside}. A new one was started. Its content is fetched again, except for profiles saved for offline: save these again.`,
    });
  }

  #noticeDamagedWorkspace(): void {
    this.#notice({
      id: 'damaged-workspace',
      level: 'error',
      message:
        'The workspace is damaged, or its disk failed for a moment. Close Parapet and start it again: the workspace is then examined and, if it is damaged, repaired from what is readable in it and from its newest backup, and what was lost is listed. Nothing of it is deleted.',
    });
  }

  #keepBackups(after: number): void {
    if (this.#nextBackup !== null) clearTimeout(this.#nextBackup);
    this.#nextBackup = setTimeout(() => {
      this.#backUp();
      if (!this.readOnly)
        this.#space
          .holdReserve()
          .catch((error: unknown) =>
            this.#ports.log.warn('no space could be reserved', { reason: String(error) }),
          );
      this.#keepBackups(BACKUP_MS);
    }, after).unref();
  }

  #backUp(): void {
    if (this.#pools === null || this.#location?.run !== null) return;
    this.#backingUp = this.#pools.workspace.backup(this.#ports.now()).catch((error: unknown) => {
      const { code, message } = toBridgeError(error);
      if (code !== 'cancelled')
        this.#notice({
          id: 'no-backup',
          level: 'warning',
          message: `The workspace could not be backed up today. ${message} The backups of earlier days are still there.`,
        });
    });
  }
}

/** For a read-only profile: a copy to look at, whose changes end with the run. */
function copyReadable(profile: string, to: string): void {
  const names = new Set(DATABASES.flatMap((name) => ['', '-wal'].map((suffix) => name + suffix)));
  for (const name of existsSync(profile) ? readdirSync(profile) : [])
    if (names.has(name) || name.startsWith(BACKUP)) copyFileSync(join(profile, name), join(to, name));
}
