/** A host's process from start to end: one start, one stop, no process left, and no error that nobody hears of. */
import { createLog, printable } from './log.ts';

/** What keeps a host from starting, told in a sentence. `exitCode` 0: nothing is wrong, there is nothing to do. */
export class CannotStart extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'CannotStart';
    this.exitCode = exitCode;
  }
}

export interface Running {
  stop(): Promise<void>;
  /** Tells the analyst of an error that nobody caught, and notes it. Never throws. */
  fault(reason: string): void;
}

/** More errors that nobody caught within a minute than single mishaps make: something is broken, and it ends. */
export const FAULTS_MAX = 5;
const FAULTS_WITHIN_MS = 60_000;

/** What the log calls an error that nobody caught; tests look for it. */
export const UNCAUGHT = 'an error that nobody caught';

/** Longer than any orderly end: closing databases writes back what is pending. */
const STOP_TIMEOUT_MS = 15_000;
/** A terminal sends the signal to the whole group, and the starting script sends it on: one request, heard twice. */
const SAME_REQUEST_MS = 1000;

/** Counts errors that nobody caught; answers whether there were too many. */
export function createFaults(now: () => number): () => boolean {
  const times: number[] = [];
  return () => {
    times.push(now());
    while (times[0]! <= now() - FAULTS_WITHIN_MS) times.shift();
    return times.length > FAULTS_MAX;
  };
}

/**
 * Starts, and stops on SIGINT, SIGTERM, SIGHUP, when the starting script is gone, or when what was started calls
 * `requestStop`. A second signal after a second ends the process at once. Exits with 0 after an orderly stop. An
 * error that nobody caught is logged and told, and Parapet goes on: what is durable is written by threads that it
 * does not touch. More than `FAULTS_MAX` of them in a minute end it in order, with 1.
 */
export async function runUntilStopped(
  start: (requestStop: () => void) => Promise<Running>,
  exit: (code: number) => void = (code) => process.exit(code),
): Promise<void> {
  const asked = Promise.withResolvers<void>();
  let askedAt: number | null = null;
  const ask = () => {
    if (askedAt !== null && performance.now() - askedAt > SAME_REQUEST_MS) exit(1);
    askedAt ??= performance.now();
    asked.resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  process.on('disconnect', ask);

  // A terminal that is gone takes no more words; that is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const log = createLog(false);
  const tooMany = createFaults(() => performance.now());
  let running: Running | null = null;
  let exitCode = 0;
  // Rejections that nobody handles arrive here too.
  process.on('uncaughtException', (error: unknown, origin) => {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn(UNCAUGHT, { origin, reason: error instanceof Error ? (error.stack ?? reason) : reason });
    running?.fault(reason);
    if (!tooMany()) return;
    log.warn('Parapet ends: errors that nobody caught keep coming');
    exitCode = 1;
    asked.resolve();
  });

  try {
    running = await start(() => asked.resolve());
    await asked.promise;
    setTimeout(() => exit(1), STOP_TIMEOUT_MS).unref();
    await running.stop();
    exit(exitCode);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof CannotStart ? error.exitCode : 1;
    (code === 0 ? process.stdout : process.stderr).write(`${printable(reason)}\n`);
    exit(code);
  }
}
