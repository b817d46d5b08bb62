/** The lifetime of a host's process: one start, one stop, no process left behind, no uncaught error unnoticed. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '#shared/model/disk-errors.ts';
import { isInNativeCall } from '../kernel/native-calls.ts';
import { createLog, printable } from './log.ts';

/** The reason, in words, why the host cannot start. `exitCode` 0: not an error, there is simply nothing to do. */
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
  /** Reports an uncaught error to the analyst and logs it. Never throws. */
  fault(reason: string): void;
}

/** More uncaught errors per minute than this mean that something is broken, and the process ends. */
export const FAULTS_MAX = 5;
const FAULTS_WITHIN_MS = 60_000;

/** Log message of an uncaught error; tests look for it. */
export const UNCAUGHT = 'an uncaught error';

/** Longer than any orderly shutdown: closing databases flushes pending writes. */
const STOP_TIMEOUT_MS = 15_000;
/**
 * A terminal signals the whole process group and the starting script forwards the signal: one request, received twice.
 */
const SAME_REQUEST_MS = 1000;

/** More files than a start has open at a time. */
const FILES_OF_A_START = 64;

/**
 * Whether a failed start lacked files to open: it may have failed with any error, and has closed its own files since.
 * SQLite, threads and sockets do not say so themselves.
 */
function lacksFiles(): boolean {
  const open: number[] = [];
  try {
    while (open.length < FILES_OF_A_START) open.push(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes(codeOf(error));
  } finally {
    for (const handle of open) closeSync(handle);
  }
}

const TOO_FEW_FILES =
  'Parapet cannot start because it may not open enough files: the limit of this process or of the machine is reached. Close other programs or raise the limit (ulimit -n), and start again.';

/** Counts uncaught errors; returns whether there were too many. */
export function createFaults(now: () => number): () => boolean {
  let times: number[] = [];
  return () => {
    times = [...times, now()].filter((time) => time > now() - FAULTS_WITHIN_MS);
    return times.length > FAULTS_MAX;
  };
}

/**
 * Ends the process without waiting for its threads. An exit waits for each of them, and one that reads from a disk or
 * share that no longer answers never ends: the process would keep the profile's lock.
 */
const endAtOnce = (): void => void process.kill(process.pid, 'SIGKILL');

/** Calls that are about to return do so within this time. */
const RETURN_MS = 500;

/**
 * Ends the process after an orderly stop: also if a file, a name or the keychain is still being waited for. As the exit
 * code of a killed process is lost, the starting script is told.
 */
async function end(exit: (code: number) => void, code: number): Promise<void> {
  const until = performance.now() + RETURN_MS;
  while (isInNativeCall() && performance.now() < until) await sleep(20);
  if (!isInNativeCall()) return exit(code);
  if (process.connected) await new Promise((resolve) => process.send?.({ exitCode: code }, resolve));
  endAtOnce();
}

/**
 * Starts, and stops on SIGINT, SIGTERM, SIGHUP, SIGBREAK, when the starting script is gone, or when the started host calls
 * `requestStop`. A second signal after a second ends the process at once, and so does a stop that takes too long. Exits
 * with 0 after an orderly stop. An uncaught error is logged and reported, and Parapet continues: durable data is written
 * by threads that it does not affect. More than `FAULTS_MAX` of them in a minute end the process in order, with 1.
 */
export async function runUntilStopped(
  start: (requestStop: () => void) => Promise<Running>,
  exit: (code: number) => void = (code) => process.exit(code),
  stopTimeoutMs = STOP_TIMEOUT_MS,
): Promise<void> {
  const stop = Promise.withResolvers<void>();
  let askedAt: number | null = null;
  const ask = () => {
    if (askedAt !== null && performance.now() - askedAt > SAME_REQUEST_MS) endAtOnce();
    askedAt ??= performance.now();
    stop.resolve();
  };
  // SIGBREAK: Ctrl+Break on Windows, where SIGHUP is a closed console window. Elsewhere nothing sends it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) process.on(signal, ask);
  process.on('disconnect', ask);

  // Output to a closed terminal fails; that is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const log = createLog(false);
  const tooMany = createFaults(() => performance.now());
  let running: Running | null = null;
  let exitCode = 0;
  // Includes unhandled rejections.
  process.on('uncaughtException', (error: unknown, origin) => {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn(UNCAUGHT, { origin, reason: error instanceof Error ? (error.stack ?? reason) : reason });
    running?.fault(reason);
    if (!tooMany()) return;
    log.warn('Parapet ends: uncaught errors keep coming');
    exitCode = 1;
    stop.resolve();
  });

  try {
    running = await start(() => stop.resolve());
    await stop.promise;
    setTimeout(() => {
      log.warn('Parapet ends without stopping in order: something that it waits for does not answer');
      endAtOnce();
    }, stopTimeoutMs).unref();
    await running.stop();
    await end(exit, exitCode);
  } catch (error) {
    const code = error instanceof CannotStart ? error.exitCode : 1;
    const message = error instanceof Error ? error.message : String(error);
    const reason = code !== 0 && running === null && lacksFiles() ? TOO_FEW_FILES : message;
    (code === 0 ? process.stdout : process.stderr).write(`${printable(reason)}\n`);
    await end(exit, code);
  }
}
