import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HostAnswer, HostRequest } from '#shared/bridge/host-channel.ts';
import { UPLOAD_MAX_BYTES } from '#shared/bridge/host-channel.ts';
import { soon } from '#tests/support/soon.ts';
import { BrowserDialogs } from './dialogs.ts';
import { BEGINS_WITHIN_MS } from './downloads.ts';

let dir: string;
let dialogs: BrowserDialogs;
let requests: { id: string; request: Omit<HostRequest, 'id'> }[];
let settle: (id: string, outcome: HostAnswer['outcome'] | null) => void;

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-dialogs-'));
  requests = [];
  const waiting = new Map<string, (outcome: HostAnswer['outcome'] | null) => void>();
  settle = (id, outcome) => waiting.get(id)?.(outcome);
  dialogs = new BrowserDialogs(dir, {
    ask(request) {
      const id = `request-number-${requests.length}`;
      requests.push({ id, request });
      return { id, answer: new Promise((resolve) => waiting.set(id, resolve)) };
    },
    settle,
    page: async () => {},
  });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

const bytes = (text: string) => Readable.from([Buffer.from(text)]);

test('a saved file is offered once it is complete, downloaded once and removed', async () => {
  const chosen = await dialogs.save({ suggestedName: '../Invoices: overdue', kind: 'csv' });
  expect(chosen?.name).toBe('_Invoices_ overdue.csv');
  expect(chosen?.path.startsWith(path.join(dir, 'downloads'))).toBe(true);
  expect(requests).toEqual([]);
  writeFileSync(chosen!.path, 'a,b');
  chosen?.finished?.();
  await soon(() =>
    expect(requests[0]?.request).toEqual({ host: 'download', name: '_Invoices_ overdue.csv' }),
  );
  expect(existsSync(chosen!.path)).toBe(false);
  const { id } = requests[0]!;
  expect(dialogs.downloads.peek(id)).toMatchObject({ name: '_Invoices_ overdue.csv', bytes: 3 });
  const download = dialogs.downloads.take(id);
  expect(await text(download!.read())).toBe('a,b');
  expect(dialogs.downloads.take(id)).toBeNull();
  download?.end(true);
  expect(dialogs.downloads.take(id)).toBeNull();
  expect(await dialogs.clear()).toBe(0);
});

test.each([
  [99, 0],
  [100, 0],
  [101, 1],
])(
  '[limit 100 files] of %d files that are never downloaded the oldest %d are dropped',
  async (count, gone) => {
    for (let n = 0; n < count; n++) {
      const chosen = await dialogs.save({ suggestedName: `${n}`, kind: 'csv' });
      writeFileSync(chosen!.path, '');
      chosen?.finished?.();
    }
    const downloads: string[] = [];
    while (downloads.length < count - gone) {
      const download = await soon(() => {
        const next = dialogs.downloads.take(requests.at(-1)?.id ?? '');
        if (next === null) throw new Error('No further file is offered');
        return next;
      });
      downloads.push(download.name);
      download.end(true);
    }
    expect(downloads).toEqual(Array.from({ length: count - gone }, (_, index) => `${index + gone}.csv`));
    expect(await dialogs.clear()).toBe(0);
  },
);

test('[limit 30 s] the manifest of a file is offered once the download of the file has begun, or does not begin', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const offered = () => requests.map(({ request }) => 'name' in request && request.name);
  const chosen = await dialogs.save({ suggestedName: 'rows', kind: 'csv' });
  for (const ending of ['', '.manifest.json']) writeFileSync(`${chosen!.path}${ending}`, '');
  chosen?.finished?.(['rows.csv.manifest.json']);
  await vi.advanceTimersByTimeAsync(0);
  expect(offered()).toEqual(['rows.csv']);
  await vi.advanceTimersByTimeAsync(BEGINS_WITHIN_MS - 1);
  expect(offered()).toEqual(['rows.csv']);
  dialogs.downloads.take(requests[0]!.id);
  await vi.advanceTimersByTimeAsync(0);
  expect(offered()).toEqual(['rows.csv', 'rows.csv.manifest.json']);

  const other = await dialogs.save({ suggestedName: 'more', kind: 'csv' });
  writeFileSync(other!.path, '');
  other?.finished?.();
  await vi.advanceTimersByTimeAsync(BEGINS_WITHIN_MS - 1);
  expect(offered()).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(offered()).toEqual(['rows.csv', 'rows.csv.manifest.json', 'more.csv']);
});

test('a picked file is uploaded under its own name, made safe', async () => {
  const opened = dialogs.open({ kind: 'query-file' });
  expect(await dialogs.receive(requests[0]!.id, '../../q.json', bytes('{}'))).toBe(true);
  const chosen = await opened;
  expect(chosen?.name).toBe('_.._q.json');
  expect(readFileSync(chosen!.path, 'utf8')).toBe('{}');
  expect(chosen?.path.startsWith(path.join(dir, 'uploads'))).toBe(true);
});

test('an unrequested file is refused, and so is a second one', async () => {
  expect(await dialogs.receive('request-number-9', 'q.json', bytes('{}'))).toBe(false);
  const opened = dialogs.open({ kind: 'query-file' });
  // Also while one dialog is waiting.
  expect(await dialogs.receive('request-number-9', 'q.json', bytes('{}'))).toBe(false);
  expect(await dialogs.choose(requests[0]!.id, os.tmpdir())).not.toBeNull();
  await dialogs.receive(requests[0]!.id, 'q.json', bytes('{}'));
  await opened;
  expect(await dialogs.receive(requests[0]!.id, 'q.json', bytes('{}'))).toBe(false);
});

test('[limit 64 MiB] an upload above the limit is cut off and leaves nothing', async () => {
  const opened = dialogs.open({ kind: 'query-file' });
  const chunk = new Uint8Array(UPLOAD_MAX_BYTES / 2);
  const endless = new Readable({
    read() {
      this.push(chunk);
    },
  });
  const rejection = expect(opened).rejects.toMatchObject({ code: 'too-large' });
  await expect(dialogs.receive(requests[0]!.id, 'q.json', endless)).rejects.toMatchObject({
    code: 'too-large',
  });
  await rejection;
  expect(readdirSync(path.join(dir, 'uploads'))).toEqual([]);
});

test('a page that could not upload its file gets an error, not a cancelled dialog', async () => {
  const opened = dialogs.open({ kind: 'query-file' });
  settle(requests[0]!.id, 'failed');
  await expect(opened).rejects.toThrow('could not upload the file');
});

test('a file to verify is picked together with its manifest, stored under the expected name beside it, and removed', async () => {
  const opened = dialogs.open({ kind: 'verify-file' });
  const { id, request } = requests[0]!;
  expect(request).toMatchObject({ host: 'pick', title: 'Verify a file', pair: true });
  expect(await dialogs.receive(id, 'rows.csv', bytes('{}'), true)).toBe(true);
  expect(await dialogs.receive(id, 'rows.csv', bytes('a\r\n'))).toBe(true);
  const chosen = (await opened)!;
  expect(chosen.name).toBe('rows.csv');
  expect(readFileSync(chosen.path, 'utf8')).toBe('a\r\n');
  expect(readFileSync(`${chosen.path}.manifest.json`, 'utf8')).toBe('{}');
  await chosen.release?.();
  expect(readdirSync(path.join(dir, 'uploads'))).toEqual([]);
});

test.each([3, 4, 5])(
  '[limit 4 uploads] of %d picked files that nothing has read, at most four are kept',
  async (count) => {
    for (let n = 0; n < count; n++) {
      const opened = dialogs.open({ kind: 'verify-file' });
      await dialogs.receive(requests[n]!.id, `${n}.csv`, bytes(''));
      await opened;
    }
    expect(readdirSync(path.join(dir, 'uploads'))).toHaveLength(Math.min(count, 4));
  },
);

test('a cancelled dialog returns null', async () => {
  const opened = dialogs.open({ kind: 'query-file' });
  settle(requests[0]!.id, 'cancelled');
  expect(await opened).toBeNull();
});

test('evidence is chosen by its path, which is checked before it is accepted', async () => {
  const opened = dialogs.open({ kind: 'evidence-folder' });
  const { id, request } = requests[0]!;
  expect(request).toEqual({ host: 'ask-path', expected: 'folder' });
  const file = path.join(dir, 'file.eml');
  writeFileSync(file, '');
  expect(await dialogs.choose(id, 'relative/path')).toMatch(/whole path/);
  // The name of a home folder is no pattern.
  vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', path.join(dir, 'a$&b'));
  mkdirSync(path.join(dir, 'a$&b'));
  writeFileSync(path.join(dir, 'a$&b', 'mail.eml'), '');
  expect(await dialogs.choose(id, '~/mail.eml')).toMatch(/file, not a folder/);
  vi.unstubAllEnvs();
  expect(await dialogs.choose(id, path.join(dir, 'missing'))).toMatch(/no such folder/);
  expect(await dialogs.choose(id, file)).toMatch(/file, not a folder/);
  // In quotation marks, as Windows Explorer copies it.
  expect(await dialogs.choose(id, ` "${dir}" `)).toBeNull();
  expect(await opened).toEqual({ path: dir, name: path.basename(dir) });
  expect(await dialogs.choose(id, dir)).toMatch(/already answered/);
});

test('clear leaves no file behind', async () => {
  const chosen = await dialogs.save({ suggestedName: 'x', kind: 'json' });
  writeFileSync(chosen!.path, '[]');
  await dialogs.clear();
  expect(existsSync(path.join(dir, 'downloads'))).toBe(false);
});

test('an upload that breaks off is not blamed on a disk', async () => {
  const opened = dialogs.open({ kind: 'query-file' });
  const { id } = requests[0]!;
  // The error of Node's server, for example if the picked file changed or its stick was removed.
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('[');
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    })(),
  );
  await expect(dialogs.receive(id, 'q.json', broken)).rejects.toThrow('aborted');
  await expect(opened).rejects.toThrow('The page could not upload the file');
  expect(readdirSync(path.join(dir, 'uploads'))).toEqual([]);
});

test('a profile folder that cannot take the file is named as the reason, and no dialog stays open', async () => {
  for (const kind of ['uploads', 'downloads']) writeFileSync(path.join(dir, kind), 'not a folder');
  const opened = dialogs.open({ kind: 'query-file' });
  const refused = { code: 'file-exists', message: expect.stringContaining('q.json') };
  await expect(dialogs.receive(requests[0]!.id, 'q.json', bytes('[]'))).rejects.toThrow();
  await expect(opened).rejects.toMatchObject(refused);
  await expect(dialogs.save({ suggestedName: 'q.json', kind: 'any' })).rejects.toMatchObject(refused);
});

test('a complete file that cannot be offered says why', async () => {
  const chosen = await dialogs.save({ suggestedName: 'rows', kind: 'csv' });
  expect(() => chosen?.finished?.()).toThrow('The folder for rows.csv is no longer there');
});
