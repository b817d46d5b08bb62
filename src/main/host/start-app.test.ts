import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Ports } from '../kernel/ports.ts';
import { CannotStart } from './lifetime.ts';
import { type CreateApp, startApp } from './start-app.ts';

const portsOf = (profile: string) => ({ paths: { profile, resources: '' } }) as Ports;

test('the transferred files of a killed host are removed before the core starts, and nothing else', async () => {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-start-'));
  for (const folder of ['parapet-files/downloads', 'downloads', 'evidence']) {
    mkdirSync(path.join(profile, folder, 'f-1'), { recursive: true });
    writeFileSync(path.join(profile, folder, 'f-1', 'case.csv.part'), 'the-subject-of-a-mail');
  }
  writeFileSync(path.join(profile, 'workspace.sqlite'), '');
  const create = vi.fn(async () => {
    expect(existsSync(path.join(profile, 'parapet-files'))).toBe(false);
  });
  await startApp(create as unknown as CreateApp, portsOf(profile));
  expect(create).toHaveBeenCalled();
  expect(readdirSync(profile).sort()).toEqual(['downloads', 'evidence', 'workspace.sqlite']);
  rmSync(profile, { recursive: true });
});

test('a refusal of the core ends the start with its reason', async () => {
  const refuse = async () => {
    throw new ParapetError('newer-schema', 'A newer Parapet wrote this profile.');
  };
  const profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-start-'));
  await expect(startApp(refuse as unknown as CreateApp, portsOf(profile))).rejects.toEqual(
    new CannotStart('A newer Parapet wrote this profile.'),
  );
  rmSync(profile, { recursive: true });
});
