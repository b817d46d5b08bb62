/** The pool's thread for searches: started by the first one, many questions at once, each can be cancelled. */
import { Worker } from 'node:worker_threads';
import { cancelled, fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import type { StoreReply, StoreRequest, StoreWorkerData } from './protocol.ts';
import type { Found, SearchTask } from './tasks.ts';

export interface SearchMember {
  search(task: SearchTask, signal?: AbortSignal): Promise<Found>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(found: Found): void;
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
        if (reply.value === null) found?.reject(cancelled());
        else found?.resolve(reply.value as Found);
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

  return {
    search(task, signal) {
      return new Promise((resolve, reject) => {
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
          resolve(found) {
            settled();
            resolve(found);
          },
          reject(error) {
            settled();
            reject(error);
          },
        });
        signal?.addEventListener('abort', abort, { once: true });
        worker.postMessage({ type: 'search', id, task } satisfies StoreRequest);
      });
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
