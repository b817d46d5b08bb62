/** The pool's thread for searches: started by the first one, many questions at once, each can be cancelled. */
import { Worker } from 'node:worker_threads';
import { cancelled, fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import type { StoreReply, StoreRequest, StoreWorkerData } from './protocol.ts';
import type { Found, LookAnswer, LookTask, SearchTask } from './tasks.ts';

export interface SearchMember {
  search(task: SearchTask, signal?: AbortSignal): Promise<Found>;
  look(task: LookTask, signal?: AbortSignal): Promise<LookAnswer>;
  forget(n: number): void;
  close(): Promise<void>;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export function createSearchMember(
  entry: URL,
  workerData: StoreWorkerData,
  damaged: () => void,
): SearchMember {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let nextId = 1;
  let closed = false;

  const lost = (error: Error) => {
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const made = new Worker(entry, { workerData, name: `store-${workerData.kind}-search` });
    made.on('message', (reply: StoreReply) => {
      if (reply.type === 'failed-to-open') return lost(fromBridgeError(reply.error));
      if (reply.type !== 'done' && reply.type !== 'fail') return;
      const found = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (reply.type === 'done') {
        found?.resolve(reply.value);
        return;
      }
      found?.reject(fromBridgeError(reply.error));
      if (reply.error.code === 'damaged') damaged();
    });
    made.on('error', (error) =>
      lost(new ParapetError('internal', `The search worker failed: ${error.message}`, { cause: error })),
    );
    made.on('exit', () => lost(gone()));
    return made;
  };

  const ask = (
    body: { type: 'search'; task: SearchTask } | { type: 'look'; task: LookTask },
    signal?: AbortSignal,
  ) =>
    new Promise<unknown>((resolve, reject) => {
      if (closed) return reject(gone());
      if (signal?.aborted) return reject(cancelled());
      worker ??= start();
      const id = nextId++;
      const abort = () => {
        worker?.postMessage({ type: 'cancel', id } satisfies StoreRequest);
        waiting.delete(id);
        reject(cancelled());
      };
      const settled = () => signal?.removeEventListener('abort', abort);
      waiting.set(id, {
        resolve(answer) {
          settled();
          resolve(answer);
        },
        reject(error) {
          settled();
          reject(error);
        },
      });
      signal?.addEventListener('abort', abort, { once: true });
      worker.postMessage({ ...body, id } satisfies StoreRequest);
    });

  return {
    async search(task, signal) {
      const found = await ask({ type: 'search', task }, signal);
      if (found === null) throw cancelled();
      return found as Found;
    },
    async look(task, signal) {
      // Nothing is in memory yet; a thread that comes up takes longer than the answer from the file.
      if (worker === null && !closed) return 'absent';
      return (await ask({ type: 'look', task }, signal)) as LookAnswer;
    },
    forget(n) {
      worker?.postMessage({ type: 'forget', id: nextId++, n } satisfies StoreRequest);
    },
    async close() {
      closed = true;
      const running = worker;
      if (running === null) return;
      const exit = new Promise<void>((resolve) => running.once('exit', () => resolve()));
      running.postMessage({ type: 'close', id: nextId++ } satisfies StoreRequest);
      await exit;
    },
  };
}

const gone = () => new ParapetError('cancelled', 'The database was closed.');
