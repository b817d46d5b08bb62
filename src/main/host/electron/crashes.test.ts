import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { keepCrashDumpsIn, removeOldDumps } from './crashes.ts';

const electron = vi.hoisted(() => ({ setPath: vi.fn(), start: vi.fn() }));
vi.mock('electron', () => ({
  app: { setPath: electron.setPath },
  crashReporter: { start: electron.start },
}));

test('dumps are written to the profile and never sent', () => {
  keepCrashDumpsIn('/nowhere/profile');
  expect(electron.setPath).toHaveBeenCalledExactlyOnceWith(
    'crashDumps',
    path.join('/nowhere/profile', 'crashes'),
  );
  expect(electron.start).toHaveBeenCalledExactlyOnceWith({ uploadToServer: false });
});

test('only the newest dumps are kept, and old ones are removed', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'parapet-crashes-'));
  try {
    mkdirSync(path.join(folder, 'completed'));
    const now = Date.now();
    for (const [name, days] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 20],
    ] as const)
      for (const end of ['dmp', 'meta']) {
        const file = path.join(folder, 'completed', `${name}.${end}`);
        writeFileSync(file, '');
        utimesSync(file, now / 1000, (now - days * 86_400_000) / 1000);
      }
    const dumps = () => readdirSync(path.join(folder, 'completed')).sort();
    removeOldDumps(folder, now);
    expect(dumps()).toEqual(['a.dmp', 'a.meta', 'b.dmp', 'b.meta']);
    removeOldDumps(folder, now + 30 * 86_400_000);
    expect(dumps()).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what cannot be removed does not prevent the start', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'parapet-crashes-'));
  try {
    for (const name of ['a', 'b', 'c', 'd'])
      mkdirSync(path.join(folder, `${name}.dmp`, 'content'), { recursive: true });
    writeFileSync(path.join(folder, 'old.dmp'), '');
    removeOldDumps(folder, Date.now() + 30 * 86_400_000);
    expect(readdirSync(folder)).not.toContain('old.dmp');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
