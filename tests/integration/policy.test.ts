/** The fleet policy in the core: the bridge refuses what is turned off, whatever a screen shows. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Policy } from '#main/kernel/policy.ts';
import type { InputOf } from '#shared/bridge/operations.ts';
import { managedOf, POLICY_OFF, policyFile } from '#shared/model/policy.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import {
  addTenant,
  type Core,
  memoryKeychain,
  startCore,
  temporaryProfile,
  tenantSettings,
} from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';

const FILE = '/etc/parapet/policy.json';
const policyOf = (
  content: Partial<InputOfFile>,
  rest: Partial<Pick<Policy, 'connections' | 'authorityPem'>> = {},
): Policy => {
  const file = policyFile.parse({ version: 1, ...content });
  const connections = rest.connections ?? file.connections;
  return {
    managed: managedOf(FILE, { ...file, connections: [...connections] }, null),
    connections,
    authorityPem: rest.authorityPem ?? null,
  };
};
type InputOfFile = Parameters<typeof policyFile.parse>[0] & Record<string, unknown>;

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core | null;
let folder: string;
let keychain: ReturnType<typeof memoryKeychain>;

beforeEach(async () => {
  profile = temporaryProfile();
  folder = path.join(profile.path, 'chosen');
  mkdirSync(folder);
  service = await startScripted();
  core = null;
  keychain = memoryKeychain();
});
afterEach(async () => {
  await core?.stop();
  await service.stop();
  profile.remove();
});

async function start(policy: Policy): Promise<Core> {
  await core?.stop();
  core = await startCore({
    profile: profile.path,
    policy,
    keychain,
    dialogs: {
      open: async () => null,
      save: async ({ suggestedName: name }) => ({ path: path.join(folder, name), name }),
    },
  });
  return core;
}
const grantOf = async ({ bridge }: Core): Promise<string> => {
  const grant = await bridge.call('dialogs.save', { suggestedName: 'out.bin', kind: 'any' });
  return grant?.grantId ?? '';
};

describe('when turned off', () => {
  test('images of a mail are not loaded, and no server is contacted', async () => {
    const running = await start(policyOf({ off: ['remote-images'] }));
    const { id } = await addTenant(running.bridge, service.base);
    await expect(
      running.bridge.call('remote.images', { connectionId: id, urls: [`${service.base}/pixel.png`] }),
    ).rejects.toMatchObject({ code: 'not-allowed', message: expect.stringContaining(FILE) });
    expect(service.seen.filter(({ url }) => url.includes('pixel'))).toEqual([]);
  });

  test('every operation that writes an unencrypted file is refused, and writes none', async () => {
    const running = await start(policyOf({ off: ['exports-in-clear'] }));
    const { bridge } = running;
    const { id: connectionId } = await addTenant(bridge, service.base);
    const refused = {
      code: 'not-allowed',
      message: expect.stringMatching(/password.*\/etc\/parapet\/policy\.json/),
    };
    const grantId = async () => ({ grantId: await grantOf(running) });
    const matched = { connectionId, entityType: 'file', entityId: 'f', name: 'f', zip: null };
    await expect(
      bridge.call('files.open', { ...(await grantId()), what: 'A list', entries: 1 }),
    ).rejects.toMatchObject(refused);
    await expect(
      bridge.call('queries.export', { connectionId, ids: ['q'], ...(await grantId()) }),
    ).rejects.toMatchObject(refused);
    await expect(
      bridge.call('queries.export-results', { connectionId, id: 'q', format: 'csv', ...(await grantId()) }),
    ).rejects.toMatchObject(refused);
    await expect(
      bridge.call('queries.export-active-users', {
        connectionId,
        saas: 'mail',
        format: 'csv',
        ...(await grantId()),
      }),
    ).rejects.toMatchObject(refused);
    const search: InputOf<'exceptions.export'>['search'] = {};
    await expect(
      bridge.call('exceptions.export', { connectionId, search, format: 'csv', ...(await grantId()) }),
    ).rejects.toMatchObject(refused);
    await expect(
      bridge.call('matched-file.save', { ...matched, ...(await grantId()) }),
    ).rejects.toMatchObject(refused);
    expect(readdirSync(folder)).toEqual([]);
    // With a password the operation reaches the service.
    service.answer = (_, response) => sendJson(response, { success: false, reason: 'gone' });
    await expect(
      bridge.call('matched-file.save', { ...matched, zip: { password: 'pw' }, ...(await grantId()) }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });

  test('screens are notified, and a problem becomes a notice', async () => {
    const policy = policyOf({ off: [...POLICY_OFF] });
    const problem = `${FILE} was not used: it is not JSON.`;
    const running = await start({
      ...policy,
      managed: { ...managedOf(FILE, policyFile.parse({ version: 1 }), problem) },
    });
    const info = await running.bridge.call('app.info', {});
    expect(info.managed).toMatchObject({ file: FILE, problem });
    expect(info.notices).toContainEqual({ id: 'policy', level: 'error', message: problem });
  });
});

test('the cache limit of the policy applies and cannot be changed here', async () => {
  const running = await start(policyOf({ cacheBudgetMiB: 600 }));
  const bytes = 600 * 1024 * 1024;
  expect(await running.bridge.call('cache.stats', {})).toMatchObject({ budgetBytes: bytes });
  await expect(running.bridge.call('cache.budget', { bytes: bytes * 2 })).rejects.toMatchObject({
    code: 'not-allowed',
    message: expect.stringContaining(FILE),
  });
  expect(await running.bridge.call('cache.stats', {})).toMatchObject({ budgetBytes: bytes });
});

describe('connections of the policy', () => {
  const defined = (change: Partial<Policy['connections'][number]> = {}) =>
    policyOf({}, { connections: [{ id: 'main', name: 'Main tenant', url: service.base, ...change }] });
  const settings = (change = {}) => tenantSettings(service.base, { name: 'Main tenant', ...change });

  test('exist once, accept a credential, and keep name and address', async () => {
    const running = await start(defined());
    const { bridge } = running;
    const save = (change: object, credential: string | null = null) =>
      bridge.call('connections.save', {
        id: 'managed-main',
        settings: settings(change),
        credential,
        grantId: null,
      });
    const refused = { code: 'not-allowed', message: expect.stringContaining(FILE) };
    await expect(save({ url: 'https://elsewhere.example' })).rejects.toMatchObject(refused);
    await expect(save({ name: 'Other' })).rejects.toMatchObject(refused);
    await expect(bridge.call('connections.remove', { id: 'managed-main' })).rejects.toMatchObject(refused);
    await save({ timezone: 'Europe/Berlin', url: `${service.base}/api/v1` }, 'secret-token');
    const again = await start(defined());
    const { connections } = await again.bridge.call('connections.list', {});
    expect(connections).toHaveLength(1);
    expect(connections[0]).toMatchObject({
      id: 'managed-main',
      name: 'Main tenant',
      timezone: 'Europe/Berlin',
      hasCredential: true,
    });
  });

  test("a new address in the policy does not get the old one's credential", async () => {
    const { bridge } = await start(defined());
    await bridge.call('connections.save', {
      id: 'managed-main',
      settings: settings(),
      credential: 'secret-token',
      grantId: null,
    });
    const moved = await start(defined({ url: 'https://elsewhere.example', name: 'Moved' }));
    const { connections } = await moved.bridge.call('connections.list', {});
    expect(connections[0]).toMatchObject({
      name: 'Moved',
      url: 'https://elsewhere.example',
      hasCredential: false,
    });
    expect([...keychain.entries.values()]).not.toContain('secret-token');
    // Once no longer defined by the policy, it belongs to the analyst.
    const free = await start(policyOf({}));
    await free.bridge.call('connections.remove', { id: 'managed-main' });
  });
});

test('an authority of the policy is trusted for every tenant', async () => {
  const certificate = selfSigned(new Date(Date.now() - 60_000), new Date(Date.now() + 86_400_000));
  const secure = await startScripted(certificate);
  try {
    const ask = async (policy: Policy) =>
      (await start(policy)).bridge.call('connections.test', {
        id: null,
        settings: tenantSettings(secure.base),
        credential: null,
      });
    expect(await ask(policyOf({}))).toMatchObject({ ok: false, error: { code: 'tls' } });
    expect(await ask(policyOf({}, { authorityPem: certificate.cert }))).toMatchObject({ ok: true });
  } finally {
    await secure.stop();
  }
});

test('the example in docs/policy.md is a valid policy, and the guide names every system', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const text = readFileSync(path.join(root, 'docs/policy.md'), 'utf8');
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
  expect(policyFile.safeParse(JSON.parse(example)).error).toBeUndefined();
  for (const file of [
    FILE,
    '%ProgramData%\\Parapet\\policy.json',
    '/Library/Application Support/Parapet/policy.json',
  ])
    expect(text).toContain(file);
  expect(existsSync(path.join(root, 'docs/policy.schema.json'))).toBe(true);
});
