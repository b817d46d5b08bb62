/** Space on the profile's disk: when the cache must stop growing, and a reserve for starting on a full disk. */
import { randomFillSync } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open, rename, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import { patiently } from '#workers/retry-locked-file.ts';

/** Free space below which the cache stops growing: the journal and deletions need space, too. */
const HEADROOM = 64 * 1024 * 1024;
/** Space reserved for starting on a disk that something else has filled. */
const RESERVE = 8 * 1024 * 1024;
const RESERVE_NAME = 'reserve';

export class DiskSpace {
  readonly #reserve: string;
  readonly #directory: () => string;
  readonly #headroom: number;

  /** `directory` is where the databases are now. `headroom` is in bytes. */
  constructor(profile: string, directory: () => string, headroom = HEADROOM) {
    this.#reserve = join(profile, RESERVE_NAME);
    this.#directory = directory;
    this.#headroom = headroom;
  }

  /** Rejects disk-full when so little space is left that the cache must not grow. */
  async room(): Promise<void> {
    if ((await this.#freeBytes()) < this.#headroom)
      throw new ParapetError(
        'disk-full',
        `The disk has less than ${Math.round(this.#headroom / 1024 / 1024)} MB left, so nothing more is saved. Free some space, or clear the cache in Settings, and try again.`,
        { retryable: true },
      );
  }

  /** Holds the reserve back while there is plenty of space; random bytes, since some file systems do not store zeros. */
  async holdReserve(): Promise<void> {
    if (existsSync(this.#reserve) || (await this.#freeBytes()) < 2 * this.#headroom + RESERVE) return;
    const file = await open(`${this.#reserve}.new`, 'w', 0o600);
    try {
      // One small buffer: a large one would stay in memory until the collector has a reason to run.
      const piece = Buffer.alloc(RESERVE / 64);
      for (let written = 0; written < RESERVE; written += piece.length)
        await file.writeFile(randomFillSync(piece));
    } finally {
      await file.close();
    }
    await patiently(() => rename(`${this.#reserve}.new`, this.#reserve));
  }

  releaseReserve(): void {
    rmSync(this.#reserve, { force: true });
  }

  async #freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#directory());
    return bavail * bsize;
  }
}
