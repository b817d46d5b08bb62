/** Changes are journaled before they are sent: on a full disk, in a process that is killed, for every endpoint. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGenerations } from '#main/kernel/generations.ts';
import type { Keychain } from '#main/kernel/ports.ts';
import { UpstreamService } from '#main/upstream/upstream.ts';
import { type EndpointName, endpointNames, endpointOf } from '#shared/api/catalogue.ts';
import type { AppEvent, JournalEntry } from '#shared/bridge/operations.ts';
import {
  addTenant,
  type Core,
  memoryKeychain,
  readAll,
  startCore,
  temporaryProfile,
} from '#tests/support/core.ts';
import { type Failures, failing, fileKeychain } from '#tests/support/failing.ts';
import { wasKilled } from '#tests/support/killed.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
const OLD = 'credential-of-the-first';
const NEW = 'credential-of-the-second';
const CHILD = fileURLToPath(new URL('../support/change-child.ts', import.meta.url));
let profile: ReturnType<typeof temporaryProfile>;
let keychain: Keychain;
let service: ScriptedService;
let core: Core;
let failures: Failures;
let id: string;

const start = async () => {
  failures = failing();
  core = await startCore({
    profile: profile.path,
    keychain,
    tuning: { database: failures.database, limits: { retries: 0 } },
  });
};
beforeEach(async () => {
  profile = temporaryProfile();
  keychain = memoryKeychain();
  service = await startScripted();
  service.answer = (_, response, { method }) =>
    sendJson(response, method === 'GET' ? { queries: [], rows: [] } : { success: true });
  await start();
  ({ id } = await addTenant(core.bridge, service.base));
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const change = () =>
  core.bridge.call('service.send', { connectionId: id, endpoint: 'query.delete', params: { id: '7' } });
const journal = async (): Promise<JournalEntry[]> =>
  (await core.bridge.call('journal.list', { connectionId: null })).entries;
const changesSeen = () => service.seen.filter(({ method }) => method !== 'GET').length;

it('the intent is in the journal when the request arrives, the outcome once it is answered', async () => {
  let during: JournalEntry[] = [];
  service.answer = (_, response) => {
    void journal().then((entries) => {
      during = entries;
      sendJson(response, { success: true });
    });
  };
  await change();
  expect(during).toMatchObject([{ endpoint: 'query.delete', outcome: 'running' }]);
  expect(await journal()).toMatchObject([{ id: during[0]?.id, outcome: 'done' }]);
});

it.each([
  [403, 'failed'],
  [404, 'failed'],
  [409, 'failed'],
  [500, 'failed'],
  [502, 'unknown'],
  [504, 'unknown'],
])('a change answered with %i is in the journal as %s', async (status, outcome) => {
  service.answer = (_, response) => sendJson(response, { error: 'no' }, status);
  await expect(change()).rejects.toThrow();
  expect(await journal()).toMatchObject([{ outcome, message: expect.stringContaining('no') }]);
});

it.each([
  [{ success: false }, 'failed', 'not done'],
  [{ success: false, error: 'Only in the office' }, 'failed', 'Only in the office'],
  [{ success: false, outcomes: [{ id: '7', success: false, error: 'Held' }] }, 'failed', 'Held'],
  [
    { success: true, outcomes: [{ success: true }, { success: false, error: 'Held' }] },
    'partial',
    '1 of 2 were not done',
  ],
  [
    { success: false, outcomes: [{ success: true }, { success: true }] },
    'partial',
    'not done, although every outcome that it named is a success',
  ],
  [{ success: true, imported: ['One', 'Two'], error: ['Three'] }, 'partial', '1 of 3 were not done'],
  [{ success: true, imported: [], error: ['Three'] }, 'failed', 'Three'],
])('a change answered with success and %j is in the journal as %s', async (answer, outcome, words) => {
  service.answer = (_, response) => sendJson(response, answer);
  await change();
  expect(await journal()).toMatchObject([{ outcome, message: expect.stringContaining(words) }]);
});

it.each([
  ['that breaks off', (response: { destroy(): void }) => response.destroy()],
  ['that cannot be read', (response: { end(text: string): void }) => response.end('thank you')],
] as const)('a response %s leaves it unknown whether the change arrived', async (_, answer) => {
  service.answer = (_request, response) => void answer(response);
  await expect(change()).rejects.toThrow();
  expect(await journal()).toMatchObject([{ outcome: 'unknown' }]);
});

it('a request refused before it was sent is not journaled', async () => {
  await core.bridge.call('connections.offline', { offline: true });
  await expect(change()).rejects.toMatchObject({ code: 'offline' });
  expect(await journal()).toEqual([]);
});

it('a full disk: nothing is sent, and the caller gets the reason', async () => {
  failures.failAll('workspace');
  await expect(change()).rejects.toMatchObject({
    code: 'disk-full',
    message: expect.stringContaining('Nothing was sent'),
  });
  expect(changesSeen()).toBe(0);
  failures.stop();
  await change();
  expect(changesSeen()).toBe(1);
});

it('a disk that fills up between intent and outcome: the change is reported as done, and its outcome is written later', async () => {
  failures.fail(2, false, 'workspace');
  await change();
  expect(await journal()).toMatchObject([{ outcome: 'running' }]);
  failures.stop();
  await change();
  expect(await journal()).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]);
});

it('a disk that stays full to the end: at the next start it is unknown whether the change arrived', async () => {
  failures.fail(2, false, 'workspace');
  await change();
  failures.failAll('workspace');
  await core.stop();
  await start();
  expect(await journal()).toMatchObject([{ outcome: 'unknown' }]);
  const { notices } = await core.bridge.call('app.info', {});
  expect(notices).toMatchObject([{ id: 'unknown-changes', level: 'warning' }]);
  await core.stop();
  await start();
  expect((await core.bridge.call('app.info', {})).notices).toEqual([]);
});

it('a change that succeeded is reported and journaled once even if cached answers cannot be marked stale; they are still fetched again', async () => {
  const list = () => readAll(core.bridge, { connectionId: id, endpoint: 'query.list' });
  const events: AppEvent[] = [];
  void core.bridge.stream('app.events', {}, (event) => events.push(event)).catch(() => {});
  await list();
  failures.failAll('cache');
  await expect(change()).resolves.toMatchObject({ data: { success: true } });
  failures.stop();
  expect(await journal()).toMatchObject([{ outcome: 'done' }]);
  await soon(() =>
    expect(events).toContainEqual({ type: 'invalidated', connectionId: id, tags: ['queries'] }),
  );
  expect((await list()).snapshots).toMatchObject([
    { revalidating: true },
    { freshness: { source: 'network' } },
  ]);
  expect((await list()).snapshots).toHaveLength(1);
});

it('an interrupted action never stays "running": what was in flight is in doubt, the rest was not sent', async () => {
  await core.stop();
  const plan = JSON.stringify({
    connectionId: id,
    queryId: null,
    queryLabel: 'Inbox',
    scope: 'selected',
    domain: 'email',
    saas: 'all',
    columns: [],
    includeCopies: false,
    entityField: 'entity_id',
    condition: { operator: 'and', conditions: [] },
    actionId: 'quarantine',
    actionLabel: 'Quarantine',
    params: {},
    reason: 'Phishing wave',
    retryOf: null,
    undoOf: null,
  });
  const insert = (journalId: number) =>
    `INSERT INTO journal (id, at, connection_id, endpoint, request, outcome, who, action, run)
      VALUES (${journalId}, 1, '${id}', 'query.action', '{}', '{"ok":true,"state":"running"}', 'x', '${plan}', NULL)`;
  const target = (journalId: number, position: number, state: string) =>
    `INSERT INTO journal_targets (journal_id, position, entity_id, state)
      VALUES (${journalId}, ${position}, 'e${position}', '${state}')`;
  failures.execute(profile.path, String(await keychain.get('database-key')), [
    insert(1),
    target(1, 0, 'done'),
    target(1, 1, 'sending'),
    target(1, 2, 'pending'),
    insert(2),
    target(2, 0, 'pending'),
    insert(3),
    target(3, 0, 'sending'),
    // Entry and targets used to be two transactions; here the second one is missing.
    insert(4),
  ]);
  await start();
  const entries = await journal();
  expect(entries.map(({ id: journalId, outcome }) => [journalId, outcome])).toEqual([
    [4, 'failed'],
    [3, 'unknown'],
    [2, 'failed'],
    [1, 'partial'],
  ]);
  const { targets } = await core.bridge.call('actions.targets', { journalId: 1, start: 0, end: 10 });
  expect(targets.map(({ state }) => state)).toEqual(['done', 'unknown', 'not-sent']);
  // Doubtful targets are retried only if explicitly requested.
  await expect(core.bridge.call('actions.retry', { journalId: 3 })).rejects.toThrow(
    /^Nothing was sent: the remaining targets got no answer/,
  );
});

describe('every endpoint that changes something', () => {
  const writes = endpointNames.filter((name) => endpointOf(name).effect === 'write');
  const noted: string[] = [];
  const upstream = () =>
    new UpstreamService({
      target: async () => ({ base: service.base, credential: null, authorityPem: null }),
      isOffline: () => false,
      isOfflineByChoice: () => false,
      succeeded: () => {},
      failed: () => {},
      generations: createGenerations(() => 0),
      recordIntent: async (_, endpoint) => {
        noted.push(`${endpoint} ${service.seen.length}`);
        return { journalId: null, settle: async () => {} };
      },
      changed: async () => {},
      limits: { retries: 0 },
    });
  const request = (name: EndpointName) => {
    const params = Object.fromEntries(
      [...endpointOf(name).path.matchAll(/:([a-z]+)/g)].map(([, key]) => [String(key), 'x']),
    );
    return { params, query: {}, body: {} } as object;
  };
  const ways = {
    send: (up: ReturnType<typeof upstream>, name: EndpointName) => up.send('c', name, request(name) as never),
    blob: (up: ReturnType<typeof upstream>, name: EndpointName) => up.blob('c', name, request(name) as never),
    upload: (up: ReturnType<typeof upstream>, name: EndpointName) =>
      up.upload('c', name, { name: 'f', bytes: new Uint8Array(1) }),
  };
  it.each(Object.entries(ways))('%s: journaled before it is sent', async (_, way) => {
    expect(writes.length).toBeGreaterThan(10);
    const up = upstream();
    for (const name of writes) {
      noted.length = 0;
      service.seen.length = 0;
      // The answer need not be valid for the endpoint: only what was sent counts, and when it was journaled.
      await way(up, name).catch(() => {});
      // A form cannot be sent to a path that needs parameters.
      if (service.seen.length > 0) expect(noted).toEqual([`${name} 0`]);
    }
    await up.stop();
  });
  it('and no other is journaled: a read that is not a GET is declared as such', async () => {
    const up = upstream();
    noted.length = 0;
    for (const name of endpointNames.filter((endpoint) => !writes.includes(endpoint)))
      await up.send('c', name, request(name) as never).catch(() => {});
    expect(noted).toEqual([]);
    await up.stop();
  });
});

/** Runs the child, which kills itself at its n-th step; returns whether it did. */
const killedAt = (
  what: string,
  n: number,
  started: (child: ChildProcess) => void = () => {},
  url = service.base,
) =>
  new Promise<boolean>((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, profile.path, url, id, what, String(n)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started(child);
    let complaint = '';
    child.stderr.on('data', (data: Buffer) => {
      complaint += data.toString();
    });
    child.stdout.resume();
    child.once('exit', (code, signal) => {
      if (wasKilled(code, signal, complaint)) resolve(true);
      else if (code === 0) resolve(false);
      else reject(new Error(`the child ended unexpectedly: ${complaint}`));
    });
  });

/** The profile is used by this process and by child processes, in turn. */
const shareProfile = async () => {
  await core.stop();
  profile.remove();
  profile = temporaryProfile();
  keychain = fileKeychain(`${profile.path}/keychain.json`);
  await start();
  ({ id } = await addTenant(core.bridge, service.base, OLD));
};

describe('kill -9', () => {
  const MOST = LONG ? 100 : 3;
  it('while a change is in flight: the journal says its outcome is unknown', {
    timeout: 120_000,
  }, async () => {
    await shareProfile();
    for (let round = 0; round < (LONG ? 5 : 2); round += 1) {
      await core.stop();
      service.seen.length = 0;
      const killed = await killedAt('change', 0, (child) => {
        service.answer = () => void child.kill('SIGKILL');
      });
      expect(killed).toBe(true);
      expect(changesSeen()).toBe(1);
      await start();
      expect((await journal())[0]).toMatchObject({ endpoint: 'query.delete', outcome: 'unknown' });
      expect(await journal()).toHaveLength(round + 1);
    }
  });

  it.each(['save', 'remove'])(
    'at each step of a connection change: %s',
    { timeout: 60_000 * MOST },
    async (what) => {
      await shareProfile();
      const second = await startScripted();
      let killed = true;
      for (let n = LONG ? 1 : 2; killed && n <= MOST; n += 1) {
        await core.stop();
        killed = await killedAt(what, n, () => {}, second.base);
        await start();
        service.seen.length = 0;
        second.seen.length = 0;
        const { connections } = await core.bridge.call('connections.list', {});
        for (const connection of connections) {
          const { error } = await readAll(core.bridge, {
            connectionId: connection.id,
            endpoint: 'apps.list',
            refresh: true,
          });
          expect(error).toBeNull();
        }
        for (const { authorization } of service.seen) expect(authorization).toBe(`Bearer ${OLD}`);
        for (const { authorization } of second.seen) expect(authorization).toBe(`Bearer ${NEW}`);
        expect(Object.keys(JSON.parse(readFileSync(`${profile.path}/keychain.json`, 'utf8')))).toHaveLength(
          connections.length,
        );
        const [first] = connections;
        if (first === undefined) ({ id } = await addTenant(core.bridge, service.base, OLD));
        else if (first.url !== service.base) {
          await core.bridge.call('connections.remove', { id });
          ({ id } = await addTenant(core.bridge, service.base, OLD));
        }
      }
      await second.stop();
    },
  );

  it('at each step of a change: whatever reached the service is in the journal, and no entry stays "running"', {
    timeout: 30_000 * MOST,
  }, async () => {
    await shareProfile();
    for (let n = 1, killed = true; killed && n <= MOST; n += 1) {
      await core.stop();
      service.seen.length = 0;
      killed = await killedAt('change', n);
      await start();
      const entries = await journal();
      const sent = changesSeen();
      expect(entries.filter(({ outcome }) => outcome === 'running')).toEqual([]);
      // At most one entry per run of the child; each change that arrived has one.
      expect(entries.length).toBeGreaterThanOrEqual(sent);
      if (killed && sent > 0) expect(entries[0]?.outcome).toMatch(/unknown|done/);
    }
  });
});
