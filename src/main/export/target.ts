/** Main's side of the file being written: under a random temporary name, read back, then renamed. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import { commitPart, fileError, type Naming, removePart } from '../files/part.ts';
import type { Closed, FromWriter, ToWriter, WriterData, Written } from './protocol.ts';

export interface Target {
  /** Resolves when the writer can take more. Buffers are transferred. */
  send(message: ToWriter): Promise<void>;
  /** Ends the rows; `merged` receives the progress of sorting. */
  end(merged: (rows: number) => void): Promise<Written>;
  /** Closes the file and reads it back. Rejects `damaged` unless it is a complete file of its format. */
  close(manifest: { name: string; bytes: Uint8Array } | null): Promise<Closed>;
  /**
   * Gives the file its name and returns the path it got. Rejects `file-exists` where the naming allows no other name.
   */
  commit(path: string, naming: Naming): Promise<string>;
  /** Stops the thread and removes the temporary file. Does nothing after `settle`. */
  discard(): Promise<void>;
}

const busy = new Set<string>();

/** An error of a spill file, which must not blame the chosen folder. */
function workingError(error: unknown, name: string): unknown {
  const known = fileError(error, name);
  if (!(known instanceof ParapetError)) return known;
  const why = known.code === 'disk-full' ? 'its disk is full' : 'it cannot be written to';
  return new ParapetError(
    known.code,
    `${name} needs working files in the profile folder, and ${why}. Free some space there. Nothing was left behind.`,
    { retryable: true, cause: error },
  );
}

/** For a file that does not hold what was written to it. `what` completes "… the file …". */
export const readBackError = (name: string, what: string): ParapetError =>
  new ParapetError(
    'damaged',
    `${name} was read back after it was written, and the file ${what}. It was removed, so nothing unverified has that name. Try again, or choose another disk.`,
    { retryable: true },
  );

/** Unacknowledged messages: enough to keep the writer busy, few enough to keep memory flat. */
const WINDOW = 6;

/** Buffers of a message that can be transferred, because they are used once. */
function transferables(message: ToWriter): ArrayBufferView[] {
  if (message.type === 'order') return 'rowIndexes' in message.part ? [message.part.rowIndexes] : [];
  if (message.type !== 'chunk') return [];
  return [message.bytes, ...message.keys.filter((list) => typeof list !== 'string')];
}

type Waiter = { resolve(message: FromWriter): void; reject(error: unknown): void };

/**
 * Creates `spec.part` in a writer thread, for a file at `path`. Rejects ParapetError for file system errors, and when
 * another export is writing that file.
 */
export async function openTarget(
  entry: URL,
  path: string,
  spec: WriterData,
  signal: AbortSignal,
): Promise<Target> {
  const name = basename(path);
  const { part } = spec;
  if (busy.has(path)) throw new ParapetError('file-exists', `${name} is being written by another export.`);
  busy.add(path);
  let worker: Worker | null = null;
  let failure: unknown = null;
  let outstanding = 0;
  let onMerged: (rows: number) => void = () => undefined;
  let ended = false;
  const waiting = new Set<Waiter & { wants(message: FromWriter): boolean }>();

  const fail = (error: unknown) => {
    failure ??= error;
    for (const waiter of waiting) waiter.reject(failure);
    waiting.clear();
  };
  const wait = (wants: (message: FromWriter) => boolean) =>
    new Promise<FromWriter>((resolve, reject) => {
      if (failure !== null) return reject(failure);
      waiting.add({ wants, resolve, reject });
    });
  const receive = (message: FromWriter) => {
    if (message.type === 'took') outstanding--;
    if (message.type === 'merged') onMerged(message.rows);
    if (message.type === 'fail') {
      const error = Object.assign(
        new Error(message.message),
        message.code === null ? {} : { code: message.code },
      );
      if (message.at === 'read-back') return fail(readBackError(name, message.message));
      return fail(message.at === 'working' ? workingError(error, name) : fileError(error, name));
    }
    for (const waiter of [...waiting])
      if (waiter.wants(message)) {
        waiting.delete(waiter);
        waiter.resolve(message);
      }
  };
  const abort = () => fail(cancelled());
  const stop = async () => {
    signal.removeEventListener('abort', abort);
    const going = worker;
    worker = null;
    await going?.terminate();
    busy.delete(path);
  };
  const discard = async () => {
    if (ended) return;
    ended = true;
    await stop();
    await removePart(part).catch(() => undefined);
  };
  const post = (message: ToWriter) => {
    const buffers = transferables(message)
      .map(({ buffer }) => buffer)
      .filter((buffer) => buffer instanceof ArrayBuffer);
    worker?.postMessage(message, buffers);
  };

  try {
    signal.addEventListener('abort', abort, { once: true });
    const there = await stat(path).catch(() => null);
    // Otherwise a folder of that name would only be noticed at the final rename.
    if (there?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    worker = new Worker(entry, {
      workerData: spec,
      name: 'export-writer',
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    worker.on('message', receive);
    worker.on('error', (error) => fail(fileError(error, name)));
    worker.on('exit', () =>
      fail(
        new ParapetError('internal', `The writer of ${name} stopped. Nothing was left behind: try again.`, {
          retryable: true,
        }),
      ),
    );
    await wait(({ type }) => type === 'open');
  } catch (error) {
    await discard();
    throw fileError(error, name);
  }
  return {
    async send(message) {
      if (failure !== null) throw failure;
      outstanding++;
      post(message);
      while (outstanding >= WINDOW) await wait(({ type }) => type === 'took');
    },
    async end(merged) {
      onMerged = merged;
      const answer = wait(({ type }) => type === 'content');
      post({ type: 'end' });
      const content = await answer;
      if (content.type !== 'content') throw new Error('unexpected answer');
      return content.written;
    },
    async close(manifest) {
      const answer = wait(({ type }) => type === 'closed');
      post({ type: 'close', manifest });
      const closed = await answer;
      if (closed.type !== 'closed') throw new Error('unexpected answer');
      return closed.closed;
    },
    async commit(to, naming) {
      try {
        const settled = await commitPart(part, to, naming);
        ended = true;
        await stop();
        return settled;
      } catch (error) {
        throw fileError(error, basename(to));
      }
    },
    discard,
  };
}
