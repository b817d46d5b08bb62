/**
 * The writer of an export without a thread of its own: for tests that make thousands of small files, where starting a
 * thread costs many times the file. A test mocks node:worker_threads with `threadsHere` and gives `HERE` as the entry.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type * as Threads from 'node:worker_threads';

/** Only this entry runs in the test's thread; all others get a real thread. */
export const HERE = new URL('../../src/main/export/worker.ts#here', import.meta.url);

interface Side {
  data: unknown;
  /** The writer's end of the channel, and the test's. */
  port: EventEmitter;
  out: EventEmitter;
}
const sides = new AsyncLocalStorage<Side>();

const deliver = (to: EventEmitter, message: unknown, transfer: readonly Threads.Transferable[] = []) => {
  const copy = structuredClone(message, { transfer: [...transfer] as Transferable[] });
  setImmediate(() => to.emit('message', copy));
};

class WriterHere extends EventEmitter {
  readonly #port = new EventEmitter();
  constructor(data: unknown) {
    super();
    const side = { data: structuredClone(data), port: this.#port, out: this };
    void import('#main/export/thread.ts').then(({ runExportThread }) =>
      sides.run(side, () => runExportThread(new URL('../../src/main/export/worker.ts', import.meta.url))),
    );
  }
  postMessage(message: unknown, transfer?: readonly Threads.Transferable[]): void {
    deliver(this.#port, message, transfer);
  }
  async terminate(): Promise<number> {
    this.#port.removeAllListeners();
    return 0;
  }
}

export function threadsHere(real: typeof Threads): typeof Threads {
  const Worker = new Proxy(real.Worker, {
    construct: (target, [entry, options]: [URL, Threads.WorkerOptions], newTarget) =>
      entry.hash === '#here' && !('gather' in (options.workerData as object))
        ? new WriterHere(options.workerData)
        : Reflect.construct(target, [entry, options], newTarget),
  });
  const parentPort = {
    postMessage(message: unknown, transfer?: readonly Threads.Transferable[]) {
      const side = sides.getStore();
      if (side !== undefined) deliver(side.out, message, transfer);
    },
    on(event: string, listener: (message: unknown) => void) {
      const side = sides.getStore();
      side?.port.on(event, (message) => sides.run(side, () => listener(message)));
    },
  };
  return {
    ...real,
    Worker,
    parentPort: parentPort as unknown as Threads.MessagePort,
    get workerData() {
      return sides.getStore()?.data;
    },
  };
}
