import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultProfile, openProfile } from './profile.ts';

describe('the usual place', () => {
  test.each([
    ['linux', {}, '/home/a/.local/share/parapet'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/parapet'],
    ['linux', { XDG_DATA_HOME: 'data' }, '/home/a/.local/share/parapet'],
    ['darwin', {}, '/home/a/Library/Application Support/Parapet'],
  ] as const)('%s %j: %s', (platform, env, expected) => {
    expect(defaultProfile(env, platform, '/home/a')).toBe(expected);
  });
});

describe('a profile', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-profile-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  test('is made private, is fresh, and keeps its id', () => {
    const wanted = path.join(dir, 'a', 'b');
    const first = openProfile(wanted);
    expect(statSync(wanted).mode & 0o777).toBe(0o700);
    expect(first).toMatchObject({ path: wanted, fresh: true });
    expect(openProfile(wanted).id).toBe(first.id);
  });

  test('is not fresh once it holds a workspace', () => {
    writeFileSync(path.join(dir, 'workspace.sqlite'), '');
    expect(openProfile(dir).fresh).toBe(false);
  });

  test('replaces an id that somebody damaged', () => {
    writeFileSync(path.join(dir, 'profile-id'), '../../other');
    expect(openProfile(dir).id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('cannot be a file', () => {
    const file = path.join(dir, 'file');
    writeFileSync(file, '');
    expect(() => openProfile(file)).toThrow();
  });
});
