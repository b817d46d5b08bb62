import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUpdater, updateKind } from './updater.ts';

let dir: string;
const pathOf = (name: string) => path.join(dir, name);
const say = (value: unknown) => writeFileSync(pathOf('updates.json'), JSON.stringify(value));
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-updater-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const FEED = { feed: 'https://updates.example/', key: 'a key' };
const machine = (over: object = {}) => ({
  platform: 'linux' as const,
  arch: 'x64',
  program: pathOf('parapet'),
  appImage: pathOf('Parapet.AppImage'),
  ...over,
});

test.each([
  [{}, 'appimage'],
  [{ appImage: undefined }, null],
  [{ platform: 'darwin' }, 'dmg'],
  [{ platform: 'win32' }, null],
])('%j is updated as %s', (over, kind) => {
  expect(updateKind(machine(over))).toBe(kind);
});

test('on Windows, the per-user package is recognised by its uninstaller', () => {
  writeFileSync(pathOf('Uninstall Parapet.exe'), '');
  expect(updateKind(machine({ platform: 'win32' }))).toBe('nsis');
});

test('a build without a feed, or one that is not packaged, sends no request', () => {
  say({ feed: null, key: null });
  expect(createUpdater({ isPackaged: true, relaunch: vi.fn() }, dir, vi.fn(), machine())).toBeUndefined();
  say(FEED);
  expect(createUpdater({ isPackaged: false, relaunch: vi.fn() }, dir, vi.fn(), machine())).toBeUndefined();
  expect(createUpdater({ isPackaged: true, relaunch: vi.fn() }, dir, vi.fn(), machine())).toMatchObject({
    ...FEED,
    kind: 'appimage',
    arch: 'x64',
  });
});

test('the repository itself has no feed', () => {
  const file = path.join(import.meta.dirname, '../../../../resources/updates.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ feed: null, key: null });
});

test('an AppImage is replaced completely, is executable, and restarts', async () => {
  say(FEED);
  writeFileSync(pathOf('Parapet.AppImage'), 'old');
  writeFileSync(pathOf('new'), 'new');
  chmodSync(pathOf('new'), 0o600);
  const relaunch = vi.fn();
  const stop = vi.fn();
  await createUpdater({ isPackaged: true, relaunch }, dir, stop, machine())?.install(pathOf('new'));
  expect(readFileSync(pathOf('Parapet.AppImage'), 'utf8')).toBe('new');
  // Windows has neither AppImages nor such modes.
  if (process.platform !== 'win32') expect(statSync(pathOf('Parapet.AppImage')).mode & 0o777).toBe(0o755);
  expect(readdirSync(dir).sort()).toEqual(['Parapet.AppImage', 'new', 'updates.json']);
  expect(relaunch).toHaveBeenCalledWith({ execPath: pathOf('Parapet.AppImage'), args: [] });
  expect(stop).toHaveBeenCalledOnce();
});

test('an AppImage that cannot be replaced stays as it is, and Parapet keeps running', async () => {
  say(FEED);
  writeFileSync(pathOf('Parapet.AppImage'), 'old');
  const stop = vi.fn();
  const updater = createUpdater({ isPackaged: true, relaunch: vi.fn() }, dir, stop, machine());
  await expect(updater?.install(pathOf('missing'))).rejects.toThrow('ENOENT');
  expect(readFileSync(pathOf('Parapet.AppImage'), 'utf8')).toBe('old');
  expect(readdirSync(dir).sort()).toEqual(['Parapet.AppImage', 'updates.json']);
  expect(stop).not.toHaveBeenCalled();
});
