import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Instance, lockPath, takeInstance } from './instance.ts';

let profile: string;
let held: Instance[];
beforeEach(() => {
  profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-instance-'));
  held = [];
});
afterEach(async () => {
  for (const instance of held) if (instance.first) await instance.release();
  rmSync(profile, { recursive: true, force: true });
});
const take = async (answer = '') => {
  const instance = await takeInstance(profile, () => answer);
  held.push(instance);
  return instance;
};

test('the second start of a profile gets the answer of the first', async () => {
  expect((await take('http://127.0.0.1:1/')).first).toBe(true);
  expect(await take()).toEqual({ first: false, answer: 'http://127.0.0.1:1/' });
});

test('the lock is private to the user', async () => {
  await take();
  expect(statSync(lockPath(profile)).mode & 0o077).toBe(0);
});

test('a released profile can be taken again', async () => {
  const first = await take();
  if (first.first) await first.release();
  expect((await take()).first).toBe(true);
});

test('what a killed process left behind is taken over', async () => {
  // A socket file without a listener, as SIGKILL leaves it.
  const address = lockPath(profile);
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(`${address}.old`, resolve));
  writeFileSync(address, '');
  await new Promise((resolve) => server.close(resolve));
  expect((await take()).first).toBe(true);
});

test('two profiles do not meet', async () => {
  await take();
  const other = mkdtempSync(path.join(os.tmpdir(), 'parapet-instance-'));
  const instance = await takeInstance(other, () => '');
  held.push(instance);
  expect(instance.first).toBe(true);
  rmSync(other, { recursive: true });
});

test('a long path finds room for its lock elsewhere', () => {
  const deep = mkdtempSync(path.join(profile, 'x'.repeat(120)));
  expect(Buffer.byteLength(lockPath(deep))).toBeLessThanOrEqual(104);
});
