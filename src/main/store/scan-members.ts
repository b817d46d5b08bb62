/**
 * The pool's threads for reading a whole table once, as an export does: started by the first such read, gone when
 * there was none for a while. Their page cache is small, since nothing is read twice, and those who look at a result
 * meanwhile keep their own readers and what those have cached.
 */
import { Worker } from 'node:worker_threads';
import { cancelled, fromBridgeError } from '#shared/bridge/errors.ts';
import type { ReadOptions, SqlParams } from './database.ts';
import type { StoreReply, StoreRequest, StoreWorkerData } from './protocol.ts';
import { closed, createRestarts, threadEnded, threadKeepsEnding } from './restarts.ts';

const WHAT = 'A reader of the database';
const MEMBERS = 2;
const CACHE_KIB = 2 * 1024;
const IDLE_MS = 15_000;

export interface ScanMembers {
  read(body: Read, options?: ReadOptions): Promise<unknown>;
  close(): Promise<void>;
}

interface Read {
  type: 'rows' | 'integers';
  sql: string;
  params: SqlParams | undefined;
}

interface Task {
  body: Read;
  settle(error: Error | null, value?: unknown): void;
  settled: boolean;
  /** Tells the thread that runs it to stop; null: it has not begun. */
  stop: (() => void) | null;
}

interface Member {
  worker: Worker;
  ready: boolean;
  current: Task | null;
  stop: Int32Array;
  gone: Promise<void>;
}

type Data = Omit<StoreWorkerData, 'role' | 'stop' | 'cacheKib'>;

/** `waitedFor`: counts the reads under way, so that what is done ahead gives way to them. */
export function createScanMembers(
  entry: URL,
  data: Data,
  waitedFor: Int32Array,
  damaged: () => void,
): ScanMembers {
  const queue: Task[] = [];
  let members: Member[] = [];
  let nextId = 1;
  let closing = false;
  const restarts = createRestarts();
  let idle: NodeJS.Timeout | null = null;

  const start = () => {
    const stop = new SharedArrayBuffer(4);
    const workerData: StoreWorkerData = { ...data, role: 'reader', cacheKib: CACHE_KIB, stop };
    const worker = new Worker(entry, {
      workerData,
      name: `store-${data.kind}-scan`,
      resourceLimits: { maxYoungGenerationSizeMb: 3 },
    });
    let failed = false;
    const member: Member = {
      worker,
      ready: false,
      current: null,
      stop: new Int32Array(stop),
      gone: new Promise((resolve) => worker.once('exit', () => resolve())),
    };
    const lost = (error: Error) => {
      if (members.includes(member) && !closing) restarts.ended();
      members = members.filter((other) => other !== member);
      member.current?.settle(error);
      member.current = null;
      if (members.length > 0 || queue.length === 0) return;
      if (closing || failed || !restarts.allowed()) for (const task of queue.splice(0)) task.settle(error);
      else start();
    };
    worker.on('message', (reply: StoreReply) => {
      if (reply.type === 'open') {
        member.ready = true;
        return pump();
      }
      if (reply.type === 'failed-to-open') {
        failed = true;
        return lost(fromBridgeError(reply.error));
      }
      if (reply.type === 'slow') return;
      const task = member.current;
      member.current = null;
      if (reply.type === 'done') task?.settle(null, reply.value);
      else {
        task?.settle(fromBridgeError(reply.error));
        if (reply.error.code === 'damaged') damaged();
      }
      pump();
    });
    worker.on('error', (error) => lost(threadEnded(WHAT, error)));
    worker.on('exit', () => lost(closing ? closed() : threadEnded(WHAT)));
    members.push(member);
  };

  const end = async () => {
    const ending = members;
    members = [];
    for (const { worker } of ending)
      worker.postMessage({ type: 'close', id: nextId++ } satisfies StoreRequest);
    await Promise.all(ending.map((member) => member.gone));
  };

  const pump = () => {
    if (idle !== null) clearTimeout(idle);
    idle = null;
    for (const member of members) {
      if (!member.ready || member.current !== null) continue;
      while (queue[0]?.settled) queue.shift();
      const task = queue.shift();
      if (task === undefined) break;
      member.current = task;
      const id = nextId++;
      task.stop = () => void Atomics.store(member.stop, 0, id);
      member.worker.postMessage({ ...task.body, id } satisfies StoreRequest);
    }
    if (closing || queue.length > 0 || members.some(({ current }) => current !== null)) return;
    idle = setTimeout(() => void end(), IDLE_MS).unref();
  };

  return {
    read(body, { signal } = {}) {
      return new Promise((resolve, reject) => {
        if (closing) return reject(closed());
        if (members.length === 0 && !restarts.allowed()) return reject(threadKeepsEnding(WHAT));
        if (signal?.aborted) return reject(cancelled());
        const abort = () => {
          task.settle(cancelled());
          task.stop?.();
        };
        const task: Task = {
          body,
          settled: false,
          stop: null,
          settle(error, value) {
            if (task.settled) return;
            task.settled = true;
            Atomics.sub(waitedFor, 0, 1);
            signal?.removeEventListener('abort', abort);
            if (error === null) resolve(value);
            else reject(error);
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        queue.push(task);
        Atomics.add(waitedFor, 0, 1);
        while (members.length < MEMBERS && (members.length === 0 || restarts.allowed())) start();
        pump();
      });
    },
    async close() {
      closing = true;
      if (idle !== null) clearTimeout(idle);
      for (const task of queue.splice(0)) task.settle(closed());
      await end();
    },
  };
}
