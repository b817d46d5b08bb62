/** Failing calls for exceptions and the login map, from the service to the bridge. */
import { deflateSync, inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '#shared/bridge/operations.ts';
import { allExceptionTypes } from '#shared/exceptions/types.ts';
import { addTenant, type Core, readAll, startCore, temporaryProfile } from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';

let service: ScriptedService;
let core: Core;
let tenant: Connection;
let profile: ReturnType<typeof temporaryProfile>;

beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
  core = await startCore({ profile: profile.path });
  tenant = await addTenant(core.bridge, service.base);
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const options = () =>
  readAll(core.bridge, {
    connectionId: tenant.id,
    endpoint: 'exceptions.options',
    params: { product: 'guard', type: 'email', id: 'e1' },
  });
const entry = { type: 'blacklist', string: 'lure.example', payload: { field: 'from_domain' } };
const save = () =>
  core.bridge.call('service.send', {
    connectionId: tenant.id,
    endpoint: 'exceptions.create-external',
    body: { sec_type: 'ap_guard', exception: entry },
  });
const layer = (module: string) =>
  readAll(core.bridge, {
    connectionId: tenant.id,
    endpoint: 'logins.heat-map',
    query: { module, fail: false },
  });

describe('exceptions', () => {
  it('[promise] failing to load options is a separate error: the exception types are still shown', async () => {
    service.answer = (_, response) => sendJson(response, { error: 'down' }, 500);
    const { error } = await options();
    expect(error?.code).toBe('server-error');
    expect(allExceptionTypes('ap_{product}').length).toBeGreaterThan(0);
    service.answer = (_, response) => sendJson(response, { options: [{ label: 'From' }] });
    expect((await options()).error).toMatchObject({ code: 'wrong-shape' });
  });

  it('a save that the service refuses names its field; the journal distinguishes it from one that may have been accepted', async () => {
    service.answer = (_, response) =>
      sendJson(response, { error: 'invalidDomain: not a domain', field: 'exception.string' }, 400);
    await expect(save()).rejects.toMatchObject({
      code: 'bad-request',
      data: { field: 'exception.string' },
    });
    const sent = () => service.seen.filter(({ method }) => method === 'POST').length;
    expect(sent()).toBe(1);
    service.answer = (_, response) => sendJson(response, { error: 'busy' }, 503);
    await expect(save()).rejects.toMatchObject({ code: 'server-error' });
    expect(sent()).toBe(2);
    const { entries } = await core.bridge.call('journal.list', { connectionId: tenant.id });
    expect(entries.map(({ outcome }) => outcome)).toEqual(['unknown', 'failed']);
    for (const entry of entries) expect(JSON.stringify(entry)).toContain('lure.example');
  });

  it('an offline save is refused and not stored anywhere', async () => {
    await core.bridge.call('connections.offline', { offline: true });
    await expect(save()).rejects.toMatchObject({ code: 'offline' });
    expect(service.seen.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('the login map', () => {
  it('[spec 8] a failing SaaS yields no rows, and the others are shown', async () => {
    const data = deflateSync(JSON.stringify([[1, 2, 3]])).toString('base64');
    service.answer = (_, response, { url }) =>
      url.includes('module=good') ? sendJson(response, { data }) : sendJson(response, { error: 'no' }, 500);
    const [good, bad] = [await layer('good'), await layer('bad')];
    expect(good.snapshots.at(-1)).toMatchObject({ data: { data }, error: null });
    const last = bad.snapshots.at(-1);
    expect(last?.error?.code).toBe('server-error');
    const empty = (last?.data as { data: string } | undefined)?.data ?? '';
    expect(inflateSync(Buffer.from(empty, 'base64')).toString()).toBe('[]');
  });

  it('[promise] a SaaS whose name looks like a path remains one value of the query', async () => {
    service.answer = (_, response) => sendJson(response, { data: '' });
    await layer('../../etc/passwd?x=1&fail=true');
    const url = service.seen.at(-1)?.url ?? '';
    expect(url.split('?')).toHaveLength(2);
    expect(url.startsWith('/api/v1/get_cache_query?')).toBe(true);
    expect(new URLSearchParams(url.split('?')[1]).get('module')).toBe('../../etc/passwd?x=1&fail=true');
  });
});
