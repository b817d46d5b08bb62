/** Reads, changes, connections and events of the core, over a wire, against a scripted service. */
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppEvent } from '#shared/bridge/operations.ts';
import { CACHE_TTL_MS } from '#shared/model/constants.ts';
import {
  addTenant,
  type Core,
  type CoreOptions,
  memoryKeychain,
  readAll,
  startCore,
  temporaryProfile,
  tenantSettings,
} from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let clock: number;
let id: string;

const start = async (options: Partial<CoreOptions> = {}) => {
  core = await startCore({
    profile: profile.path,
    now: () => clock,
    tuning: { states: { probeBaseMs: 20, probeCapMs: 40 } },
    ...options,
  });
};
const app = (name: string) => ({ name, label: name, state: 'enabled', category: 'c', is_saas: false });
const requestsOf = (path: string) =>
  service.seen.filter(({ url }) => url.startsWith(`/api/v1${path}`)).length;
const apps = (input: { refresh?: boolean } = {}) =>
  readAll(core.bridge, { connectionId: id, endpoint: 'apps.list', ...input });

beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
  service.answer = (_, response) => sendJson(response, { rows: [app(`answer ${requestsOf('/apps')}`)] });
  clock = Date.UTC(2026, 5, 1);
  await start();
  ({ id } = await addTenant(core.bridge, service.base));
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const rowsOf = (snapshot: { data: unknown } | undefined) =>
  (snapshot?.data as { rows: { name: string }[] } | undefined)?.rows[0]?.name;

describe.skipIf(process.platform !== 'linux')('an idle cache', () => {
  /** Checks the open files of this process; the WAL file can remain if a read-only connection closes last. */
  const isOpen = () =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).endsWith('cache.sqlite');
      } catch {
        return false; // closed meanwhile
      }
    });

  it('is closed while no window is open, and reopened when one connects', async () => {
    await core.stop();
    await start({ tuning: { storage: { idle: 20 } } });
    ({ id } = await addTenant(core.bridge, service.base));
    const second = core.attach();
    expect((await apps()).snapshots).toHaveLength(1);
    core.detach();
    await second.bridge.call('app.ping', {});
    expect(isOpen()).toBe(true);
    second.close();
    await expect.poll(isOpen).toBe(false);
    const third = core.attach();
    await expect.poll(isOpen).toBe(true);
    core = { ...core, bridge: third.bridge };
    const { snapshots } = await apps();
    expect(snapshots).toMatchObject([{ freshness: { source: 'cache' } }]);
  });
});

it('a core stopped right after its start logs nothing', async () => {
  await core.stop();
  await start();
  await core.stop();
  expect(core.logged).toEqual([]);
});

describe('reads', () => {
  it('[spec 8, spec 9] younger than five minutes come from the cache without a request', async () => {
    const first = await apps();
    expect(first.snapshots).toMatchObject([
      { freshness: { source: 'network', fetchedAt: clock, offline: false }, error: null },
    ]);
    clock += CACHE_TTL_MS - 1;
    const second = await apps();
    expect(second.snapshots).toMatchObject([{ freshness: { source: 'cache' }, revalidating: false }]);
    expect(rowsOf(second.snapshots[0])).toBe('answer 1');
    expect(requestsOf('/apps')).toBe(1);
  });

  it('older ones are shown at once and requested again', async () => {
    await apps();
    clock += CACHE_TTL_MS;
    const { snapshots } = await apps();
    expect(
      snapshots.map((snapshot) => [rowsOf(snapshot), snapshot.freshness.source, snapshot.revalidating]),
    ).toEqual([
      ['answer 1', 'cache', true],
      ['answer 2', 'network', false],
    ]);
    expect(snapshots[1]?.freshness.fetchedAt).toBe(clock);
  });

  it('a refresh sends a request whatever the age', async () => {
    await apps();
    expect((await apps({ refresh: true })).snapshots.map(rowsOf)).toEqual(['answer 1', 'answer 2']);
  });

  it('a clock set back does not make an answer fresh', async () => {
    await apps();
    clock -= 86_400_000;
    expect((await apps()).snapshots).toHaveLength(2);
  });

  it('a failed refresh keeps the old answer, with the error', async () => {
    await apps();
    clock += CACHE_TTL_MS;
    service.answer = (_, response) => sendJson(response, { error: 'broken' }, 500);
    const { snapshots, error } = await apps();
    expect(error).toBeNull();
    expect(snapshots[1]).toMatchObject({
      revalidating: false,
      error: { code: 'server-error' },
      freshness: { source: 'cache' },
    });
    expect(rowsOf(snapshots[1])).toBe('answer 1');
  });

  it('[spec 4, spec 5, spec 8, spec 9] a failure with nothing cached fails, unless the specification defines a fallback', async () => {
    service.answer = (_, response) => sendJson(response, {}, 500);
    expect((await apps()).error).toMatchObject({ code: 'server-error' });
    const list = await readAll(core.bridge, { connectionId: id, endpoint: 'query.list' });
    expect(list.snapshots).toMatchObject([
      { data: { queries: [] }, error: { code: 'server-error' }, freshness: { fetchedAt: null } },
    ]);
    const props = await readAll(core.bridge, {
      connectionId: id,
      endpoint: 'entity.props',
      query: { entity_id: '1' },
    });
    expect(props.snapshots).toMatchObject([{ data: {}, error: { code: 'server-error' } }]);
    const matched = await readAll(core.bridge, {
      connectionId: id,
      endpoint: 'file.matched',
      params: { type: 't', id: '1' },
    });
    expect(matched.snapshots).toMatchObject([{ data: { success: false } }]);
  });

  it('two concurrent identical reads share one request, which lives while one of them waits', async () => {
    await apps();
    clock += 2 * CACHE_TTL_MS;
    const gate = Promise.withResolvers<void>();
    service.answer = (_, response) => {
      void gate.promise.then(() => sendJson(response, { rows: [] }));
    };
    const controller = new AbortController();
    const input = { connectionId: id, endpoint: 'apps.list' } as const;
    const shown = { left: 0, stays: 0 };
    const leaving = core.bridge.stream('service.read', input, () => void shown.left++, controller);
    const stays = core.bridge.stream('service.read', input, () => void shown.stays++);
    // Each shows the cached answer first; then it waits for the service.
    await soon(() => expect(shown).toEqual({ left: 1, stays: 1 }));
    await soon(() => expect(requestsOf('/apps')).toBe(2));
    controller.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
    gate.resolve();
    await stays;
    expect(shown).toEqual({ left: 1, stays: 2 });
    expect(requestsOf('/apps')).toBe(2);
  });

  it('the last waiter to leave cancels the request', async () => {
    const closed = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    service.answer = (_, response) => {
      response.on('close', () => closed.resolve());
      arrived.resolve();
    };
    const controller = new AbortController();
    const read = core.bridge.stream(
      'service.read',
      { connectionId: id, endpoint: 'apps.list' },
      () => {},
      controller,
    );
    await arrived.promise;
    controller.abort();
    await expect(read).rejects.toMatchObject({ code: 'cancelled' });
    await closed.promise;
  });

  it('invalid requests name their field and are never sent', async () => {
    const bad = await readAll(core.bridge, {
      connectionId: id,
      endpoint: 'email.profile',
      params: {},
      query: { entity_id: '1' },
    });
    expect(bad.error).toMatchObject({ code: 'invalid-input', data: { field: 'params.saas' } });
    expect((await readAll(core.bridge, { connectionId: id, endpoint: 'nothing' })).error).toMatchObject({
      code: 'invalid-input',
    });
    expect((await readAll(core.bridge, { connectionId: id, endpoint: 'query.delete' })).error).toMatchObject({
      code: 'invalid-input',
    });
    expect((await readAll(core.bridge, { connectionId: id, endpoint: 'query.export' })).error).toMatchObject({
      code: 'invalid-input',
    });
    expect((await readAll(core.bridge, { connectionId: 'gone', endpoint: 'apps.list' })).error).toMatchObject(
      { code: 'no-connection' },
    );
    expect(service.seen).toEqual([]);
  });
});

describe('changes', () => {
  it('mark answers with their tags stale, notify every window, and are journaled', async () => {
    const events: AppEvent[] = [];
    const other = core.attach();
    void other.bridge.stream('app.events', {}, (event) => events.push(event)).catch(() => {});
    service.answer = (_, response, { method }) =>
      sendJson(response, method === 'GET' ? { queries: [] } : { success: true });
    const list = () => readAll(core.bridge, { connectionId: id, endpoint: 'query.list' });
    await list();
    expect((await list()).snapshots).toHaveLength(1);
    await core.bridge.call('service.send', {
      connectionId: id,
      endpoint: 'query.delete',
      params: { id: '7' },
      about: 'DMARC',
    });
    const [noted] = (await core.bridge.call('journal.list', { connectionId: id })).entries;
    expect(noted).toMatchObject({ about: 'DMARC', request: '{"params":{"id":"7"},"query":{}}' });
    expect(JSON.stringify(service.seen)).not.toContain('DMARC');
    await soon(() =>
      expect(events).toContainEqual({ type: 'invalidated', connectionId: id, tags: ['queries'] }),
    );
    expect((await list()).snapshots).toMatchObject([
      { revalidating: true },
      { freshness: { source: 'network' } },
    ]);
    other.close();
  });

  it('a read is refused as a change, and a change as a read', async () => {
    await expect(
      core.bridge.call('service.send', { connectionId: id, endpoint: 'apps.list' }),
    ).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('offline', () => {
  const phase = async () => (await core.bridge.call('connections.list', {})).state.phase;
  const activate = async () => {
    await core.bridge.call('connections.activate', { id });
    await soon(async () => expect(await phase()).toBe('online'));
  };

  it('by choice: nothing is sent, cached answers are shown with their age, the rest says so', async () => {
    await activate();
    await apps();
    const state = await core.bridge.call('connections.offline', { offline: true });
    expect(state.phase).toBe('offline-user');
    clock += 10 * CACHE_TTL_MS;
    const before = service.seen.length;
    const answer = await apps({ refresh: true });
    expect(answer.snapshots).toMatchObject([
      { freshness: { source: 'cache', offline: true, fetchedAt: clock - 10 * CACHE_TTL_MS }, error: null },
    ]);
    const missing = await readAll(core.bridge, { connectionId: id, endpoint: 'apps.statistics' });
    expect(missing.error).toMatchObject({ code: 'not-cached' });
    const list = await readAll(core.bridge, { connectionId: id, endpoint: 'query.list' });
    expect(list.snapshots).toMatchObject([{ data: { queries: [] }, error: { code: 'not-cached' } }]);
    await expect(
      core.bridge.call('service.send', { connectionId: id, endpoint: 'query.delete', params: { id: '1' } }),
    ).rejects.toMatchObject({ code: 'offline' });
    expect(service.seen).toHaveLength(before);
  });

  it('by choice survives a restart', async () => {
    const keychain = memoryKeychain();
    await core.stop();
    // A different keychain has no key for the existing profile.
    profile.remove();
    profile = temporaryProfile();
    await start({ keychain });
    await core.bridge.call('connections.offline', { offline: true });
    await core.stop();
    await start({ keychain });
    expect(
      (
        await core.bridge.call('connections.test', {
          id: null,
          settings: tenantSettings(service.base),
          credential: null,
        })
      ).error,
    ).toMatchObject({ code: 'offline' });
  });

  it('[bad input] automatically when the service does not answer, and online again when it does', async () => {
    await activate();
    await apps();
    const phases: string[] = [];
    void core.bridge
      .stream('app.events', {}, (event) => {
        if (event.type === 'connection') phases.push(event.state.phase);
      })
      .catch(() => {});
    const port = Number(new URL(service.base).port);
    await service.stop();
    const failed = await apps({ refresh: true });
    expect(failed.snapshots.at(-1)).toMatchObject({
      error: { code: 'unreachable' },
      freshness: { offline: true },
    });
    expect(await phase()).toBe('offline-auto');
    expect((await apps()).snapshots).toMatchObject([{ freshness: { offline: true }, error: null }]);
    service = await startScripted(undefined, port);
    await soon(() => expect(phases.at(-1)).toBe('online'));
    expect(phases).toContain('offline-auto');
  });
});

describe('a retry', () => {
  it('asks the service at once, however long the next check by itself would take', async () => {
    await core.stop();
    await start({ tuning: { states: { probeBaseMs: 600_000, probeCapMs: 600_000 } } });
    ({ id } = await addTenant(core.bridge, service.base));
    await core.bridge.call('connections.activate', { id });
    const port = Number(new URL(service.base).port);
    await service.stop();
    await apps({ refresh: true });
    const retry = () => core.bridge.call('connections.offline', { offline: false });
    expect(await retry()).toMatchObject({ phase: 'offline-auto', error: { code: 'unreachable' } });
    service = await startScripted(undefined, port);
    expect(await retry()).toMatchObject({ phase: 'online', error: null });
  });
});

describe('connections', () => {
  it('are tested before they are saved', async () => {
    service.answer = (request, response) =>
      request.headers.authorization === 'Bearer right'
        ? sendJson(response, { rows: [] })
        : sendJson(response, {}, 401);
    const test = (credential: string) =>
      core.bridge.call('connections.test', {
        id: null,
        settings: tenantSettings(`${service.base}/api/v1/`),
        credential,
      });
    expect(await test('right')).toMatchObject({ ok: true, error: null });
    expect(await test('wrong')).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
  });

  it.each([
    ['http://service.example', 'settings' as const],
    ['ftp://service.example', 'settings' as const],
    ['https://user:pass@service.example', 'settings' as const],
    ['https://service.example?x=1', 'settings' as const],
  ])('refuse %s', async (url) => {
    await expect(addTenant(core.bridge, url)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('never give a credential to another origin', async () => {
    const saved = await core.bridge.call('connections.save', {
      id,
      settings: tenantSettings(service.base),
      credential: 'first',
      grantId: null,
    });
    expect(saved.hasCredential).toBe(true);
    const stranger = await startScripted();
    const moved = await core.bridge.call('connections.save', {
      id,
      settings: tenantSettings(stranger.base),
      credential: null,
      grantId: null,
    });
    expect(moved.hasCredential).toBe(false);
    await apps();
    expect(stranger.seen.map(({ authorization }) => authorization)).toEqual([undefined]);
    await stranger.stop();
  });

  it('are reused when the same evidence is opened again', async () => {
    const file = join(profile.path, 'a mail.eml');
    writeFileSync(file, 'Subject: one\r\n\r\nHello.\r\n');
    const open = async () => {
      core.app.arrived([{ kind: 'file', path: file }]);
      const { arrival } = await core.bridge.call('arrivals.next', {});
      const offer = arrival?.kind === 'offer' ? arrival.offer : null;
      if (offer === null || !('grantId' in offer)) throw new Error('nothing was offered');
      const settings = tenantSettings('', { kind: 'evidence', name: offer.name });
      const { grantId } = offer;
      return core.bridge.call('connections.save', { id: null, settings, credential: null, grantId });
    };
    const first = await open();
    await core.bridge.call('connections.save', {
      id: first.id,
      settings: { ...tenantSettings(''), kind: 'evidence', name: 'Case 41' },
      credential: null,
      grantId: null,
    });
    expect(await open()).toMatchObject({ id: first.id, name: 'Case 41' });
    expect((await core.bridge.call('connections.list', {})).connections).toHaveLength(2);
    expect(await core.bridge.call('arrivals.next', {})).toEqual({ arrival: null, leftOut: 0 });
  });

  it('report a service that refuses the credential', async () => {
    service.answer = (_, response) => sendJson(response, {}, 401);
    await core.bridge.call('connections.activate', { id });
    await soon(async () =>
      expect((await core.bridge.call('connections.list', {})).state).toMatchObject({
        phase: 'failed',
        error: { code: 'unauthorized' },
      }),
    );
  });

  it('are removed together with their data', async () => {
    await apps();
    await core.bridge.call('workspace.put', { key: `favourites:${id}`, value: ['1'] });
    expect((await core.bridge.call('cache.stats', {})).answers).toBe(1);
    await core.bridge.call('connections.remove', { id });
    expect((await core.bridge.call('cache.stats', {})).answers).toBe(0);
    expect((await core.bridge.call('workspace.get', { key: `favourites:${id}` })).value).toBeNull();
    expect((await core.bridge.call('connections.list', {})).connections).toEqual([]);
  });
});

describe('the workspace', () => {
  it('tells every window about a changed value', async () => {
    const events: AppEvent[] = [];
    const other = core.attach();
    void other.bridge.stream('app.events', {}, (event) => events.push(event)).catch(() => {});
    await core.bridge.call('workspace.put', { key: 'layout:a', value: { columns: [] } });
    await expect.poll(() => events).toContainEqual({ type: 'workspace', key: 'layout:a' });
  });

  it('stores values by the schema of their kind', async () => {
    const { bridge } = core;
    await bridge.call('workspace.put', { key: 'layout:a', value: { columns: [{ id: 'x', width: 5 }] } });
    await bridge.call('workspace.put', { key: 'layout:b', value: { columns: [] } });
    expect((await bridge.call('workspace.get', { key: 'layout:a' })).value).toEqual({
      columns: [{ id: 'x', width: 5 }],
    });
    expect((await bridge.call('workspace.list', { prefix: 'layout:' })).values.map(({ key }) => key)).toEqual(
      ['layout:a', 'layout:b'],
    );
    await bridge.call('workspace.put', { key: 'layout:a', value: null });
    expect((await bridge.call('workspace.get', { key: 'layout:a' })).value).toBeNull();
    await expect(
      bridge.call('workspace.put', { key: 'layout:c', value: { columns: 5 } }),
    ).rejects.toMatchObject({ code: 'invalid-input', data: { field: 'value.columns' } });
    for (const key of ['secrets', 'core:active', '__proto__'])
      await expect(bridge.call('workspace.put', { key, value: {} })).rejects.toMatchObject({
        code: 'invalid-input',
      });
  });
});
