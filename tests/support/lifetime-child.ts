/** A process with the host's lifetime but no host; it throws uncaught errors on command. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { runUntilStopped } from '#main/host/lifetime.ts';

/** A pipe without a writer, or `fail` to fail at the start; and the time limit of a stop. */
const [pipe, stopTimeoutMs] = process.argv.slice(2);
let isHeldUp = false;

/** Starts a thread in a system call that never returns, as on a share that no longer responds. */
async function holdUp(): Promise<void> {
  const worker = new Worker(
    "require('node:worker_threads').parentPort.postMessage('opening'); require('node:fs').openSync(require('node:worker_threads').workerData);",
    { eval: true, workerData: pipe },
  );
  await once(worker, 'message');
  isHeldUp = true;
}

async function start(requestStop: () => void) {
  if (pipe === 'fail') throw new Error('the disk was blamed');
  process.on('message', async (message) => {
    if (message === 'hold up') await holdUp();
    if (message === 'read' && pipe !== undefined) void readFile(pipe);
    if (message === 'throw')
      setImmediate(() => {
        throw new Error('thrown \u001b[2Jin nobody’s arms');
      });
    if (message === 'reject') void Promise.reject(new Error('rejected in nobody’s arms'));
    if (message === 'reject with nothing') void Promise.reject(undefined);
    if (message === 'emit') setImmediate(() => process.stdin.emit('error', new Error('emitted to nobody')));
    if (message === 'close output') {
      process.stdout.destroy();
      process.stderr.destroy();
      process.stdout.emit('error', new Error('EPIPE'));
    }
    if (message === 'stop') requestStop();
    setImmediate(() => setImmediate(() => process.send?.({ alive: message })));
  });
  process.send?.('started');
  return {
    fault: (reason: string) => void process.send?.({ fault: reason }),
    async stop() {
      process.send?.('stopped');
      if (isHeldUp) await new Promise(() => undefined);
    },
  };
}

void runUntilStopped(start, undefined, stopTimeoutMs === undefined ? undefined : Number(stopTimeoutMs));
