import { expect, it } from 'vitest';
import { allowUncaught } from '#tests/support/uncaught.ts';
import { WorkerPool } from './worker-pool.ts';

const GREEDY = `import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ type }) => {
    if (type === 'close') process.exit();
    for (const all = []; ; ) all.push(new Array(10_000).fill(type));
  });
  parentPort.postMessage({ type: 'open' });`;

it('a thread that runs out of memory says so, and the process stays', async () => {
  allowUncaught(/memory limit/);
  const pool = new WorkerPool({
    entry: new URL(`data:text/javascript,${encodeURIComponent(GREEDY)}`),
    name: 'greedy',
    label: 'The search',
    data: {},
    size: 1,
    concurrency: 1,
    idle: null,
    resourceLimits: { maxOldGenerationSizeMb: 8 },
  });
  await pool.open();
  await expect(pool.run({ type: 'everything' })).rejects.toMatchObject({
    code: 'internal',
    retryable: true,
    message: expect.stringMatching(/^The search ran out of memory.*less at a time/),
  });
  await pool.close();
});
