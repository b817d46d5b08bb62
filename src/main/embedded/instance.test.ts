import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isInNativeCall } from '../kernel/native-calls.ts';
import { EmbeddedInstance, type InstanceDeps } from './instance.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-instance-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** An instance over the folder, whose thread is `deps.entry`. */
const instanceOf = (deps: Partial<InstanceDeps>, exited: () => void = () => undefined): EmbeddedInstance =>
  new EmbeddedInstance({ rules: () => [], ...deps } as InstanceDeps, {
    source: { kind: 'evidence', path: folder },
    databasePath: join(folder, 'x.sqlite'),
    databaseKey: null,
    settings: { believed: [], flags: {} },
    users: new Set(),
    nextVersion: () => 1,
    exited,
  });

it.skipIf(process.platform === 'win32')(
  'a service that reads from a share which never answers is left alone, and the process knows that it is held up',
  async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reads = `import { openSync } from 'node:fs';
      import { parentPort } from 'node:worker_threads';
      parentPort.postMessage({ type: 'unwatched' });
      openSync(${JSON.stringify(pipe)});`;
    const entry = new URL(`data:text/javascript,${encodeURIComponent(reads)}`);
    const reading = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<void>();
    const instance = instanceOf({ entry, unwatched: () => reading.resolve() }, () => exited.resolve());
    await reading.promise;
    // Six seconds, without work: the thread must be in its call when it is terminated.
    await instance.stop();
    expect(isInNativeCall()).toBe(true);
    await (await open(pipe, 'w')).close();
    await exited.promise;
    await expect.poll(isInNativeCall).toBe(false);
  },
);

it('a report that the index refuses is rejected with the reason', async () => {
  const refuses = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ type }) => {
      if (type === 'stop') process.exit();
      parentPort.postMessage({ type: 'refused', answer: 'report', error: { code: 'disk-full', message: 'Full.', retryable: true } });
    });`;
  const entry = new URL(`data:text/javascript,${encodeURIComponent(refuses)}`);
  const instance = instanceOf({ entry });
  await expect(instance.report()).rejects.toMatchObject({ code: 'disk-full', message: 'Full.' });
  await instance.stop();
});
