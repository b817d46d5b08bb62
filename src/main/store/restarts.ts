/** Threads that ended by themselves: the errors of their requests, and how often they are replaced. */
import { ParapetError } from '#shared/bridge/errors.ts';

/** Replacements in this time; more of them would only fail again. */
const MOST = 10;
const WITHIN_MS = 60_000;

export interface Restarts {
  /** A thread ended that was not asked to. */
  ended(): void;
  /** May another be started? Once the last ends lie long enough ago. */
  allowed(): boolean;
}

/** `now`: monotonic milliseconds. */
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

/** For what was under way in the thread: a read can be repeated; whether a write was done is not known. */
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
