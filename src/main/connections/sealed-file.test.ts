import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newSeal, openSealed, writeSealed } from './sealed-file.ts';

const COST = { N: 16, r: 8, p: 1 };
const VAULT = { databaseKey: '0f'.repeat(32), credentials: { c: 'secret' } };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-sealed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('opens with its passphrase, and a failed write says what could not be saved', async () => {
  const seal = await newSeal('right', COST);
  const file = path.join(folder, 'secrets.sealed');
  const text = await writeSealed(file, seal, VAULT, null);
  expect((await openSealed(file, 'right')).content).toEqual(VAULT);
  await expect(openSealed(file, 'wrong')).rejects.toMatchObject({ code: 'secrets-locked' });
  await expect(writeSealed(path.join(folder, 'gone', 'secrets.sealed'), seal, VAULT, text)).rejects.toThrow(
    /^The secrets of this profile could not be saved: ENOENT.* try again\.$/,
  );
  writeFileSync(file, 'of another program');
  await expect(writeSealed(file, seal, VAULT, text)).rejects.toMatchObject({ code: 'conflict' });
});
