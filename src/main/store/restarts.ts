/** Threads that ended on their own account: what their callers hear, and how often others are put in their place. */
import { ParapetError } from '#shared/bridge/errors.ts';

/** Starts in place of threads that ended, in this time. More of them would only fail again. */
const MOST = 10;
const WITHIN_MS = 60_000;

export interface Restarts {
  /** A thread ended that was not told to. */
  ended(): void;
  /** May another be started? Once the last ends lie long enough ago. */
  allowed(): boolean;
}

/** `now`: milliseconds of a clock that nobody sets. */
export function createRestarts(now: () => number = () => performance.now()): Restarts {
  let ends: number[] = [];
  return {
    ended: () => void ends.push(now()),
    allowed() {
      ends = ends.filter((at) => now() - at < WITHIN_MS);
      return ends.length < MOST;
    },
  };
}

/** What was under way in the thread: a read can be asked again, of a write it is not known whether it was done. */
export const threadEnded = (what: string, cause?: unknown) =>
  new ParapetError('internal', `${what} stopped in the middle of this. It is started again: try again.`, {
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  });

export const threadKeepsEnding = (what: string) =>
  new ParapetError(
    'internal',
    `${what} stopped ${MOST} times within a minute, so it is not started again for now. Try again in a minute; if it goes on, restart Parapet.`,
    { retryable: true },
  );

export const closed = () => new ParapetError('cancelled', 'The database was closed.');
