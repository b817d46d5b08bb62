/** Tests reuse threads of the core: each start is like new, and a thread in a distinguishable state is not reused. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { beforeEach, expect, it } from 'vitest';
import { reuseThreads, withRealThreads } from '../support/reused-threads.ts';
import type { Told } from '../support/told-thread.ts';
import { allowUncaught } from '../support/uncaught.ts';

const ENTRY = new URL('../support/told-thread.ts', import.meta.url);

beforeEach(() => reuseThreads([ENTRY.href]));

interface Life {
  worker: Worker;
  threadId: number;
  heard: number;
  data: unknown;
}

async function live(data: unknown = null): Promise<Life> {
  const worker = new Worker(ENTRY, { workerData: data });
  worker.postMessage('who');
  const [first] = (await once(worker, 'message')) as [Omit<Life, 'worker'>];
  return { worker, ...first };
}

async function end({ worker }: Life, command: Told): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  worker.once('exit', resolve);
  worker.postMessage(command);
  return promise;
}

it('the next start gets the thread of the one before, and nothing that was sent to it', async () => {
  const first = await live('first');
  expect(await end(first, 'close')).toBe(0);
  const second = await live('second');
  expect(second).toMatchObject({ threadId: first.threadId, heard: 1, data: 'second' });
  // Leftovers of the first start receive nothing.
  first.worker.postMessage('throw');
  expect(await end(second, 'close')).toBe(0);
});

it("two concurrent starts get two threads, and a thread's last message arrives before its exit", async () => {
  const [first, other] = await Promise.all([live(), live()]);
  expect(first.threadId).not.toBe(other.threadId);
  const order: unknown[] = [];
  first.worker.on('message', (message) => order.push(message)).on('exit', () => order.push('exit'));
  await end(first, 'close');
  expect(order).toEqual(['last', 'exit']);
  await end(other, 'close');
});

it('a thread terminated while idle is reused', async () => {
  const first = await live();
  await first.worker.terminate();
  const second = await live();
  expect(second).toMatchObject({ threadId: first.threadId, heard: 1 });
  await end(second, 'close');
});

it('a thread that loads zod late, like those of the embedded service, is reused', async () => {
  const first = await live();
  await end(first, 'load');
  const second = await live();
  expect(second).toMatchObject({ threadId: first.threadId, heard: 1 });
  await end(second, 'close');
});

it('a thread terminated at work ends, and its exit is reported', async () => {
  const first = await live();
  const exited = once(first.worker, 'exit');
  const begun = once(first.worker, 'message');
  first.worker.postMessage('work');
  await begun;
  expect(await first.worker.terminate()).toBe(1);
  expect(await exited).toEqual([1]);
  const second = await live();
  expect(second.threadId).not.toBe(first.threadId);
  await end(second, 'close');
});

it.each<[told: Told, code: number]>([
  ['throw', 1],
  ['exit', 7],
  ['leave-database', 0],
  ['leave-file', 0],
  ['leave-global', 0],
  ['leave-listener', 0],
])('a thread with the command %s is not reused', async (command, code) => {
  allowUncaught(/told to fail/);
  const first = await live();
  const failed: unknown[] = [];
  first.worker.on('error', (error) => failed.push(error));
  expect(await end(first, command)).toBe(code);
  expect(failed).toEqual(command === 'throw' ? [expect.objectContaining({ message: 'told to fail' })] : []);
  const second = await live();
  expect(second.threadId).not.toBe(first.threadId);
  await end(second, 'close');
});

it('of many that end at once some are kept, and none that is exiting is reused', async () => {
  const many = Array.from({ length: 20 });
  for (let round = 0; round < 3; round++) {
    const lives = await Promise.all(many.map(() => live(round)));
    expect(lives.map(({ heard, data }) => [heard, data])).toEqual(many.map(() => [1, round]));
    let failed = 0;
    for (const { worker } of lives) worker.on('error', () => failed++);
    expect(await Promise.all(lives.map((life) => end(life, 'close')))).toEqual(many.map(() => 0));
    expect(failed).toBe(0);
  }
}, 60_000);

it('a test file about threads gets real ones', async () => {
  withRealThreads();
  const first = await live();
  expect(first.worker.constructor.name).toBe('Worker');
  await end(first, 'close');
  const second = await live();
  expect(second.threadId).not.toBe(first.threadId);
  await end(second, 'close');
});
