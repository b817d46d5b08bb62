/** Stands in for the embedded service: locks its database while it runs, and reports if another thread has locked it. */
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { databasePath } = workerData as { databasePath: string };
const held = `${databasePath}.held`;
try {
  closeSync(openSync(held, 'wx'));
  writeFileSync(databasePath, '');
  parentPort?.postMessage({ type: 'ready', port: 1 });
} catch {
  writeFileSync(`${databasePath}.two`, '');
}
parentPort?.on('message', ({ type }: { type: string }) => {
  if (type !== 'stop') return;
  // Like the service when it is stopped while opening evidence.
  parentPort?.postMessage({
    type: 'failed',
    error: { code: 'cancelled', message: 'Cancelled.', retryable: false },
  });
  rmSync(held, { force: true });
  parentPort?.close();
});
