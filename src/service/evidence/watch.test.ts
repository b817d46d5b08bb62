import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { soon } from '#tests/support/soon.ts';
import { isOnlyRead, type Watch, watchEvidence } from './watch.ts';

let folder = '';
let watching: Watch | null = null;
let changes = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-watch-'));
  mkdirSync(join(folder, 'sub/deep'), { recursive: true });
  writeFileSync(join(folder, 'sub/deep/a.eml'), 'a');
  changes = 0;
});
afterEach(() => {
  watching?.close();
  rmSync(folder, { recursive: true, force: true });
});
const start = async (root = folder, more = {}) => {
  watching = await watchEvidence(root, () => (changes += 1), { quietMs: 50, ...more });
};

it.each([
  ['a new file', () => writeFileSync(join(folder, 'sub/b.eml'), 'b')],
  ['a file that grows in a nested folder', () => appendFileSync(join(folder, 'sub/deep/a.eml'), 'b')],
  ['a file that is removed', () => rmSync(join(folder, 'sub/deep/a.eml'))],
])('reports %s once', async (_, change) => {
  await start();
  change();
  await soon(() => expect(changes).toBe(1));
  change === undefined || writeFileSync(join(folder, 'later.eml'), 'x');
  await new Promise((resolve) => setImmediate(resolve));
  expect(changes).toBe(1);
});

it('reports a change in a subfolder on Windows, where only the top folder is watched', async () => {
  await start(folder, { platform: 'win32' });
  appendFileSync(join(folder, 'sub/deep/a.eml'), 'b');
  await soon(() => expect(changes).toBe(1));
});

it('distinguishes a file that was only read from one that was written and then scanned', () => {
  const hour = 3_600_000;
  expect(isOnlyRead({ mtimeMs: 0, ctimeMs: hour, atimeMs: 2 * hour })).toBe(true);
  expect(isOnlyRead({ mtimeMs: 0, ctimeMs: hour, atimeMs: hour + 500 })).toBe(false);
  // Written, on a disk that does not update access times.
  expect(isOnlyRead({ mtimeMs: 2 * hour, ctimeMs: 2 * hour, atimeMs: hour })).toBe(false);
});

it('watches a single file, and accepts a missing path', async () => {
  await start(join(folder, 'sub/deep/a.eml'));
  appendFileSync(join(folder, 'sub/deep/a.eml'), 'b');
  await soon(() => expect(changes).toBe(1));
  await start(join(folder, 'none'));
});

it('[limit 30 s] waits until changes stop, but only up to a limit', async () => {
  await start(folder, { quietMs: 60_000, latestMs: 100 });
  writeFileSync(join(folder, 'b.eml'), 'b');
  await soon(() => expect(changes).toBe(1));
});

it('[limit 1 000 folders] reports nothing after it was closed, nor for folders beyond the limit, of which it says so', async () => {
  await start(folder, { folders: 1 });
  expect(watching?.limit).toBe('folders');
  appendFileSync(join(folder, 'sub/deep/a.eml'), 'b');
  watching?.close();
  writeFileSync(join(folder, 'b.eml'), 'b');
  await start(folder, { folders: 3 });
  expect(watching?.limit).toBeNull();
  writeFileSync(join(folder, 'c.eml'), 'c');
  await soon(() => expect(changes).toBe(1));
});

it.each([
  ['ENOSPC', 'system'],
  ['EMFILE', 'system'],
  ['EPERM', null],
])('[bad input] folders that are not watched because of %s are reported: %s', async (code, limit) => {
  const watchPath = () => {
    throw Object.assign(new Error(code), { code });
  };
  await start(folder, { watchPath });
  expect(watching?.limit).toBe(limit);
});
