import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { canWrite, defaultProfile, giveToOwner, homeFolder, identify, openProfile } from './profile.ts';

const isWindows = process.platform === 'win32';

describe('the default location', () => {
  test.each([
    ['linux', {}, '/home/a/.local/share/parapet'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/parapet'],
    ['linux', { XDG_DATA_HOME: 'data' }, '/home/a/.local/share/parapet'],
    ['darwin', {}, '/home/a/Library/Application Support/Parapet'],
    ['win32', { APPDATA: 'D:\\Roaming' }, 'D:\\Roaming\\Parapet'],
    ['win32', {}, '\\home\\a\\AppData\\Roaming\\Parapet'],
  ] as const)('%s %j: %s', (platform, env, expected) => {
    expect(defaultProfile(env, platform, () => '/home/a')).toBe(expected);
  });
});

test.skipIf(isWindows).each(['', 'ana', undefined])(
  'the home folder is that of the account if HOME is %j, never one below the current folder',
  (home) => {
    vi.stubEnv('HOME', home);
    expect(homeFolder()).toBe(os.userInfo().homedir);
    vi.unstubAllEnvs();
  },
);

test('a profile for a user without a home folder is refused with the reason', () => {
  const unknown = () => {
    throw new Error('uv_os_homedir returned ENOENT');
  };
  vi.stubEnv('XDG_DATA_HOME', undefined);
  vi.stubEnv('APPDATA', undefined);
  for (const name of ['homedir', 'userInfo'] as const) vi.spyOn(os, name).mockImplementation(unknown);
  try {
    expect(() => openProfile(null)).toThrow('this user has no home folder');
    expect(defaultProfile({ XDG_DATA_HOME: '/data' }, 'linux', unknown)).toBe('/data/parapet');
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
});

test('on Windows a new folder is accessible only to the user, the administrators and the system', () => {
  const ran: [program: string, args: readonly string[]][] = [];
  const run = (program: string, args: readonly string[]) => {
    ran.push([program, args]);
    return program.endsWith('whoami.exe') ? '"desk-1\\ana","S-1-5-21-11-22-33-1001"\r\n' : '';
  };
  giveToOwner('D:\\cases & more', { SystemRoot: 'C:\\Windows' }, run);
  expect(ran.at(-1)).toEqual([
    'C:\\Windows\\System32\\icacls.exe',
    [
      'D:\\cases & more',
      '/inheritance:r',
      '/grant:r',
      '*S-1-5-21-11-22-33-1001:(OI)(CI)F',
      '*S-1-5-18:(OI)(CI)F',
      '*S-1-5-32-544:(OI)(CI)F',
    ],
  ]);
  // Inherited permissions are never removed without granting the user access.
  const tools: string[] = [];
  const silent = (program: string) => {
    tools.push(program);
    return '';
  };
  expect(() => giveToOwner('D:\\cases', {}, silent)).toThrow();
  expect(tools).toEqual(['C:\\Windows\\System32\\whoami.exe']);
});

describe('a profile', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-profile-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  test('is made private, is fresh, and keeps its id', () => {
    const expected = path.join(dir, 'a', 'b');
    expect(openProfile(expected)).toBe(expected);
    const first = identify(expected);
    if (!isWindows) expect(statSync(expected).mode & 0o777).toBe(0o700);
    expect(first.fresh).toBe(true);
    expect(identify(expected).id).toBe(first.id);
  });

  test('is tested by writing a file on Windows, where access checks of folders are meaningless', () => {
    expect(canWrite(dir, 'win32')).toBe(true);
    expect(readdirSync(dir)).toEqual([]);
    // A missing folder does not count as a refusal: the start reports it.
    expect(canWrite(path.join(dir, 'gone'), 'win32')).toBe(false);
  });

  test('is not fresh once it contains a workspace', () => {
    writeFileSync(path.join(dir, 'workspace.sqlite'), '');
    expect(identify(dir).fresh).toBe(false);
  });

  test('replaces a damaged id', () => {
    writeFileSync(path.join(dir, 'profile-id'), '../../other');
    expect(identify(dir).id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('keeps a truncated id as long as files need it', () => {
    const { id } = identify(dir);
    const file = path.join(dir, 'profile-id');
    const cut = readFileSync(file, 'utf8').slice(0, 27);
    for (const name of [
      'workspace.sqlite',
      'cache.sqlite',
      'key-check',
      'workspace.sqlite.backup-000001-20260101',
    ]) {
      writeFileSync(path.join(dir, name), 'x');
      for (const damage of [cut, '']) {
        writeFileSync(file, damage);
        expect(identify(dir).id).not.toBe(id);
        expect(readFileSync(file, 'utf8')).toBe(damage);
      }
      rmSync(path.join(dir, name));
    }
    rmSync(file);
    writeFileSync(path.join(dir, 'workspace.sqlite'), 'x');
    identify(dir);
    expect(existsSync(file)).toBe(false);
  });

  test.skipIf(isWindows)(
    'that already existed keeps its mode; one that every user can write to is refused',
    () => {
      for (const mode of [0o700, 0o755, 0o770]) {
        chmodSync(dir, mode);
        identify(openProfile(dir));
        expect(statSync(dir).mode & 0o777).toBe(mode);
      }
      chmodSync(dir, 0o777);
      expect(() => openProfile(dir)).toThrow(/every user of this machine/);
      expect(statSync(dir).mode & 0o777).toBe(0o777);
      expect(readdirSync(dir)).toEqual(['profile-id']);
      chmodSync(dir, 0o700);
    },
  );

  test('cannot be a file', () => {
    const file = path.join(dir, 'file');
    writeFileSync(file, '');
    expect(() => openProfile(file)).toThrow();
  });
});
