/** A profile asked for ahead, part by part. */
import { readOnce } from '#renderer/bridge/use-read.ts';
import { type ProfileRef, profilePages } from '#shared/api/profile-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { windowBridge } from './window-bridge.ts';

/**
 * Asks for all parts of one profile, one after another, so that what is on screen goes first. What could not be had
 * is asked for, and told, when it is looked at; rejects only when cancelled.
 */
export async function fetchProfile(
  connectionId: string,
  profile: ProfileRef,
  product: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { endpoint, request } of profilePages(profile, product)) {
    signal.throwIfAborted();
    try {
      await readOnce(windowBridge(), connectionId, endpoint, request, { signal });
    } catch (reason) {
      if (signal.aborted || toBridgeError(reason).code === 'cancelled') throw reason;
    }
  }
}
