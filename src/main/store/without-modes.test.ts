/** A disk without permissions, such as FAT: every user can read every file, and chmod is refused. */
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startNotices } from '../app-notices.ts';
import { makePrivate } from './connect.ts';

const disk = vi.hoisted(() => ({ keepsModes: true }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const shown = (mode: number) => (disk.keepsModes ? mode : 0o755);
  return {
    ...real,
    openSync: (path: string, flags: string, mode = 0o666) => real.openSync(path, flags, shown(mode)),
    writeFileSync: (path: string, text: string, { mode = 0o666, ...more }: { mode?: number }) =>
      real.writeFileSync(path, text, { ...more, mode: shown(mode) }),
    chmodSync(path: string, mode: number) {
      if (!disk.keepsModes && mode === 0o600) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      real.chmodSync(path, mode);
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-modes-'));
  disk.keepsModes = true;
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;
const notices = () => startNotices(folder, false, null).map(({ message }) => message);

describe.skipIf(process.platform === 'win32')('the files of a profile', () => {
  it('are readable by their owner only if the disk keeps permissions', () => {
    makePrivate(join(folder, 'x.sqlite'));
    chmodSync(join(folder, 'x.sqlite'), 0o644);
    makePrivate(join(folder, 'x.sqlite'));
    expect(modeOf(join(folder, 'x.sqlite'))).toBe(0o600);
    chmodSync(folder, 0o755);
    expect(notices()).toEqual([expect.stringContaining('They cannot read the databases in it')]);
  });

  it('[bad input] open on a disk without permissions, and a notice says that others can read them', () => {
    disk.keepsModes = false;
    makePrivate(join(folder, 'x.sqlite'));
    expect(modeOf(join(folder, 'x.sqlite'))).toBe(0o755);
    chmodSync(folder, 0o755);
    expect(notices()).toEqual([expect.stringContaining('its disk keeps no permissions')]);
  });

  it('of another user are not opened when their permissions cannot be changed', () => {
    disk.keepsModes = false;
    vi.spyOn(process, 'getuid').mockReturnValue(statSync(folder).uid + 1);
    expect(() => makePrivate(join(folder, 'x.sqlite'))).toThrow('EPERM');
    vi.restoreAllMocks();
  });
});
