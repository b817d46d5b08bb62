/** A tenant behind a corporate proxy, with the complete core. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRoutes } from '#main/host/proxies.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import { type ConnectProxy, startConnectProxy } from '#tests/support/connect-proxy.ts';
import { type Core, startCore, temporaryProfile, tenantSettings } from '#tests/support/core.ts';
import { type ScriptedService, startScripted } from '#tests/support/scripted-service.ts';

const PASSWORD = 'canary-password-of-the-proxy';
const encoded = Buffer.from(`ann:${PASSWORD}`).toString('base64');
const day = 86_400_000;
const certificate = selfSigned(new Date(Date.now() - day), new Date(Date.now() + day), 'service.example');
const settings = tenantSettings('https://service.example', { authorityPem: certificate.cert });

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let proxy: ConnectProxy;
let core: Core;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted(certificate);
  proxy = await startConnectProxy(Number(new URL(service.base).port));
  environment = { HTTPS_PROXY: `http://ann:${PASSWORD}@127.0.0.1:${proxy.port}` };
  core = await startCore({
    profile: profile.path,
    routes: (url) => createRoutes(environment)(url),
    dialogs: {
      open: async () => null,
      save: async ({ suggestedName: name }) => ({ path: path.join(profile.path, name), name }),
    },
  });
});
afterEach(async () => {
  await core.stop();
  await Promise.all([service.stop(), proxy.stop()]);
  profile.remove();
});

const REFUSED =
  'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n';
const add = () =>
  core.bridge.call('connections.save', { id: null, settings, credential: 'token', grantId: null });
const state = async () => (await core.bridge.call('connections.list', {})).state;

test('the connection works and shows its proxy', async () => {
  const test = await core.bridge.call('connections.test', { id: null, settings, credential: 'token' });
  expect(test).toMatchObject({ ok: true, proxy: `127.0.0.1:${proxy.port}` });
  const { id } = await add();
  await core.bridge.call('connections.activate', { id });
  await expect.poll(state).toMatchObject({ phase: 'online', proxy: `127.0.0.1:${proxy.port}` });
  expect(proxy.asked.every(({ headers }) => headers['proxy-authorization'] === `Basic ${encoded}`)).toBe(
    true,
  );
});

test('[bad input] a change refused by the proxy is journaled as failed, and the password is stored nowhere', async () => {
  proxy.refusal = REFUSED;
  const { id: connectionId } = await add();
  await core.bridge.call('connections.activate', { id: connectionId });
  await expect.poll(state).toMatchObject({ phase: 'failed', error: { code: 'proxy' } });
  await expect(
    core.bridge.call('service.send', {
      connectionId,
      endpoint: 'email.report',
      body: { entity_id: '1', report: 'phishing' },
    }),
  ).rejects.toMatchObject({ code: 'proxy' });
  const journal = await core.bridge.call('journal.list', { connectionId, limit: 10 });
  const grant = await core.bridge.call('dialogs.save', { suggestedName: 'diagnostics.zip', kind: 'zip' });
  await core.bridge.call('diagnostics.save', { grantId: grant?.grantId ?? '' });
  expect(service.seen).toEqual([]);
  expect(journal.entries).toMatchObject([{ outcome: 'failed' }]);
  const shown = JSON.stringify([journal, await state(), core.logged]);
  expect(shown).toContain('did not accept the user name and password');
  const files = readdirSync(profile.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'));
  expect(files.length).toBeGreaterThan(1);
  for (const text of [shown, ...files]) {
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain(encoded);
  }
});

test('a changed proxy is used by the next call', async () => {
  const { id } = await add();
  await core.bridge.call('connections.activate', { id });
  await expect.poll(state).toMatchObject({ phase: 'online', proxy: `127.0.0.1:${proxy.port}` });
  const before = proxy.asked.length;
  const other = await startConnectProxy(Number(new URL(service.base).port));
  environment = { HTTPS_PROXY: `http://127.0.0.1:${other.port}` };
  await core.bridge.call('connections.activate', { id });
  await expect.poll(state).toMatchObject({ phase: 'online', proxy: `127.0.0.1:${other.port}` });
  expect(proxy.asked).toHaveLength(before);
  expect(other.asked[0]?.headers['proxy-authorization']).toBeUndefined();
  await other.stop();
});

test('a proxy that refused is used again only when the analyst reconnects', async () => {
  proxy.refusal = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n';
  const { id: connectionId } = await add();
  await core.bridge.call('connections.activate', { id: connectionId });
  await expect.poll(state).toMatchObject({ phase: 'failed', error: { code: 'proxy' } });
  proxy.refusal = null;
  await core.bridge.call('connections.activate', { id: connectionId });
  await expect.poll(state).toMatchObject({ phase: 'online' });
});
