/** A file in the making as the rest of main sees it: written beside its final name as `.part`, renamed when whole. */
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import type { Digest } from './file-out.ts';
import type { FromWriter, ToWriter, WriterData } from './protocol.ts';

export interface Target {
  /** Resolves when the writer is ready for more. Buffers are transferred. */
  send(message: ToWriter): Promise<void>;
  /** All rows were sent; `merged` hears of rows put in order. */
  end(merged: (rows: number) => void): Promise<Digest & { cut: number; sheets: number }>;
  /** Flushes and gives the file its name. Rejects `file-exists` when another has it by now. */
  finish(manifest: { name: string; bytes: Uint8Array } | null): Promise<Digest>;
  /** Ends the thread and removes what was written. Does nothing after `finish`. */
  discard(): Promise<void>;
}

const busy = new Set<string>();

export const partOf = (path: string): string => `${path}.part`;

/** What the file system said, in words; other errors pass through. */
export function fileError(error: unknown, name: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const tell = (
    parapet: 'disk-full' | 'permission-denied' | 'path-missing' | 'file-exists',
    message: string,
  ) => new ParapetError(parapet, message, { retryable: true, cause: error });
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return tell(
        'disk-full',
        `There is no room for ${name}. Free some space or choose another folder. Nothing was left behind.`,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return tell('permission-denied', `Parapet may not write ${name} there. Choose another folder.`);
    case 'ENOENT':
    case 'ENOTDIR':
      return tell('path-missing', `The folder for ${name} is no longer there. Choose another folder.`);
    case 'EISDIR':
      return tell('path-missing', `${name} is a folder. Choose another name.`);
    case 'EEXIST':
      return tell(
        'file-exists',
        `A file named ${name} appeared there meanwhile and was left as it is. Choose another name.`,
      );
    default:
      return error;
  }
}

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

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder; there the rename is as durable as it gets.
  const folder = await open(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** Gives a whole file its name; a file that was not there when the analyst chose is never replaced. */
async function settleName(part: string, path: string, replace: boolean): Promise<void> {
  if (replace) return rename(part, path);
  try {
    await link(part, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // File systems without hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
    if ((await stat(path).catch(() => null)) !== null)
      throw Object.assign(new Error('the file is there'), { code: 'EEXIST' });
    return rename(part, path);
  }
  await rm(part, { force: true });
}

/** Messages under way to the writer: enough that it never waits, few enough that memory stays flat. */
const WINDOW = 6;

/** What of a message is used once. */
function moved(message: ToWriter): ArrayBufferView[] {
  if (message.type === 'order') return 'positions' in message.part ? [message.part.positions] : [];
  if (message.type !== 'chunk') return [];
  return [message.bytes, ...message.keys.filter((list) => typeof list !== 'string')];
}

type Waiter = { resolve(message: FromWriter): void; reject(error: unknown): void };

/** Opens `<path>.part` in a thread. Rejects ParapetError for what the file system refuses, and for a file being written. */
export async function openTarget(
  entry: URL,
  path: string,
  spec: Omit<WriterData, 'part'>,
  signal: AbortSignal,
): Promise<Target> {
  const name = basename(path);
  const part = partOf(path);
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
      return lose(message.working ? workingError(error, name) : fileError(error, name));
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
    await rm(part, { force: true }).catch(() => undefined);
  };
  const post = (message: ToWriter) => {
    const buffers = moved(message)
      .map(({ buffer }) => buffer)
      .filter((buffer) => buffer instanceof ArrayBuffer);
    worker?.postMessage(message, buffers);
  };

  let replace = false;
  try {
    signal.addEventListener('abort', abort, { once: true });
    const there = await stat(path).catch(() => null);
    replace = there !== null;
    // A folder under that name would only show when the work is done.
    if (there?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    worker = new Worker(entry, {
      workerData: { ...spec, part } satisfies WriterData,
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
      const { bytes, sha256, cut, sheets } = content;
      return { bytes, sha256, cut, sheets };
    },
    async finish(manifest) {
      const answer = wait(({ type }) => type === 'closed');
      post({ type: 'close', manifest });
      const closed = await answer;
      if (closed.type !== 'closed') throw new Error('unexpected answer');
      try {
        await settleName(part, path, replace);
      } catch (error) {
        throw fileError(error, name);
      }
      ended = true;
      await stop();
      await syncFolder(path);
      return { bytes: closed.bytes, sha256: closed.sha256 };
    },
    discard,
  };
}

/** Writes a small file the same way; answers the name it has: another one where a file is that is not to be replaced. */
export async function writeFileWhole(path: string, bytes: Uint8Array, replace = true): Promise<string> {
  const part = partOf(path);
  const dot = path.lastIndexOf('.');
  try {
    const handle = await open(part, 'w', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    for (let turn = 1; ; turn++) {
      const free = turn === 1 ? path : `${path.slice(0, dot)} ${turn}${path.slice(dot)}`;
      try {
        await settleName(part, free, replace);
        return basename(free);
      } catch (error) {
        const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
        if (!exists || turn > 99) throw error;
      }
    }
  } catch (error) {
    throw fileError(error, basename(path));
  } finally {
    await rm(part, { force: true }).catch(() => undefined);
  }
}
