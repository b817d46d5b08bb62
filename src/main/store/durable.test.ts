/** Small files that survive a power cut: what is flushed, and in which order. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readSmall, removeDurable, writeDurable } from './durable.ts';

const recorded = vi.hoisted(() => ({ steps: [] as string[], failing: null as string | null, code: 'EIO' }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const step = (name: string) => {
    recorded.steps.push(name);
    if (recorded.failing === name) {
      const { code } = recorded;
      throw Object.assign(new Error(`${code}: ${name}`), { code });
    }
  };
  return {
    ...real,
    fsyncSync(fd: number) {
      step(real.fstatSync(fd).isDirectory() ? 'flush folder' : 'flush file');
      real.fsyncSync(fd);
    },
    renameSync(from: string, to: string) {
      step('rename');
      real.renameSync(from, to);
    },
    linkSync(from: string, to: string) {
      step('link');
      real.linkSync(from, to);
    },
  };
});

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-durable-'));
  path = join(folder, 'small');
  Object.assign(recorded, { steps: [], failing: null, code: 'EIO' });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Windows flushes names with their files, and cannot open a folder. */
const isWindows = process.platform === 'win32';
const FOLDER = isWindows ? [] : ['flush folder'];

it('a file is flushed before it gets its name, and its folder afterwards', () => {
  writeDurable(path, 'one');
  expect(recorded.steps).toEqual(['flush file', 'rename', ...FOLDER]);
  recorded.steps = [];
  rmSync(path);
  writeDurable(path, 'two', { onlyNew: true });
  expect(recorded.steps).toEqual(['flush file', 'link', ...FOLDER]);
  recorded.steps = [];
  removeDurable(path);
  expect(recorded.steps).toEqual(FOLDER);
});

it.each(['flush file', 'rename'])('if %s fails, the old file stays, and nothing else does', (failing) => {
  writeFileSync(path, 'before');
  recorded.failing = failing;
  expect(() => writeDurable(path, 'after')).toThrow(/EIO/);
  expect(readFileSync(path, 'utf8')).toBe('before');
  expect(readdirSync(folder)).toEqual(['small']);
});

it.skipIf(isWindows)(
  '[bad input] a folder that cannot be flushed on its file system is no failure; a failing disk is',
  () => {
    recorded.failing = 'flush folder';
    recorded.code = 'EINVAL';
    writeDurable(path, 'kept');
    expect(readFileSync(path, 'utf8')).toBe('kept');
    removeDurable(path);
    expect(readdirSync(folder)).toEqual([]);
    recorded.code = 'EIO';
    expect(() => writeDurable(path, 'lost')).toThrow(/EIO/);
  },
);

it('with onlyNew, an existing file is not replaced', () => {
  writeFileSync(path, 'before');
  expect(() => writeDurable(path, 'after', { onlyNew: true })).toThrow(
    expect.objectContaining({ code: 'EEXIST' }),
  );
  expect(readFileSync(path, 'utf8')).toBe('before');
  expect(readdirSync(folder)).toEqual(['small']);
});

it('is readable by its owner only, whatever the earlier mode', () => {
  writeFileSync(path, 'before', { mode: 0o644 });
  writeDurable(path, 'after');
  if (!isWindows) expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a small file is read without its byte order mark', () => {
  writeFileSync(path, '\ufeffvalue\r\n');
  expect(readSmall(path)).toBe('value\r\n');
});

it.each([
  ['a folder', () => mkdirSync(path), /not a file|EISDIR/],
  ['larger than 1 MB', () => writeFileSync(path, Buffer.alloc(1024 * 1024 + 1)), /larger than 1 MB/],
  ['UTF-16', () => writeFileSync(path, Buffer.from('\ufeffvalue', 'utf16le')), /utf-8/],
] as const)('%s is not read as a small file', (_, make, words) => {
  make();
  expect(() => readSmall(path)).toThrow(words);
});

it.skipIf(process.platform === 'win32')('a pipe and a device are not read, as that might never end', () => {
  execFileSync('mkfifo', [path]);
  for (const endless of [path, '/dev/zero']) expect(() => readSmall(endless)).toThrow('is not a file');
});
