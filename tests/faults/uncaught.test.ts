/** The safety net under all tests: uncaught errors in a thread or process of a test are detected. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { allowUncaught, UncaughtFile } from '../support/uncaught.ts';

const REJECTS = "Promise.reject(new Error('nobody waits'))";
const THROWS = "setTimeout(() => { throw new Error('nobody waits') })";
const IN_THREAD = `new (require('node:worker_threads').Worker)(${JSON.stringify(THROWS)}, { eval: true }).on('error', () => {})`;
const SURVIVED = `process.on('uncaughtException', () => {}); process.on('unhandledRejection', () => {}); ${REJECTS}; ${THROWS}`;

const run = (code: string, file: UncaughtFile) =>
  spawnSync(process.execPath, ['-e', code], { env: { ...process.env, ...file.env() }, encoding: 'utf8' });

it.each([
  ['a rejection', REJECTS, 1],
  ['an exception', THROWS, 1],
  ['one in a thread of its own, which survives it', IN_THREAD, 0],
])('in a process: %s', (_, code, exit) => {
  const file = new UncaughtFile();
  const child = run(code, file);
  expect([child.status, child.stderr.includes('nobody waits')]).toEqual([exit, exit === 1]);
  expect(() => file.check()).toThrow(/nobody waits/);
  expect(file.take()).toEqual([]);
  file.remove();
});

it('in a process that survives both', () => {
  const file = new UncaughtFile();
  expect(run(SURVIVED, file).status).toBe(0);
  expect(file.take()).toHaveLength(2);
  expect(run('Promise.reject(new Error()).catch(() => {})', file).status).toBe(0);
  expect(file.take()).toEqual([]);
  file.remove();
});

it('in a thread of the test', async () => {
  allowUncaught(/nobody waits/);
  const worker = new Worker(REJECTS, { eval: true });
  const [error] = (await once(worker, 'error').catch((reason: unknown) => [reason])) as [Error];
  expect(error.message).toBe('nobody waits');
});
