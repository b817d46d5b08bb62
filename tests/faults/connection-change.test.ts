/**
 * A connection becomes another service or account while work is in progress: no data of one may end up with the other,
 * and address, credential and data change together or not at all. PARAPET_LONG=1: more rounds.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Keychain } from '#main/kernel/ports.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { AppEvent, InputOf } from '#shared/bridge/operations.ts';
import {
  addTenant,
  type Core,
  failingKeychain,
  memoryKeychain,
  readAll,
  startCore,
  temporaryProfile,
  tenantSettings,
} from '#tests/support/core.ts';
import { parseCsv } from '#tests/support/csv.ts';
import { type Failures, failing } from '#tests/support/failing.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

const ROUNDS = process.env['PARAPET_LONG'] === '1' ? 100 : 2;
const OLD = 'credential-of-the-first';
const NEW = 'credential-of-the-second';

let profile: ReturnType<typeof temporaryProfile>;
let keychain: ReturnType<typeof memoryKeychain>;
let first: ScriptedService;
let second: ScriptedService;
let core: Core;
let failures: Failures;
let id: string;

const app = (name: string) => ({ name, label: name, state: 'enabled', category: 'c', is_saas: false });
/** Answers every request with its own name. */
const answerAs = (name: string) => (url: string, response: ServerResponse) =>
  url.endsWith('/query/execute')
    ? sendJson(response, { rows: [{ entity_id: name, subject: name }], total_rows: 1, search_after: null })
    : sendJson(response, { rows: [app(name)] });

const start = async (bank: Keychain = keychain) => {
  failures = failing();
  core = await startCore({
    profile: profile.path,
    keychain: failures.keychain(bank),
    tuning: { database: failures.database, limits: { retries: 0 } },
  });
};
type Change = Partial<InputOf<'connections.save'>>;
const save = (url: string, change: Change = {}) =>
  core.bridge.call('connections.save', {
    id,
    settings: tenantSettings(url),
    credential: null,
    grantId: null,
    ...change,
  });
const apps = async (input: { refresh?: boolean } = {}) => {
  const { snapshots, error } = await readAll(core.bridge, {
    connectionId: id,
    endpoint: 'apps.list',
    ...input,
  });
  const names = snapshots.map(
    ({ data }) => (data as { rows: { name: string }[] } | undefined)?.rows[0]?.name,
  );
  return { names, error };
};
const stats = () => core.bridge.call('cache.stats', {});
const openResults = (refresh = false) =>
  core.bridge.call('results.open', {
    connectionId: id,
    payload: {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition: { operator: 'and', conditions: [] },
      columns: ['subject'],
      sort_by: [],
      include_copies: false,
    },
    columns: [{ id: 'subject', label: 'Subject', type: 'text', multiValues: false }],
    refresh,
  });
const rowsOf = async () => {
  const { id: resultId } = await openResults();
  return (await core.bridge.call('results.page', { resultId, start: 0, end: 10 })).rows;
};
/** Holds back a service's answers until released, and resolves when the first request arrives. */
function hold(service: ScriptedService) {
  const usual = service.answer;
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  service.answer = (request, response, ask) => {
    arrived.resolve();
    void gate.promise.then(() => usual(request, response, ask));
  };
  return {
    arrived: arrived.promise,
    open: () => {
      service.answer = usual;
      gate.resolve();
    },
  };
}

beforeEach(async () => {
  profile = temporaryProfile();
  keychain = memoryKeychain();
  [first, second] = await Promise.all([startScripted(), startScripted()]);
  first.answer = (_, response, { url }) => answerAs('first')(url, response);
  second.answer = (_, response, { url }) => answerAs('second')(url, response);
  await start();
  ({ id } = await addTenant(core.bridge, first.base, OLD));
});
afterEach(async () => {
  await core.stop();
  await Promise.all([first.stop(), second.stop()]);
  profile.remove();
});

describe('another address', () => {
  it('while a read is in flight: its answer is neither shown nor stored', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await save(first.base, { credential: OLD });
      const { arrived, open } = hold(first);
      const read = apps();
      await arrived;
      const saving = save(second.base);
      const joined = saving.then(() => apps());
      // Requests made after the change never wait for an answer from before it, whenever that arrives.
      if (round % 2 === 0) await saving;
      await soon(async () =>
        expect((await core.bridge.call('connections.list', {})).connections[0]?.url).toBe(second.base),
      );
      open();
      expect(await read).toMatchObject({ names: [], error: { code: 'conflict' } });
      expect((await joined).names).toEqual(['second']);
      expect((await apps()).names).toEqual(['second']);
      expect((await apps({ refresh: true })).names).toEqual(['second', 'second']);
    }
    // It was given no credential.
    expect(second.seen.length).toBeGreaterThan(0);
    for (const { authorization } of second.seen) expect(authorization).toBeUndefined();
  });

  it('while a query runs: its rows do not become rows of the new service', async () => {
    const { arrived, open } = hold(first);
    const opening = openResults();
    opening.catch(() => {});
    await arrived;
    await save(second.base);
    open();
    await expect(opening).rejects.toMatchObject({ code: 'conflict' });
    expect(await rowsOf()).toEqual([['second', 'second']]);
    expect((await stats()).resultSets).toBe(1);
  });

  it('every window is notified to clear the data of the old service', async () => {
    const events: AppEvent[] = [];
    void core.bridge.stream('app.events', {}, (event) => events.push(event)).catch(() => {});
    await save(second.base);
    await soon(() => expect(events).toContainEqual({ type: 'replaced', connectionId: id }));
  });

  it('a new credential never goes to the old address, nor an old one to the new address', async () => {
    for (let round = 0; round < 4 * ROUNDS; round += 1) {
      await save(first.base, { credential: OLD });
      const before = first.seen.length;
      let going = true;
      const asking = (async () => {
        // A refusal is answered synchronously, so without yielding to the event loop nothing else would ever run.
        for (; going; await new Promise((resolve) => setImmediate(resolve))) await apps({ refresh: true });
      })();
      await soon(() => expect(first.seen.length).toBeGreaterThan(before));
      await save(second.base, { credential: NEW });
      going = false;
      await asking;
    }
    expect(new Set(first.seen.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${OLD}`]));
    for (const { authorization } of second.seen) expect(authorization).toBe(`Bearer ${NEW}`);
    // The replaced credential does not stay in the keychain.
    const credentials = [...keychain.entries].filter(([account]) => account.startsWith('credential/'));
    expect(credentials.map(([, secret]) => secret)).toEqual([NEW]);
  });

  it.each(['save', 'remove'] as const)(
    'a change is refused, before anything changes, while a request is in flight (%s)',
    async (how) => {
      const { arrived, open } = hold(first);
      const sent = core.bridge.call('service.send', {
        connectionId: id,
        endpoint: 'query.delete',
        params: { id: '7' },
      });
      await arrived;
      const before = await core.bridge.call('connections.list', {});
      const attempt =
        how === 'save'
          ? save(second.base, { credential: NEW })
          : core.bridge.call('connections.remove', { id });
      await expect(attempt).rejects.toMatchObject({ code: 'conflict' });
      expect(await core.bridge.call('connections.list', {})).toEqual(before);
      open();
      await sent.catch(() => {});
      await apps();
      expect(first.seen.at(-1)?.authorization).toBe(`Bearer ${OLD}`);
      expect(second.seen).toEqual([]);
    },
  );
});

describe('an export in progress', () => {
  it('locks its connection: a new address and removal are refused before anything changes', async () => {
    const path = join(profile.path, 'out.csv');
    await core.stop();
    failures = failing();
    core = await startCore({
      profile: profile.path,
      keychain,
      dialogs: { save: async () => ({ path, name: 'out.csv' }), open: async () => null },
    });
    const rows = (names: string[], more: string | null) => ({
      rows: names.map((name) => ({ entity_id: name, subject: name })),
      total_rows: 2,
      search_after: more,
    });
    const gate = Promise.withResolvers<void>();
    first.answer = (_, response, { body }) => {
      if (!body.includes('"search_after":"next"')) return sendJson(response, rows(['one'], 'next'));
      void gate.promise.then(() => sendJson(response, rows(['two'], null)));
    };
    const { id: resultId } = await openResults();
    const grant = await core.bridge.call('dialogs.save', { suggestedName: 'out.csv', kind: 'csv' });
    const job = await core.bridge.call('exports.start', {
      resultId,
      grantId: String(grant?.grantId),
      format: 'csv',
      columns: [{ id: 'subject', label: 'Subject' }],
      raw: false,
      bom: false,
      zone: 'UTC',
    });
    const before = await core.bridge.call('connections.list', {});
    await expect(save(second.base, { credential: NEW })).rejects.toMatchObject({ code: 'conflict' });
    await expect(core.bridge.call('connections.remove', { id })).rejects.toMatchObject({ code: 'conflict' });
    expect((await core.bridge.call('connections.list', {})).connections).toEqual(before.connections);
    expect([...keychain.entries.values()]).toContain(OLD);
    gate.resolve();
    await soon(async () => {
      const { jobs } = await core.bridge.call('jobs.list', {});
      expect(jobs.find((entry) => entry.id === job.id)?.state).toBe('done');
    });
    expect(parseCsv(readFileSync(path, 'utf8'))).toEqual([['Subject'], ['one'], ['two']]);
    expect(second.seen).toEqual([]);
    await save(second.base, { credential: NEW });
    expect((await apps()).names).toEqual(['second']);
  });
});

describe('another credential', () => {
  const warm = async () => {
    await apps();
    await rowsOf();
    first.answer = (_, response, { url }) => answerAs('another account')(url, response);
  };

  it('is another account unless the analyst says otherwise: nothing cached is shown', async () => {
    await warm();
    await save(first.base, { credential: NEW });
    expect(await stats()).toMatchObject({ answers: 0, resultSets: 0 });
    expect((await apps()).names).toEqual(['another account']);
    expect(await rowsOf()).toEqual([['another account', 'another account']]);
  });

  it('of the same account keeps what is cached', async () => {
    await warm();
    await save(first.base, { credential: NEW, sameAccount: true });
    expect((await apps()).names).toEqual(['first']);
    expect(await rowsOf()).toEqual([['first', 'first']]);
    await apps({ refresh: true });
    expect(first.seen.at(-1)?.authorization).toBe(`Bearer ${NEW}`);
  });

  it('of the same account does not keep data cached from another address', async () => {
    await warm();
    await save(second.base, { credential: NEW, sameAccount: true });
    expect((await apps()).names).toEqual(['second']);
  });

  it('that equals the current one changes nothing', async () => {
    await warm();
    await save(first.base, { credential: `  ${OLD}\n` });
    expect((await apps()).names).toEqual(['first']);
  });

  it('that no header can carry is refused, naming its field', async () => {
    const refusal = { code: 'invalid-input', data: { field: 'credential' } };
    for (const credential of ['two\nlines', 'two words', 'a\u0000b', 'a\u202eb', 'a\u200bb', 'naïve']) {
      await expect(save(first.base, { credential }), credential).rejects.toMatchObject(refusal);
      const tested = await core.bridge.call('connections.test', {
        id,
        settings: tenantSettings(first.base),
        credential,
      });
      expect(tested, credential).toMatchObject({ ok: false, error: refusal });
      const requests = first.seen.length;
      await apps({ refresh: true });
      expect(first.seen.length, credential).toBeGreaterThan(requests);
      expect(first.seen.at(-1)?.authorization, credential).toBe(`Bearer ${OLD}`);
    }
  });

  it('that is missing from the keychain is reported, and nothing is sent without it', async () => {
    await core.stop();
    for (const account of [...keychain.entries.keys()])
      if (account.startsWith('credential/')) keychain.entries.delete(account);
    await start();
    const before = first.seen.length;
    expect((await apps()).error).toMatchObject({ code: 'unauthorized' });
    expect(first.seen).toHaveLength(before);
  });
});

it('data that a full disk kept from being cleared is not shown after the profile is unlocked either', async () => {
  await core.stop();
  profile.remove();
  profile = temporaryProfile();
  const passphrase = 'correct horse battery';
  const absent = failingKeychain('secrets-unavailable');
  await start(absent);
  await core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase });
  ({ id } = await addTenant(core.bridge, first.base, OLD));
  await apps();
  failures.failAll('cache');
  await save(second.base, { credential: NEW });
  // Nothing of the connection is read until the old data is removed.
  expect((await apps()).error).toMatchObject({ code: 'conflict' });
  failures.stop();
  await core.stop();
  await start(absent);
  await core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase });
  expect((await apps()).names).toEqual(['second']);
});

it('once there is space again, the pending removal runs automatically', async () => {
  await apps();
  failures.failAll('cache');
  await save(second.base, { credential: NEW });
  failures.stop();
  expect((await apps()).names).toEqual(['second']);
});

describe('clearing the cache', () => {
  it.each([null, 'own'] as const)(
    'while a read is in flight: its answer is not cached (%s)',
    async (which) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { arrived, open } = hold(first);
        const read = apps({ refresh: true });
        await arrived;
        await core.bridge.call('cache.wipe', { connectionId: which === null ? null : id });
        open();
        expect((await read).names.at(-1)).toBe('first');
        expect((await stats()).answers).toBe(0);
      }
    },
  );

  it('while a query runs: its rows are not cached', async () => {
    const { arrived, open } = hold(first);
    const opening = openResults();
    opening.catch(() => {});
    await arrived;
    await core.bridge.call('cache.wipe', { connectionId: null });
    open();
    await expect(opening).rejects.toMatchObject({ code: 'not-cached', retryable: true });
    expect((await stats()).resultSets).toBe(0);
  });
});

describe('an unreadable connection', () => {
  it('is named and left in place, and the other connections load', async () => {
    const other = await addTenant(core.bridge, second.base);
    await core.stop();
    const key = String(keychain.entries.get('database-key'));
    failures.execute(profile.path, key, [
      `UPDATE connections SET settings = '{"name":"Torn"' WHERE id = '${id}'`,
      "UPDATE kv SET value = '{' WHERE key = 'core:active'",
    ]);
    await start();
    const { connections } = await core.bridge.call('connections.list', {});
    expect(connections.map((connection) => connection.id)).toEqual([other.id]);
    const { notices } = await core.bridge.call('app.info', {});
    expect(notices).toMatchObject([{ id: 'unreadable-connections', level: 'error' }]);
    await core.stop();
    failures.execute(profile.path, key, [
      `UPDATE connections SET settings = (SELECT settings FROM connections WHERE id = '${other.id}') WHERE id = '${id}'`,
    ]);
    await start();
    expect((await core.bridge.call('connections.list', {})).connections).toHaveLength(2);
    expect((await apps()).error).toBeNull();
  });
});

it('an unreadable connection keeps its credential when secrets move to a passphrase', async () => {
  await core.stop();
  const key = String(keychain.entries.get('database-key'));
  const settings = 'SELECT settings FROM connections';
  failures.execute(profile.path, key, [
    `UPDATE connections SET settings = '{"torn":' || settings WHERE id = '${id}'`,
  ]);
  await start();
  expect((await core.bridge.call('connections.list', {})).connections).toEqual([]);
  await core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: 'a long passphrase' });
  await core.stop();
  failures.execute(profile.path, key, [
    `UPDATE connections SET settings = substr(settings, length('{"torn":') + 1) WHERE id = (${settings.replace('settings', 'id')})`,
  ]);
  // The keychain is no longer needed: everything is behind the passphrase.
  keychain.entries.clear();
  await start();
  await core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: 'a long passphrase' });
  expect(await apps()).toMatchObject({ error: null });
  expect(first.seen.at(-1)?.authorization).toBe(`Bearer ${OLD}`);
});

/** Requests only ever go to the right service, however far a change of the connection got. */
const consistent = async () => {
  const { connections } = await core.bridge.call('connections.list', {});
  const connection = connections.find((connection) => connection.id === id);
  first.seen.length = 0;
  second.seen.length = 0;
  if (connection !== undefined) {
    const { names, error } = await apps();
    const where = connection.url === first.base ? 'first' : 'second';
    expect(error).toBeNull();
    expect(names.at(-1)).toBe(where);
    expect(names).not.toContain(where === 'first' ? 'second' : 'first');
    await apps({ refresh: true });
  }
  for (const { authorization } of first.seen) expect(authorization).toBe(`Bearer ${OLD}`);
  for (const { authorization } of second.seen) expect(authorization).toBe(`Bearer ${NEW}`);
  return connection;
};

describe.each(['fails', 'fails after it was done'] as const)('each step of a change that %s', (how) => {
  const changes: readonly [string, () => Promise<unknown>][] = [
    ['saving', () => save(second.base, { credential: NEW })],
    ['removing', () => core.bridge.call('connections.remove', { id })],
  ];
  it.each(changes)(
    '%s: address, credential and data belong together, immediately and after a restart',
    async (_, run) => {
      let steps = 0;
      for (let n = 1; n === 1 || steps >= n - 1; n += 1) {
        const isListed = (await core.bridge.call('connections.list', {})).connections.some(
          (connection) => connection.id === id,
        );
        if (!isListed) ({ id } = await addTenant(core.bridge, first.base, OLD));
        await save(first.base, { credential: OLD });
        await apps();
        failures.fail(n, how === 'fails after it was done');
        await run().catch((error: unknown) => {
          expect(error).toBeInstanceOf(ParapetError);
        });
        steps = failures.stop();
        await consistent();
        await core.stop();
        await start();
        await consistent();
        // Nothing unused is left behind.
        const { connections } = await core.bridge.call('connections.list', {});
        const accounts = [...keychain.entries.keys()].filter((account) => account.startsWith('credential/'));
        expect(accounts).toHaveLength(connections.filter(({ hasCredential }) => hasCredential).length);
      }
      expect(steps).toBeGreaterThan(3);
    },
  );
});
