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

parentPort?.on('message', (told: Told | 'who') => {
  heard++;
  if (told === 'who') return parentPort?.postMessage({ threadId, heard, data: workerData });
  if (told === 'throw') throw new Error('told to fail');
  if (told === 'exit') process.exit(7);
  if (told === 'work') {
    parentPort?.postMessage('begun');
    for (;;);
  }
  if (told === 'load') return void import('zod').then(close);
  if (told === 'leave-database') new Sqlite(':memory:').prepare('SELECT 1').get();
  if (told === 'leave-file') openSync(process.execPath, 'r');
  if (told === 'leave-global') Object.assign(globalThis, { left: true });
  if (told === 'leave-listener') process.on('warning', () => undefined);
  close();
});
