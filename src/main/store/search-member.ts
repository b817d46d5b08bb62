/** The pool's thread for searches: started by the first one, many questions at once, each can be cancelled. */
import { Worker } from 'node:worker_threads';
import { cancelled, fromBridgeError } from '#shared/bridge/errors.ts';
import type { StoreReply, StoreRequest, StoreWorkerData } from './protocol.ts';
import { closed, createRestarts, threadEnded, threadKeepsEnding } from './restarts.ts';
import type { ColumnQuery, ColumnReply, SearchResult, SearchTask } from './tasks.ts';

export interface SearchMember {
  search(task: SearchTask, signal?: AbortSignal): Promise<SearchResult>;
  askColumns(task: ColumnQuery, signal?: AbortSignal): Promise<ColumnReply>;
  forget(n: number): void;
  close(): Promise<void>;
}

const WHAT = 'The search';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export function createSearchMember(
  entry: URL,
  workerData: StoreWorkerData,
  damaged: () => void,
): SearchMember {
  /** The thread, and who waits for it: one that ended takes nobody along who waits for the next. */
  let member: { worker: Worker; waiting: Map<number, Waiting> } | null = null;
  let nextId = 1;
  let closing = false;
  const restarts = createRestarts();

  const start = () => {
    const made = new Worker(entry, { workerData, name: `store-${workerData.kind}-search` });
    const waiting = new Map<number, Waiting>();
    const own = { worker: made, waiting };
    const lost = (error: Error) => {
      if (member === own) {
        member = null;
        if (!closing) restarts.ended();
      }
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
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
    made.on('error', (error) => lost(threadEnded(WHAT, error)));
    made.on('exit', () => lost(closing ? closed() : threadEnded(WHAT)));
    return own;
  };

  const ask = (
    body: { type: 'search'; task: SearchTask } | { type: 'columns'; task: ColumnQuery },
    signal?: AbortSignal,
  ) =>
    new Promise<unknown>((resolve, reject) => {
      if (closing) return reject(closed());
      if (signal?.aborted) return reject(cancelled());
      if (member === null && !restarts.allowed()) return reject(threadKeepsEnding(WHAT));
      member ??= start();
      const { worker, waiting } = member;
      const id = nextId++;
      const abort = () => {
        worker.postMessage({ type: 'cancel', id } satisfies StoreRequest);
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
      return found as SearchResult;
    },
    async askColumns(task, signal) {
      // Nothing is in memory yet; a thread that comes up takes longer than the answer from the file.
      if (member === null && !closing) return 'absent';
      return (await ask({ type: 'columns', task }, signal)) as ColumnReply;
    },
    forget(n) {
      member?.worker.postMessage({ type: 'forget', id: nextId++, n } satisfies StoreRequest);
    },
    async close() {
      closing = true;
      if (member === null) return;
      const running = member.worker;
      const exit = new Promise<void>((resolve) => running.once('exit', () => resolve()));
      running.postMessage({ type: 'close', id: nextId++ } satisfies StoreRequest);
      await exit;
    },
  };
}
