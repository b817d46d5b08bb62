/** Diagnostics after a session full of secrets: another tool, where it is installed, finds none of them in the zip. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { TextWriter, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog, keepLogIn } from '#main/host/log.ts';
import { LOG_FOLDER } from '#main/kernel/log-file.ts';
import { managedOf, policyFile } from '#shared/model/policy.ts';
import {
  addTenant,
  type Core,
  failingKeychain,
  startCore,
  temporaryProfile,
  tenantSettings,
} from '#tests/support/core.ts';

const SECRETS = {
  passphrase: 'canary passphrase horse 77',
  token: 'canaryTOKEN0123456789abcdef',
  host: 'canary-host.invalid',
  tenant: 'Canary Industries',
  sender: 'anna.canary@victim.example',
  subject: 'Quarterly figures of the canary',
  body: 'the body sings like a canary',
  evidence: 'canary-case-4711',
  attachment: 'canary-salaries.xlsx',
  clientId: 'canary-client-9b2d',
  policy: 'canary-policy.example',
};
const MAIL = [
  `From: ${SECRETS.sender}`,
  'To: soc@victim.example',
  `Subject: ${SECRETS.subject}`,
  'Message-ID: <canary-id@victim.example>',
  `Content-Disposition: attachment; filename="${SECRETS.attachment}"`,
  '',
  SECRETS.body,
  '',
].join('\r\n');

let profile: ReturnType<typeof temporaryProfile>;
let core: Core;
let stderr: ReturnType<typeof vi.spyOn>;
let refuse = false;

beforeEach(async () => {
  profile = temporaryProfile();
  stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  keepLogIn(profile.path);
  refuse = false;
  const policy = policyFile.parse({ version: 1, off: ['updates'] });
  core = await startCore({
    profile: profile.path,
    keychain: failingKeychain('secrets-unavailable'),
    log: createLog(true),
    policy: {
      managed: managedOf(`/etc/${SECRETS.policy}`, policy, `/etc/${SECRETS.policy}: ${SECRETS.clientId}`),
      connections: [{ id: 'canary', name: SECRETS.tenant, url: `https://${SECRETS.policy}` }],
      authorityPem: null,
    },
    dialogs: {
      open: async () => null,
      save: async ({ suggestedName: name }) => {
        if (refuse) throw new Error(`no ${SECRETS.subject} of ${SECRETS.sender}`);
        return { path: path.join(profile.path, name), name };
      },
    },
  });
});
afterEach(async () => {
  await core.stop();
  stderr.mockRestore();
  profile.remove();
});

/** Everything an analyst does that involves secrets, succeeding and failing. */
async function session(): Promise<void> {
  const { bridge, app } = core;
  const log = createLog(true);
  await bridge.call('secrets.choose', { mode: 'passphrase', passphrase: SECRETS.passphrase });
  await addTenant(bridge, `https://${SECRETS.host}`, SECRETS.token);
  await bridge.call('connections.test', {
    id: null,
    settings: tenantSettings(`https://${SECRETS.host}`, { name: SECRETS.tenant }),
    credential: SECRETS.token,
  });
  const folder = path.join(profile.path, SECRETS.evidence);
  mkdirSync(folder);
  writeFileSync(path.join(folder, `${SECRETS.evidence}.eml`), MAIL);
  await app.connect({ kind: 'evidence', path: folder });
  await expect
    .poll(async () => (await bridge.call('connections.list', {})).state.phase, { timeout: 20_000 })
    .toBe('online');
  await expect(app.connect({ kind: 'evidence', path: `/nowhere/${SECRETS.evidence}` })).rejects.toThrow();
  refuse = true;
  await expect(
    bridge.call('dialogs.save', { suggestedName: `${SECRETS.attachment}`, kind: 'any' }),
  ).rejects.toThrow();
  refuse = false;
  app.fault(`Something with ${SECRETS.body}`);
  log.warn('Cannot connect', {
    code: 'unreachable',
    reason: `${SECRETS.host} is unknown to ${SECRETS.sender}`,
  });
  log.warn(`No answer of ${SECRETS.host}:443`);
  log.info('slow statement', { sql: `SELECT '${SECRETS.subject}'`, ms: 1200 });
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Every entry as text: name → content. */
async function unzipped(file: string): Promise<Record<string, string>> {
  if (hasPython)
    return JSON.parse(
      execFileSync('python3', [
        '-c',
        'import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nprint(json.dumps({n:z.read(n).decode() for n in z.namelist()}))',
        file,
      ]).toString(),
    ) as Record<string, string>;
  const texts: Record<string, string> = {};
  for (const entry of await new ZipReader(new Uint8ArrayReader(readFileSync(file))).getEntries())
    if (!entry.directory) texts[entry.filename] = await entry.getData(new TextWriter());
  return texts;
}

test('contain what helps, and no secret, name, address or mail', { timeout: 60_000 }, async () => {
  await session();
  const { bridge } = core;
  const described = await bridge.call('diagnostics.describe', {});
  const grant = await bridge.call('dialogs.save', { suggestedName: 'diagnostics.zip', kind: 'zip' });
  const saved = await bridge.call('diagnostics.save', { grantId: grant?.grantId ?? '' });
  const file = path.join(profile.path, saved.name);
  const entries = await unzipped(file);

  // The dialog listed every file beforehand, and the README lists them again.
  expect(Object.keys(entries)).toEqual(described.entries.map(({ name }) => name));
  const readme = entries['README.txt'] ?? '';
  for (const { name, what } of described.entries.slice(1)) expect(readme).toContain(`${name}: ${what}`);
  expect(readme).toContain(described.leftOut);

  // The helpful facts are there.
  const machine = JSON.parse(entries['machine.json'] ?? '') as { notices: { id: string }[] };
  expect(machine.notices.map(({ id }) => id)).toEqual(expect.arrayContaining(['policy', 'fault']));
  expect(JSON.parse(entries['connections.json'] ?? '')).toMatchObject({
    kinds: { tenant: 2, evidence: 1 },
    with_credential: 1,
  });
  expect(JSON.parse(entries['policy.json'] ?? '')).toMatchObject({
    present: true,
    taken: false,
    off: ['updates'],
  });
  const log = entries['log/parapet.log'] ?? '';
  expect(log).toContain('an operation failed unexpectedly');
  expect(log).toContain('"code":"unreachable"');

  // Nothing else is: not in the zip, nor in its manifest, nor in the profile's log.
  const raw = readFileSync(path.join(profile.path, LOG_FOLDER, 'parapet.log'), 'utf8');
  const manifest = readFileSync(`${file}.manifest.json`, 'utf8');
  const all = [...Object.entries(entries).flat(), raw, manifest].join('\n').toLowerCase();
  for (const secret of [...Object.values(SECRETS), 'canary', 'victim.example', path.basename(profile.path)])
    expect(all).not.toContain(secret.toLowerCase());
  for (const name of [os.hostname(), os.homedir()].filter((text) => text.length > 4 && text !== 'localhost'))
    expect(all).not.toContain(name.toLowerCase());
});
