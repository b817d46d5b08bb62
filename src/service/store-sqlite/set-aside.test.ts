import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { finishSettingAside, removeOldAside, setAside } from './set-aside.ts';

it('keeps the one just set aside and the newest before, also after the clock was set back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-aside-'));
  try {
    const path = join(folder, 'demo.sqlite');
    const asides = [2050, 2051, 2000, 2001].map((year) => {
      writeFileSync(path, String(year));
      const aside = setAside(path, 'damaged', Date.UTC(year, 0, 1));
      removeOldAside(path);
      expect(existsSync(aside)).toBe(true);
      return aside;
    });
    expect(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .toSorted(),
    ).toEqual([asides[2], asides[3]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.each([
  ['later', 2051],
  ['in the same second', 2050],
  ['after the clock was set back', 2000],
])('a log that a kill left behind goes to its own database, set aside %s', (_, year) => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-aside-'));
  try {
    const path = join(folder, 'demo.sqlite');
    for (const suffix of ['', '-wal']) writeFileSync(path + suffix, `first${suffix}`);
    const first = setAside(path, 'damaged', Date.UTC(2050, 0, 1));
    // The process ends after the database was renamed, and before its log is.
    writeFileSync(path, 'second');
    const second = setAside(path, 'earlier', Date.UTC(year, 0, 1));
    writeFileSync(`${path}-wal`, 'second-wal');
    finishSettingAside(path);
    const text = (file: string) => readFileSync(file, 'utf8');
    expect([first, second].map((aside) => [text(aside), text(`${aside}-wal`)])).toEqual([
      ['first', 'first-wal'],
      ['second', 'second-wal'],
    ]);
    expect(existsSync(`${path}-wal`)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
