/** Threads that ended unexpectedly: errors for their requests, and a limit on replacing them. */
import { ParapetError } from '#shared/bridge/errors.ts';

const MOST = 10;
const WITHIN_MS = 60_000;

export interface Restarts {
  /** Records that a thread ended unexpectedly. */
  ended(): void;
  /** Whether another thread may be started: false if too many have ended recently. */
  allowed(): boolean;
}

/** `now` is in monotonic milliseconds. */
export function createRestarts(now: () => number = () => performance.now()): Restarts {
  let ends: number[] = [];
  return {
    ended: () => void ends.push(now()),
    allowed() {
      ends = ends.filter((time) => now() - time < WITHIN_MS);
      return ends.length < MOST;
    },
  };
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') ||
    /^Array buffer allocation failed/.test(error.message));

/** For work that failed because the memory of its thread, or of the machine, was used up, or null for another reason. */
export function outOfMemory(what: string, cause: unknown): ParapetError | null {
  if (!isOutOfMemory(cause)) return null;
  return new ParapetError(
    'internal',
    `${what} ran out of memory. Close other programs, or ask for less at a time, and try again.`,
    { retryable: true, cause },
  );
}

/** For requests that were running in the thread: a read can be repeated, a write may or may not have been committed. */
export const threadEnded = (what: string, cause?: unknown) =>
  outOfMemory(what, cause) ??
  new ParapetError('internal', `${what} stopped while working on this. It is being restarted: try again.`, {
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  });

/** A thread that never worked: whatever was asked of it did not begin. */
export class NotStarted extends ParapetError {}

export function notStarted(what: string, cause?: unknown): NotStarted {
  const isLimit = /\bE[MN]FILE\b/.test(String(cause));
  const message =
    outOfMemory(what, cause)?.message ??
    (isLimit
      ? `${what} could not be started, because too many files are open. Close other programs and try again.`
      : `${what} could not be started. Try again; if it keeps happening, restart Parapet.`);
  return new NotStarted('internal', message, { retryable: true, ...(cause === undefined ? {} : { cause }) });
}

/** A thread ended while it had this request, which may be the cause; not used for a thread that never opened. */
export class EndedDuring extends ParapetError {
  /** It was the thread's oldest request: the only one it had started, if it works in order. */
  readonly isFirst: boolean;

  constructor({ code, message, retryable, cause }: ParapetError, isFirst: boolean) {
    super(code, message, { retryable, cause });
    this.isFirst = isFirst;
  }
}

export const threadKeepsEnding = (what: string) =>
  new ParapetError(
    'internal',
    `${what} stopped ${MOST} times within a minute, so it is not restarted for now. Try again in a minute; if it keeps happening, restart Parapet.`,
    { retryable: true },
  );

export const closed = () => new ParapetError('cancelled', 'The database was closed.');
