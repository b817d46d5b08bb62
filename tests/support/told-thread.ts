/** Entry of a thread that runs commands, for the test of reused threads. */
import { openSync } from 'node:fs';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

export type Told =
  | 'close'
  | 'throw'
  | 'exit'
  | 'work'
  | 'load'
  | 'leave-database'
  | 'leave-file'
  | 'leave-global'
  | 'leave-listener';

let heard = 0;
function close(): void {
  parentPort?.postMessage('last');
  parentPort?.close();
}

parentPort?.on('message', (message: Told | 'who') => {
  heard++;
  if (message === 'who') return parentPort?.postMessage({ threadId, heard, data: workerData });
  if (message === 'throw') throw new Error('told to fail');
  if (message === 'exit') process.exit(7);
  if (message === 'work') {
    parentPort?.postMessage('begun');
    for (;;);
  }
  if (message === 'load') return void import('zod').then(close);
  if (message === 'leave-database') new Sqlite(':memory:').prepare('SELECT 1').get();
  if (message === 'leave-file') openSync(process.execPath, 'r');
  if (message === 'leave-global') Object.assign(globalThis, { left: true });
  if (message === 'leave-listener') process.on('warning', () => undefined);
  close();
});
