/** A thread that helps one reader to compare texts. It is started by the first long comparison, and ends with the reader. */
import { type MessagePort, Worker } from 'node:worker_threads';
import { helpCompare, type SharedComparison } from '../store/comparison.ts';
import { connectReader } from '../store/store.ts';
import type { ThreadData } from './protocol.ts';

export type ComparerData = Pick<ThreadData, 'spec'> & { role: 'comparer' };

export function runComparer({ spec }: ComparerData, port: MessagePort): void {
  const { db } = connectReader({ path: spec.databasePath, key: spec.databaseKey });
  port.on('message', (work: SharedComparison) => helpCompare({ db }, work));
}

/** Sends comparisons to the thread. While there is none, the reader compares everything itself. */
export function comparerOf({ spec }: ThreadData, entry: URL): (work: SharedComparison) => void {
  let comparer: Worker | null = null;
  const start = (): Worker => {
    const worker = new Worker(entry, {
      workerData: { role: 'comparer', spec } satisfies ComparerData,
      name: 'embedded-comparer',
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    worker.on('error', () => {});
    worker.on('exit', () => {
      comparer = null;
    });
    // The reader does not stay for it.
    worker.unref();
    return worker;
  };
  return (work) => {
    comparer ??= start();
    comparer.postMessage(work);
  };
}
