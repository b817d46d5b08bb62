/** A file in the making as the rest of main sees it: written under a random name, read back, renamed when it holds. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import { fileError, type Naming, removePart, settlePart } from '../files/part.ts';
import type { Closed, FromWriter, ToWriter, WriterData, Written } from './protocol.ts';

export interface Target {
  /** Resolves when the writer is ready for more. Buffers are transferred. */
  send(message: ToWriter): Promise<void>;
  /** All rows were sent; `merged` hears of rows put in order. */
  end(merged: (rows: number) => void): Promise<Written>;
  /** Closes the file and reads it back. Rejects `damaged` where it is not a whole file of its format. */
  close(manifest: { name: string; bytes: Uint8Array } | null): Promise<Closed>;
  /** Gives the file its name; answers the path it has. Rejects `file-exists` where the naming leaves no other. */
  settle(path: string, naming: Naming): Promise<string>;
  /** Ends the thread and removes what was written. Does nothing after `settle`. */
  discard(): Promise<void>;
}

const busy = new Set<string>();

/** The same of a working file: it is not the chosen folder that is at fault. */
function workingError(error: unknown, name: string): unknown {
  const told = fileError(error, name);
  if (!(told instanceof ParapetError)) return told;
  const why = told.code === 'disk-full' ? 'its disk is full' : 'it cannot be written to';
  return new ParapetError(
    told.code,
    `${name} needs working files in the profile folder, and ${why}. Free some space there. Nothing was left behind.`,
    { retryable: true, cause: error },
  );
}

/** A file that did not hold what was written to it. `what` completes "… the file …". */
export const readBackError = (name: string, what: string): ParapetError =>
  new ParapetError(
    'damaged',
    `${name} was read back after it was written, and the file ${what}. It was removed: nothing has that name now that is not proved. Try again, or choose another disk.`,
    { retryable: true },
  );

/** Messages under way to the writer: enough that it never waits, few enough that memory stays flat. */
const WINDOW = 6;

/** What of a message is used once. */
function moved(message: ToWriter): ArrayBufferView[] {
  if (message.type === 'order') return 'positions' in message.part ? [message.part.positions] : [];
  if (message.type !== 'chunk') return [];
  return [message.bytes, ...message.keys.filter((list) => typeof list !== 'string')];
}

type Waiter = { resolve(message: FromWriter): void; reject(error: unknown): void };

/** Creates `spec.part` in a thread, for a file at `path`. Rejects ParapetError for what the file system refuses, and for a file being written. */
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

  const lose = (error: unknown) => {
    failure ??= error;
    for (const waiter of waiting) waiter.reject(failure);
    waiting.clear();
  };
  const wait = (wants: (message: FromWriter) => boolean) =>
    new Promise<FromWriter>((resolve, reject) => {
      if (failure !== null) return reject(failure);
      waiting.add({ wants, resolve, reject });
    });
  const hear = (message: FromWriter) => {
    if (message.type === 'took') outstanding--;
    if (message.type === 'merged') onMerged(message.rows);
    if (message.type === 'fail') {
      const error = Object.assign(
        new Error(message.message),
        message.code === null ? {} : { code: message.code },
      );
      if (message.at === 'read-back') return lose(readBackError(name, message.message));
      return lose(message.at === 'working' ? workingError(error, name) : fileError(error, name));
    }
    for (const waiter of [...waiting])
      if (waiter.wants(message)) {
        waiting.delete(waiter);
        waiter.resolve(message);
      }
  };
  const abort = () => lose(cancelled());
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
    const buffers = moved(message)
      .map(({ buffer }) => buffer)
      .filter((buffer) => buffer instanceof ArrayBuffer);
    worker?.postMessage(message, buffers);
  };

  try {
    signal.addEventListener('abort', abort, { once: true });
    const there = await stat(path).catch(() => null);
    // A folder under that name would only show when the work is done.
    if (there?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    worker = new Worker(entry, {
      workerData: spec,
      name: 'export-writer',
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    worker.on('message', hear);
    worker.on('error', (error) => lose(fileError(error, name)));
    worker.on('exit', () =>
      lose(
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
    async settle(to, naming) {
      try {
        const settled = await settlePart(part, to, naming);
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
