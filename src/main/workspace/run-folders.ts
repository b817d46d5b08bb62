/** Folders of files that end with a run of Parapet, unless their key is stored and they become the profile's. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '#shared/model/disk-errors.ts';
import { isThere } from '#workers/exists-or-throw.ts';
import { patientlySync } from '#workers/retry-locked-file.ts';
import { setAside } from '../store/connect.ts';
import { syncFolder, writeDurable } from '../store/durable.ts';
import { KEY_CHECK, keyFits, PROFILE_ID, SEALED, writeKeyCheck } from '../store/profile-files.ts';

const RUN = /^run-(\d+)-[0-9a-f]+$/;
/** Marks the folder of a run whose key is being stored: its files wait for the next start with that key. */
const ADOPTING = 'adopting';
/** Files that were being written when Parapet was killed. */
const UNFINISHED = new RegExp(
  `^(?:${SEALED}|${PROFILE_ID}|${KEY_CHECK}|reserve)(?:\\.\\d+-[0-9a-f]{8})?\\.new$`,
);

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
};

/** Folders of runs in use by this process. */
const ownRuns = new Set<string>();

export class RunFolders {
  readonly #profile: string;
  readonly #readOnly: boolean;
  /** Called when a file of the profile was kept under another name. */
  readonly #onKept: (name: string, as: string) => void;
  readonly #now: () => number;

  constructor(
    profile: string,
    readOnly: boolean,
    now: () => number,
    onKept: (name: string, as: string) => void,
  ) {
    this.#profile = profile;
    this.#readOnly = readOnly;
    this.#now = now;
    this.#onKept = onKept;
    if (!readOnly) this.#removeLeftovers();
  }

  /** A new folder for files of this key; its path. */
  begin(key: string): string {
    const path = this.#readOnly
      ? mkdtempSync(join(tmpdir(), 'parapet-run-'))
      : join(this.#profile, `run-${process.pid}-${randomBytes(6).toString('hex')}`);
    if (!this.#readOnly) mkdirSync(path, { mode: 0o700 });
    ownRuns.add(path);
    try {
      writeKeyCheck(path, key);
    } catch (error) {
      this.discard(path);
      throw error;
    }
    return path;
  }

  remove(run: string): void {
    rmSync(run, { recursive: true, force: true });
    ownRuns.delete(run);
  }

  /** Removes it after a failure. Never throws, so that the first failure is reported: a failing disk fails here too. */
  discard(run: string): void {
    try {
      this.remove(run);
    } catch {
      // The next start removes it.
    }
  }

  /** Its key is stored, although its files could not be moved yet: the next start with that key adopts them. */
  leave(run: string): void {
    ownRuns.delete(run);
  }

  /** Marks the files of this run to be kept after it ends. */
  prepareAdoption(run: string): void {
    writeDurable(join(run, ADOPTING), '');
  }

  /**
   * Renames the files of a run to the profile's names; existing files with another key are kept beside them. Returns
   * a function that undoes this.
   */
  adopt(run: string): () => void {
    const moved: { from: string; to: string }[] = [];
    const back = () => {
      for (const move of moved.reverse()) patientlySync(() => renameSync(move.to, move.from));
    };
    try {
      for (const name of readdirSync(run)) {
        if (name === ADOPTING) continue;
        const target = join(this.#profile, name);
        if (isThere(target) && name !== KEY_CHECK)
          this.#onKept(name, setAside(target, `earlier-${this.#now()}`));
        patientlySync(() => renameSync(join(run, name), target));
        moved.push({ from: join(run, name), to: target });
      }
      syncFolder(this.#profile);
    } catch (error) {
      back();
      throw error;
    }
    return back;
  }

  /** Adopts runs that were killed while their key was being stored: with the key, their files become the profile's. */
  finishAdoptions(key: string): void {
    // The profile's lock keeps other processes out, so these runs are over, even if their process ids are in use again.
    for (const { path } of this.#others()) {
      // The key check moves with the files.
      const fits = keyFits(path, key) ?? keyFits(this.#profile, key);
      if (fits === null) continue;
      if (fits) this.adopt(path);
      rmSync(path, { recursive: true, force: true });
    }
  }

  /** Removes files of a killed run, unless their key may have been stored; otherwise it died with the run. */
  #removeLeftovers(): void {
    for (const name of readdirSync(this.#profile))
      if (UNFINISHED.test(name)) rmSync(join(this.#profile, name), { force: true });
    // On a failing disk the start ends here: what may be waiting for its key must not be removed.
    for (const { path, pid } of this.#others())
      if (!alive(pid) && !isThere(join(path, ADOPTING))) rmSync(path, { recursive: true, force: true });
  }

  #others(): { path: string; pid: number }[] {
    return readdirSync(this.#profile)
      .filter((name) => RUN.test(name))
      .map((name) => ({ path: join(this.#profile, name), pid: Number(RUN.exec(name)?.[1]) }))
      .filter(({ path }) => !ownRuns.has(path));
  }
}
