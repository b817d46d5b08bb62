import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeOldAside, setAside } from './set-aside.ts';

it('keeps the one just set aside and the newest before, also after the clock was set back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-aside-'));
  try {
    const path = join(folder, 'demo.sqlite');
    const asides = [2050, 2051, 2000, 2001].map((year) => {
      writeFileSync(path, String(year));
      const aside = setAside(path, 'damaged', Date.UTC(year, 0, 1));
      removeOldAside(path, aside);
      expect(existsSync(aside)).toBe(true);
      return aside;
    });
    expect(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .toSorted(),
    ).toEqual([asides[3], asides[1]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
