/** The availability check before a download (specification sections 7, 8 and 9): 3 attempts, then success false. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { MatchedFileProbe } from '#shared/bridge/operations.ts';
import { DOWNLOAD_RETRIES } from '#shared/model/constants.ts';

/** Pause between attempts: an archive needs a moment to fetch the file. */
export const PAUSE_MS = 700;

export interface ProbeAnswer {
  success: boolean;
  reason?: string | null | undefined;
}

/** Errors for which another attempt is pointless. */
const FINAL: readonly ParapetError['code'][] = [
  'offline',
  'unauthorized',
  'forbidden',
  'not-found',
  'not-implemented',
  'bad-request',
  'no-connection',
  'tls',
  'proxy',
];

export type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>;
const pause: Wait = (ms, signal) => sleep(ms, undefined, { signal });

/** Asks until the answer is yes, at most 3 times. Rejects only when `signal` aborts. */
export async function probeThrice(
  ask: () => Promise<ProbeAnswer>,
  signal: AbortSignal,
  wait: Wait = pause,
): Promise<MatchedFileProbe> {
  let reason: string | null = null;
  for (let attempts = 1; ; attempts++) {
    try {
      const answer = await ask();
      if (answer.success) return { success: true, attempts, reason: null, forbidden: false };
      reason = answer.reason ?? null;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ParapetError)) throw error;
      reason = error.message;
      if (FINAL.includes(error.code))
        return { success: false, attempts, reason, forbidden: error.code === 'forbidden' };
    }
    if (attempts >= DOWNLOAD_RETRIES) return { success: false, attempts, reason, forbidden: false };
    await wait(PAUSE_MS, signal);
  }
}
