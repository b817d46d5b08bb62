import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import { NO_SYMLINKS } from '#tests/support/symlinks.ts';
import { commitPart, fileError, newPart, openPart, removeLeftParts, removePart } from './temp-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-part-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const pathOf = (name: string) => join(folder, name);

describe('a part', () => {
  it('is created under a random name, and never opens an existing file', async () => {
    const part = newPart(pathOf('x'.repeat(255)));
    await (await openPart(part)).close();
    expect(newPart(pathOf('x'))).not.toBe(newPart(pathOf('x')));
    await expect(openPart(part)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('never opens the target of a link with its name', async ({ skip }) => {
    skip(NO_SYMLINKS !== null, `${NO_SYMLINKS}`);
    writeFileSync(pathOf('victim'), 'mine');
    const link = newPart(pathOf('y'));
    symlinkSync(pathOf('victim'), link);
    await expect(openPart(link)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(pathOf('victim'), 'utf8')).toBe('mine');
  });

  it('can only be appended to', async () => {
    const handle = await openPart(pathOf('x'));
    await handle.write('abc');
    await handle.write('d', 0);
    await handle.close();
    expect(readFileSync(pathOf('x'), 'utf8')).toBe('abcd');
  });

  it('is removed only if its name is that of a part', async () => {
    for (const name of ['x.csv.part', '.parapet-1.part', 'x.csv']) {
      writeFileSync(pathOf(name), 'mine');
      await removePart(pathOf(name));
    }
    await removePart(undefined);
    expect(readdirSync(folder)).toHaveLength(3);
    const part = newPart(pathOf('x'));
    writeFileSync(part, 'half');
    await removePart(part);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it.each([
    { replace: false, there: false, name: 'x.csv' },
    { replace: true, there: true, name: 'x.csv' },
    { replace: false, number: true, there: true, name: 'x 2.csv' },
  ])('gets its name, and the folder is synced afterwards: %o', async ({ there, name, ...naming }) => {
    const part = newPart(pathOf('x.csv'));
    writeFileSync(part, 'whole');
    if (there) writeFileSync(pathOf('x.csv'), 'before');
    const steps: string[] = [];
    const watched = (async (path: string) => {
      const handle = await open(path, 'r');
      // The file must have its name before the folder is synced.
      steps.push(`opened with ${readdirSync(path).filter((file) => file === name).length}`);
      const { sync } = handle;
      handle.sync = () => {
        steps.push('synced');
        return sync.call(handle);
      };
      return handle;
    }) as typeof open;
    expect(await commitPart(part, pathOf('x.csv'), naming, { openFolder: watched })).toBe(pathOf(name));
    expect(readFileSync(pathOf(name), 'utf8')).toBe('whole');
    expect(steps).toEqual(['opened with 1', 'synced']);
  });

  it.each(['EPERM', 'ENOTSUP', 'EINVAL', 'EISDIR'])(
    'gets its name on a disk without hard links (error %s), and never replaces another file',
    async (code) => {
      const link = async () => Promise.reject(Object.assign(new Error(code), { code }));
      const part = newPart(pathOf('x.csv'));
      writeFileSync(part, 'whole');
      expect(await commitPart(part, pathOf('x.csv'), { replace: false }, { link })).toBe(pathOf('x.csv'));
      expect(readdirSync(folder)).toEqual(['x.csv']);
      writeFileSync(part, 'another');
      await expect(commitPart(part, pathOf('x.csv'), { replace: false }, { link })).rejects.toMatchObject({
        code: 'EEXIST',
      });
      expect(readFileSync(pathOf('x.csv'), 'utf8')).toBe('whole');
    },
  );

  it('has its name even if a virus scanner keeps the other name of the file, which the next start removes', async () => {
    const profile = pathOf('profile');
    await removeLeftParts(profile);
    const part = newPart(pathOf('x.csv'));
    await (await openPart(part)).close();
    const remove = async () => Promise.reject(Object.assign(new Error('EBUSY'), { code: 'EBUSY' }));
    expect(await commitPart(part, pathOf('x.csv'), { replace: false }, { remove })).toBe(pathOf('x.csv'));
    expect(readdirSync(folder).sort()).toEqual([basename(part), 'profile', 'x.csv']);
    await removeLeftParts(profile);
    expect(readdirSync(folder).sort()).toEqual(['profile', 'x.csv']);
  });

  it('a refused name is not reported as a missing folder', async () => {
    const link = async () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    const part = newPart(pathOf('x.csv'));
    const commit = () => commitPart(part, pathOf('refused/x.csv'), { replace: false }, { link });
    await expect(commit()).rejects.toMatchObject({ code: 'ENOENT' });
    writeFileSync(part, 'whole');
    await expect(commit()).rejects.toMatchObject({ code: 'EINVAL' });
  });

  it.each(['link', 'move'] as const)(
    '[bad input] gets its name on a network share that reports a failure although it succeeded: %s',
    async (call) => {
      const lost = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
      const calls = {
        // The response was lost, and the repeated request finds the link of the first one.
        link: (from: string, to: string) => link(from, to).then(() => lost('EEXIST')),
        move: (from: string, to: string) => rename(from, to).then(() => lost('ENOENT')),
      };
      const part = newPart(pathOf('x.csv'));
      writeFileSync(part, 'whole');
      if (call === 'move') writeFileSync(pathOf('x.csv'), 'before');
      const naming = { replace: call === 'move', number: true };
      expect(await commitPart(part, pathOf('x.csv'), naming, { [call]: calls[call] })).toBe(pathOf('x.csv'));
      expect(readdirSync(folder)).toEqual(['x.csv']);
      expect(readFileSync(pathOf('x.csv'), 'utf8')).toBe('whole');
    },
  );

  it('does not take the name of another file', async () => {
    const part = newPart(pathOf('x.csv'));
    writeFileSync(part, 'whole');
    writeFileSync(pathOf('x.csv'), 'theirs');
    await expect(commitPart(part, pathOf('x.csv'), { replace: false })).rejects.toMatchObject({
      code: 'EEXIST',
    });
    expect(readFileSync(pathOf('x.csv'), 'utf8')).toBe('theirs');
  });
});

describe('an error of the disk', () => {
  const of = (code: string, syscall: string) =>
    fileError(Object.assign(new Error(code), { code, syscall }), 'x:y.csv');

  it.each([
    ['EFBIG', 'write', 'larger than a file may be on that disk'],
    ['EINVAL', 'rename', 'does not accept the name x:y.csv'],
    ['ENODEV', 'write', 'its disk was removed'],
    ['EROFS', 'write', 'its disk is read-only'],
    ['EIO', 'fsync', 'the disk reports an error'],
  ])('%s of %s is explained', (code, syscall, words) => {
    expect(of(code, syscall)).toMatchObject({ message: expect.stringContaining(words), retryable: true });
  });

  it('on Windows says that a spreadsheet may have the file open', () => {
    const error = Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'rename' });
    expect(fileError(error, 'x.csv', 'win32')).toMatchObject({
      code: 'permission-denied',
      message: expect.stringContaining('open in another program'),
    });
    expect(fileError(error, 'x.csv', 'linux')).toMatchObject({
      message: expect.not.stringContaining('program'),
    });
  });

  it.each([
    ['EBUSY', 'another program has it open'],
    ['EMFILE', 'too many files open'],
    ['UNKNOWN', 'virus scanner'],
  ])('%s is explained', (code, words) => {
    expect(of(code, 'open')).toMatchObject({ code: 'bad-file', message: expect.stringContaining(words) });
  });

  it('with a number unknown to Node is explained as well: the quota is used up', () => {
    const error = Object.assign(new Error('UNKNOWN'), { code: 'UNKNOWN', errno: -122, syscall: 'write' });
    expect(fileError(error, 'x.csv')).toMatchObject({ code: 'disk-full' });
  });

  it('does not blame the name when something else was invalid', () => {
    expect(of('EINVAL', 'fsync')).not.toBeInstanceOf(ParapetError);
  });
});

describe('parts of a killed run', () => {
  const profile = () => pathOf('profile');
  const noted = () => readdirSync(join(profile(), 'parts'));

  it('are removed at the next start, wherever they are; parts are recorded only while they are written', async () => {
    await removeLeftParts(profile());
    const elsewhere = mkdtempSync(join(tmpdir(), 'parapet-part-'));
    try {
      const killed = newPart(join(elsewhere, 'x.csv'));
      await (await openPart(killed)).close();
      const part = newPart(join(elsewhere, 'y.csv'));
      await (await openPart(part)).close();
      expect(noted()).toHaveLength(2);
      await commitPart(part, join(elsewhere, 'y.csv'), { replace: false });
      expect(noted()).toEqual([basename(killed)]);
      await removeLeftParts(profile());
      expect(readdirSync(elsewhere)).toEqual(['y.csv']);
      expect(noted()).toEqual([]);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  it('that cannot be removed keep their note, and block no other', async () => {
    await removeLeftParts(profile());
    const [stuck, other] = [newPart(pathOf('a')), newPart(pathOf('b'))];
    for (const part of [stuck, other]) await (await openPart(part)).close();
    const clear = async (part: string) => {
      if (part === stuck) throw new Error('read-only');
      await removePart(part);
    };
    await expect(removeLeftParts(profile(), clear)).rejects.toThrow('read-only');
    expect(noted()).toEqual([basename(stuck)]);
    await removeLeftParts(profile());
    expect(readdirSync(folder)).toEqual(['profile']);
    expect(noted()).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('that cannot be looked up keep their note', async () => {
    await removeLeftParts(profile());
    mkdirSync(pathOf('out'));
    const part = newPart(pathOf('out/a'));
    await (await openPart(part)).close();
    for (const path of [folder, profile(), join(profile(), 'parts')]) chmodSync(path, 0o777);
    // Since then the folder may not be entered any more, as on a share that is gone.
    const remove = async () => {
      chmodSync(pathOf('out'), 0);
      process.seteuid?.(65_534);
      throw new Error('refused');
    };
    try {
      await commitPart(part, pathOf('out/a'), { replace: false }, { remove });
    } finally {
      process.seteuid?.(0);
      chmodSync(pathOf('out'), 0o755);
    }
    expect(noted()).toEqual([basename(part)]);
    await removeLeftParts(profile());
    expect(readdirSync(pathOf('out'))).toEqual(['a']);
  });

  it('are never files of others: another name, a link, a folder stay as they are', async ({ skip }) => {
    skip(NO_SYMLINKS !== null, `${NO_SYMLINKS}`);
    await removeLeftParts(profile());
    mkdirSync(join(profile(), 'parts'), { recursive: true });
    const note = (name: string, path: string) => writeFileSync(join(profile(), 'parts', name), path);
    writeFileSync(pathOf('victim'), 'mine');
    const [link, dir, other] = [newPart(pathOf('a')), newPart(pathOf('b')), newPart(pathOf('c'))];
    symlinkSync(pathOf('victim'), link);
    mkdirSync(dir);
    writeFileSync(other, 'of another note');
    note(basename(link), link);
    note(basename(dir), dir);
    note('victim', pathOf('victim'));
    note(basename(newPart(pathOf('d'))), other);
    note(basename(newPart(pathOf('e'))), newPart(join(folder, 'gone', 'e')));
    const before = readdirSync(folder).sort();
    await removeLeftParts(profile());
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(noted()).toEqual([]);
  });
});
