/**
 * Windows refuses to rename or remove a file while a virus scanner, an indexer or a sync client reads it. They do so right
 * after it was written, usually for a few milliseconds. On other systems a refusal is final.
 */
import { setTimeout as pause } from 'node:timers/promises';

const REFUSED = ['EACCES', 'EBUSY', 'EPERM'];
/** About two seconds in all. */
const PAUSES_MS = [10, 20, 40, 80, 160, 320, 640, 640];

const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && REFUSED.includes(String(error.code));

/** The pauses between attempts, in milliseconds; none on systems where a retry is pointless. */
export const pausesOn = (platform: NodeJS.Platform): readonly number[] =>
  platform === 'win32' ? PAUSES_MS : [];

/** Retries `work`, which renames or removes a file and must be repeatable. */
export async function patiently<T>(
  work: () => Promise<T>,
  pauses: readonly number[] = pausesOn(process.platform),
): Promise<T> {
  for (const ms of pauses)
    try {
      return await work();
    } catch (error) {
      if (!isRefused(error)) throw error;
      await pause(ms);
    }
  return work();
}

/** The synchronous form, which blocks the thread. */
export function patientlySync<T>(work: () => T, pauses: readonly number[] = pausesOn(process.platform)): T {
  for (const ms of pauses)
    try {
      return work();
    } catch (error) {
      if (!isRefused(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    }
  return work();
}
