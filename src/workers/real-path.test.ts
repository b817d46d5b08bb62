import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NO_SYMLINKS } from '#tests/support/symlinks.ts';
import { isReal, isRealSync, realPath } from './real-path.ts';

// Windows lets only administrators create links.
const withLinks = describe.skipIf(NO_SYMLINKS !== null);

let folder = '';
let file = '';
let linked = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'parapet-real-')));
  mkdirSync(join(folder, 'mail'));
  file = join(folder, 'mail', 'a.eml');
  writeFileSync(file, 'From: a@example.com\n\n');
  if (NO_SYMLINKS === null) symlinkSync('mail', join(folder, 'link'));
  linked = join(folder, 'link', 'a.eml');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The failure of GetFinalPathNameByHandle on an image mounted by OSFMount or ImDisk. */
const unknownDisk = () => {
  throw Object.assign(new Error('EISDIR: illegal operation on a directory, realpath'), { code: 'EISDIR' });
};
const sync = { platform: 'win32', system: unknownDisk } as const;
const later = { platform: 'win32', system: async () => unknownDisk() } as const;

withLinks('a disk that the mount manager of Windows does not know', () => {
  test('still gets the real path', async () => {
    await expect(realPath(linked, later)).resolves.toBe(file);
  });

  test('detects a link in the path', async () => {
    await expect(isReal(file, later)).resolves.toBe(true);
    await expect(isReal(linked, later)).resolves.toBe(false);
    expect([isRealSync(file, sync), isRealSync(linked, sync)]).toEqual([true, false]);
  });

  test('throws for a missing path', async () => {
    await expect(realPath(join(folder, 'gone'), later)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(() => isRealSync(join(folder, 'gone'), sync)).toThrow('ENOENT');
  });
});

test('a path that Windows spells differently is not a link', async () => {
  const spelled = Buffer.from(file.replace('a.eml', 'A.EML'));
  await expect(isReal(file, { platform: 'win32', system: async () => spelled })).resolves.toBe(true);
  expect(isRealSync(file, { platform: 'win32', system: () => spelled })).toBe(true);
  expect(isRealSync(file, { platform: 'linux', system: () => spelled })).toBe(false);
});

withLinks('on other systems and disks', () => {
  test('a failure of the system is thrown', async () => {
    await expect(realPath(file, { ...later, platform: 'linux' })).rejects.toMatchObject({ code: 'EISDIR' });
    expect(() => isRealSync(file, { ...sync, platform: 'linux' })).toThrow('EISDIR');
  });

  test('the system resolves real paths', async () => {
    await expect(realPath(linked)).resolves.toBe(file);
    await expect(isReal(linked)).resolves.toBe(false);
    expect(isRealSync(Buffer.from(file))).toBe(true);
  });
});
