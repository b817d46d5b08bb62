/** Main's side of the file being written: under a random temporary name, read back, then renamed. */
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import { outOfMemory } from '#workers/restarts.ts';
import { workingError } from '../files/spill-file.ts';
import { commitPart, fileError, type Naming, removePart } from '../files/temp-file.ts';
import { native } from '../kernel/native-calls.ts';
import type { Closed, FromWriter, ToWriter, WriterData, Written } from './protocol.ts';

const busy = new Set<string>();

/** For a file that does not hold what was written to it. `what` completes "… the file …". */
export const readBackError = (name: string, what: string): ParapetError =>
  new ParapetError(
    'damaged',
    `${name} was read back after it was written, and the file ${what}. It was removed, so nothing unverified has that name. Try again, or choose another disk.`,
    { retryable: true },
  );

const explained = (error: unknown, name: string): unknown =>
  outOfMemory(`The writer of ${name}`, error) ?? fileError(error, name);

function failureOf(name: string, { stage, code, errno, message }: Answer<'fail'>): unknown {
  if (stage === 'read-back') return readBackError(name, message);
  const error = Object.assign(
    new Error(message),
    code === null ? {} : { code },
    errno === null ? {} : { errno },
  );
  return stage === 'working' ? workingError(error, name) : explained(error, name);
}

/** Unacknowledged messages: enough to keep the writer busy, few enough to keep memory flat. */
const WINDOW = 6;

/** Buffers of a message that can be transferred, because they are used once. */
function transferables(message: ToWriter): ArrayBufferView[] {
  if (message.type === 'order') return 'rowIndexes' in message.part ? [message.part.rowIndexes] : [];
  if (message.type !== 'chunk') return [];
  return [message.bytes, ...message.keys.filter((list) => typeof list !== 'string')];
}

type Answer<Type extends FromWriter['type']> = Extract<FromWriter, { type: Type }>;

const isAnswer = <Type extends FromWriter['type']>(
  message: FromWriter,
  type: Type,
): message is Answer<Type> => message.type === type;

interface Waiter {
  /** Does nothing for messages it does not wait for. */
  take(message: FromWriter): void;
  reject(error: unknown): void;
}

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
  if (busy.has(path)) throw new ParapetError('file-exists', `${name} is being written by another export.`);
  busy.add(path);
  const target = new Target(path, spec.part, signal);
  try {
    await target.start(entry, spec);
  } catch (error) {
    await target.discard();
    throw fileError(error, name);
  }
  return target;
}

export class Target {
  readonly #path: string;
  readonly #name: string;
  readonly #part: string;
  readonly #signal: AbortSignal;
  readonly #abort = () => this.#fail(cancelled());
  readonly #waiting = new Set<Waiter>();
  #worker: Worker | null = null;
  #failure: unknown = null;
  #outstanding = 0;
  #onMerged: (rows: number) => void = () => undefined;
  #ended = false;

  constructor(path: string, part: string, signal: AbortSignal) {
    this.#path = path;
    this.#name = basename(path);
    this.#part = part;
    this.#signal = signal;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** Starts the writer thread and waits until the file is open. */
  async start(entry: URL, spec: WriterData): Promise<void> {
    const worker = new Worker(entry, {
      workerData: spec,
      name: 'export-writer',
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    this.#worker = worker;
    worker.on('message', (message) => this.#receive(message));
    worker.on('error', (error) => this.#fail(explained(error, this.#name)));
    worker.on('exit', () =>
      this.#fail(
        new ParapetError(
          'internal',
          `The writer of ${this.#name} stopped. Nothing was left behind: try again.`,
          {
            retryable: true,
          },
        ),
      ),
    );
    await this.#wait('open');
  }

  /** Resolves when the writer can take more. Buffers are transferred. */
  async send(message: ToWriter): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    this.#outstanding++;
    this.#post(message);
    while (this.#outstanding >= WINDOW) await this.#wait('took');
  }

  /** Ends the rows; `merged` receives the progress of sorting. */
  async end(merged: (rows: number) => void): Promise<Written> {
    this.#onMerged = merged;
    const answer = this.#wait('content');
    this.#post({ type: 'end' });
    return (await answer).written;
  }

  /** Closes the file and reads it back. Rejects `damaged` unless it is a complete file of its format. */
  async close(manifest: { name: string; bytes: Uint8Array } | null): Promise<Closed> {
    const answer = this.#wait('closed');
    this.#post({ type: 'close', manifest });
    return (await answer).closed;
  }

  /**
   * Gives the file its name and returns the path it got. Rejects `file-exists` where the naming allows no other name.
   */
  async commit(path: string, naming: Naming): Promise<string> {
    try {
      const settled = await commitPart(this.#part, path, naming);
      this.#ended = true;
      await this.#stop();
      return settled;
    } catch (error) {
      throw fileError(error, basename(path));
    }
  }

  /** Stops the thread and removes the temporary file. Does nothing after `commit`. */
  async discard(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#stop();
    await removePart(this.#part).catch(() => undefined);
  }

  async #stop(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#abort);
    const going = this.#worker;
    this.#worker = null;
    if (going !== null) await native(going.terminate());
    busy.delete(this.#path);
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const waiter of this.#waiting) waiter.reject(this.#failure);
    this.#waiting.clear();
  }

  #wait<Type extends FromWriter['type']>(type: Type): Promise<Answer<Type>> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      const take = (message: FromWriter) => {
        if (!isAnswer(message, type)) return;
        this.#waiting.delete(waiter);
        resolve(message);
      };
      const waiter: Waiter = { take, reject };
      this.#waiting.add(waiter);
    });
  }

  #receive(message: FromWriter): void {
    if (message.type === 'took') this.#outstanding--;
    if (message.type === 'merged') this.#onMerged(message.rows);
    if (message.type === 'fail') this.#fail(failureOf(this.#name, message));
    else for (const waiter of [...this.#waiting]) waiter.take(message);
  }

  #post(message: ToWriter): void {
    const buffers = transferables(message)
      .map(({ buffer }) => buffer)
      .filter((buffer) => buffer instanceof ArrayBuffer);
    this.#worker?.postMessage(message, buffers);
  }
}
