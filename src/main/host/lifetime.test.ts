import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allowUncaught } from '#tests/support/uncaught.ts';
import { createFaults, FAULTS_MAX, UNCAUGHT } from './lifetime.ts';

const CHILD = path.resolve(import.meta.dirname, '../../../tests/support/lifetime-child.ts');
/** Allows for a busy machine. */
const PATIENT = { timeout: 20_000 };

let child: ChildProcess;
let messages: unknown[];
let errors: string;
let exit: Promise<unknown[]>;

async function begin(...args: string[]): Promise<void> {
  messages = [];
  errors = '';
  child = fork(CHILD, args, { silent: true });
  child.on('message', (message) => messages.push(message));
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  exit = once(child, 'exit');
  await expect.poll(() => messages, { timeout: 20_000 }).toContain('started');
}
afterEach(() => child.kill('SIGKILL'));

const faults = () =>
  messages.flatMap((message) =>
    typeof message === 'object' && message !== null && 'fault' in message ? [message.fault] : [],
  );

describe('an uncaught error', () => {
  beforeEach(async () => {
    allowUncaught(/nobody|undefined/);
    await begin();
  });

  test.each([
    ['throw', 'thrown'],
    ['reject', 'rejected'],
    ['reject with nothing', 'undefined'],
    ['emit', 'emitted'],
  ])('%s: is logged, reported and survived, and the stop is orderly', async (how, reason) => {
    child.send(how);
    await expect.poll(() => messages, PATIENT).toContainEqual({ alive: how });
    await expect.poll(faults, PATIENT).toEqual([expect.stringContaining(reason)]);
    await expect.poll(() => errors, PATIENT).toContain(UNCAUGHT);
    expect(errors).toContain(reason);
    expect(errors).not.toContain('\u001b');
    child.send('stop');
    expect((await exit)[0]).toBe(0);
    expect(messages).toContain('stopped');
  });

  test('[limit 5 a minute] as many as the limit are survived; one more ends the process in order, with a message', async () => {
    for (let n = 1; n <= FAULTS_MAX; n++) {
      child.send('reject');
      await expect.poll(() => faults().length, PATIENT).toBe(n);
    }
    expect(child.exitCode).toBeNull();
    child.send('throw');
    expect((await exit)[0]).toBe(1);
    expect(messages).toContain('stopped');
    expect(errors).toContain('keep coming');
  });

  test('a closed terminal is no reason to end', async () => {
    child.send('close output');
    child.send('reject');
    await expect.poll(faults, PATIENT).toHaveLength(1);
    child.send('stop');
    expect((await exit)[0]).toBe(0);
  });
});

describe.skipIf(process.platform === 'win32')(
  '[bad input] a thread that waits for an unresponsive share',
  () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'parapet-lifetime-'));
      execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const beginHeldUp = async (...args: string[]) => {
      await begin(path.join(folder, 'pipe'), ...args);
      child.send('hold up');
      await expect.poll(() => messages, PATIENT).toContainEqual({ alive: 'hold up' });
    };

    test('does not keep the process from ending when its time to stop is over', async () => {
      await beginHeldUp('300');
      child.send('stop');
      expect(await exit).toEqual([null, 'SIGKILL']);
      expect(messages).toContain('stopped');
      expect(errors).toContain('does not answer');
    });

    test('does not keep it from ending after a stop in order, whose exit code is told', async () => {
      // In one of Node's own threads, which an exit waits for: for a file on that share, or a prompt of the keychain.
      await begin(path.join(folder, 'pipe'));
      child.send('read');
      await expect.poll(() => messages, PATIENT).toContainEqual({ alive: 'read' });
      child.send('stop');
      expect(await exit).toEqual([null, 'SIGKILL']);
      expect(messages).toContain('stopped');
      expect(messages).toContainEqual({ exitCode: 0 });
    });

    test('does not keep a second signal from ending it', async () => {
      await beginHeldUp();
      child.kill('SIGTERM');
      const signalled = () => {
        child.kill('SIGTERM');
        return child.signalCode;
      };
      await expect.poll(signalled, PATIENT).toBe('SIGKILL');
    });
  },
);

test.skipIf(process.platform === 'win32').each([
  ['60', 'may not open enough files'],
  ['200', 'the disk was blamed'],
])('a start that fails with a limit of %s open files says “%s”', (limit, words) => {
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `ulimit -n ${limit} && exec "$0" "$@"`, process.execPath, CHILD, 'fail'],
    { encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([1, expect.stringContaining(words)]);
});

test('errors only count together within a minute', () => {
  let now = 0;
  const tooMany = createFaults(() => now);
  for (let n = 0; n < 100; n++) {
    expect(tooMany()).toBe(false);
    now += 60_000 / FAULTS_MAX;
  }
  now += 60_000;
  for (let n = 0; n < FAULTS_MAX; n++) expect(tooMany()).toBe(false);
  expect(tooMany()).toBe(true);
});
