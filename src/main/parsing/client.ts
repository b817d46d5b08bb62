/** Parses in a separate thread; the main thread receives the value in small pieces. */
import { Worker } from 'node:worker_threads';
import { cancelled, fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import { outOfMemory } from '#workers/restarts.ts';
import { addPiece } from './pieces.ts';
import type { AskedConfig, CompareWith, FromParser, Task, ToParser } from './protocol.ts';

/** Anything larger is parsed in a thread; below it, starting a thread takes longer than parsing. */
export const PARSED_BESIDE = 1024 * 1024;

/** Concurrent threads; further tasks wait. Each may use several times the largest response's size. */
const MOST = 2;

let running = 0;
const waiting: (() => void)[] = [];

async function turn(): Promise<() => void> {
  if (running >= MOST) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  return () => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
}

/** A buffer that owns all of its memory is transferred, otherwise copied. */
const movable = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];

export interface ParseOptions {
  signal?: AbortSignal | undefined;
  compare?: (configs: AskedConfig[]) => Promise<CompareWith>;
}

/** Runs a task in its own thread. Rejects with the task's error, or `internal` if the thread ended. */
export async function parseInThread(
  entry: URL,
  task: Task,
  { signal, compare }: ParseOptions,
): Promise<unknown> {
  const over = await turn();
  try {
    if (signal?.aborted) throw cancelled();
    const worker = new Worker(entry, {
      workerData: task,
      transferList: movable(task.bytes),
      name: `parse-${task.kind}`,
    });
    const say = (message: ToParser) => worker.postMessage(message);
    const stop = () => void worker.terminate();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await new Promise<unknown>((resolve, reject) => {
        let holder: { value: unknown } = { value: undefined };
        const receive = async (message: FromParser) => {
          switch (message.type) {
            case 'ask':
              return say({ type: 'compare', with: await compare!(message.configs) });
            case 'value':
              holder = message.holder;
              return say({ type: 'more' });
            case 'items':
              addPiece(holder, message);
              return say({ type: 'more' });
            case 'end':
              return resolve(holder.value);
            case 'fail':
              return reject(fromBridgeError(message.error));
          }
        };
        worker.on('message', (message: FromParser) => void receive(message).catch(reject));
        worker.on('error', (error) => reject(ended(error)));
        worker.on('exit', () => reject(signal?.aborted ? cancelled() : ended()));
      });
    } finally {
      signal?.removeEventListener('abort', stop);
      await worker.terminate();
    }
  } finally {
    over();
  }
}

const ended = (cause?: unknown) =>
  outOfMemory('The thread that reads large answers and files', cause) ??
  new ParapetError(
    'internal',
    'The thread that reads large answers and files stopped in the middle. Try again.',
    {
      retryable: true,
      ...(cause === undefined ? {} : { cause }),
    },
  );

/** Parses a response against its schema. Rejects as parsing it here would. `bytes` may be transferred. */
export const parseAnswer = (
  entry: URL,
  task: Omit<Extract<Task, { kind: 'answer' }>, 'kind'>,
  signal?: AbortSignal,
): Promise<unknown> => parseInThread(entry, { kind: 'answer', ...task }, { signal });
