/** Deleting queries: journaled first, sent after the Undo period, and reported if not sent. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { journalSentence } from '#renderer/state/journal-words.ts';
import type { JournalEntry } from '#shared/bridge/operations.ts';
import {
  addTenant,
  type Core,
  memoryKeychain,
  readAll,
  startCore,
  temporaryProfile,
} from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let id: string;
const keychain = memoryKeychain();
const QUERIES = [
  {
    ...{ id: '7', name: 'Old', status: 'running' },
    scheduledExport: { emails: ['soc@corp.example'], format: 'csv', frequency: 'daily', time: '06:00' },
  },
  { id: '8', name: 'Older', status: 'stopped', scheduledExport: null },
];

const start = async () => {
  core = await startCore({ profile: profile.path, keychain });
};
beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
  service.answer = (_, response, { method }) =>
    sendJson(response, method === 'GET' ? { queries: [], rows: [] } : { success: true });
  await start();
  ({ id } = await addTenant(core.bridge, service.base, 'a-credential'));
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const deleted = () =>
  service.seen.flatMap(({ method, url }) => (method === 'DELETE' ? [/\/query\/(\w+)/.exec(url)?.[1]] : []));
const newest = async (): Promise<JournalEntry | undefined> =>
  (await core.bridge.call('journal.list', { connectionId: null })).entries[0];
const order = (undoMs: number, bridge = core.bridge) =>
  bridge.call('queries.delete', { connectionId: id, queries: QUERIES, undoMs });

it('is journaled before it is sent, and each deletion has its outcome afterwards', async () => {
  /** The journal entry at the time of the first request; the service responds only after it was read. */
  let arriving: Promise<JournalEntry | undefined> | null = null;
  service.answer = (_, response, { method, url }) => {
    if (method !== 'DELETE') return sendJson(response, { queries: [], rows: [] });
    arriving ??= newest();
    void arriving.then(() =>
      url.endsWith('/8')
        ? sendJson(response, { error: 'No such query' }, 404)
        : sendJson(response, { success: true }),
    );
  };
  await order(100);
  await soon(() => expect(arriving).not.toBeNull());
  const running = await arriving;
  expect(running).toMatchObject({ endpoint: 'query.delete', outcome: 'running' });
  await soon(async () =>
    expect(await newest()).toMatchObject({
      outcome: 'partial',
      action: { counts: { done: 1, failed: 1 } },
    }),
  );
  expect(deleted()).toEqual(['7', '8']);
  const journalId = (await newest())?.id ?? 0;
  const { targets } = await core.bridge.call('actions.targets', { journalId, start: 0, end: 10 });
  expect(targets.map(({ before }) => before)).toEqual([
    'Running. Every day at 06:00 server time to soc@corp.example, password not listed',
    'Stopped. Not scheduled',
  ]);
});

it.each([
  [404, 'somebody else has deleted'],
  [403, 'belongs to somebody else'],
  [409, 'somebody else is editing'],
])('answered with %i for a query that %s, still deletes the others', async (status) => {
  service.answer = (_, response, { method, url }) =>
    method === 'DELETE' && url.endsWith('/7')
      ? sendJson(response, { error: 'no' }, status)
      : sendJson(response, { queries: [], rows: [], success: true });
  await order(0);
  await soon(async () =>
    expect(await newest()).toMatchObject({
      outcome: 'partial',
      action: { counts: { done: 1, failed: 1, unknown: 0, 'not-sent': 0 } },
    }),
  );
  expect(deleted()).toEqual(['7', '8']);
});

it('carried out before the connection broke, it is done or not known, as the repeated request finds nothing', async () => {
  const gone = new Set<string>();
  service.answer = (request, response, { method, url }) => {
    if (method !== 'DELETE') return sendJson(response, { queries: [], rows: [] });
    if (gone.has(url)) return sendJson(response, { error: 'No such query' }, 404);
    gone.add(url);
    request.socket.destroy();
  };
  await order(0);
  await soon(async () =>
    expect(await newest()).toMatchObject({
      outcome: 'unknown',
      action: { counts: { unknown: 2, failed: 0, 'not-sent': 0 } },
    }),
  );
  const journalId = (await newest())?.id ?? 0;
  const { targets } = await core.bridge.call('actions.targets', { journalId, start: 0, end: 10 });
  expect(targets[0]?.error).toContain('An earlier attempt got no answer');
  expect(deleted()).toEqual(['7', '7', '8', '8']);
});

it.each([
  ['failed', 500],
  ['not known', 504],
])(
  'retried after it was %s, it is done or not known when the service has nothing left to delete',
  async (_, status) => {
    let answer = status;
    service.answer = (_request, response, { method }) =>
      method === 'DELETE'
        ? sendJson(response, { error: 'no' }, answer)
        : sendJson(response, { queries: [], rows: [] });
    const first = await order(0);
    await soon(async () => expect((await newest())?.outcome).not.toBe('running'));
    answer = 404;
    await core.bridge.call('actions.retry', { journalId: first.journalId, unknown: true });
    await soon(async () =>
      expect(await newest()).toMatchObject({
        outcome: 'unknown',
        action: { retryOf: first.journalId, counts: { unknown: 2, failed: 0 } },
      }),
    );
    // What was sent for the first time finds nothing because somebody else deleted it.
    await order(0);
    await soon(async () => expect(await newest()).toMatchObject({ outcome: 'failed' }));
  },
);

it('another change that is repeated is not known either, whatever the later attempt is answered', async () => {
  service.answer = (request, response, { method }) => {
    if (method !== 'PUT') return sendJson(response, { queries: [], rows: [] });
    if (service.seen.filter((call) => call.method === 'PUT').length === 1) request.socket.destroy();
    else sendJson(response, { error: 'Saved by somebody else' }, 409);
  };
  const change = core.bridge.call('service.send', {
    connectionId: id,
    endpoint: 'entity.identify',
    body: { entity_id: 'e1', identifier: 'CASE-7' },
  });
  await expect(change).rejects.toMatchObject({ code: 'conflict', data: { repeated: true } });
  expect(await newest()).toMatchObject({ endpoint: 'entity.identify', outcome: 'unknown' });
});

it('sends nothing further once the credential is refused', async () => {
  service.answer = (_, response, { method }) =>
    method === 'DELETE'
      ? sendJson(response, { error: 'sign in again' }, 401)
      : sendJson(response, { queries: [], rows: [] });
  await order(0);
  await soon(async () =>
    expect(await newest()).toMatchObject({
      outcome: 'failed',
      action: { counts: { failed: 1, 'not-sent': 1 } },
    }),
  );
  expect(deleted()).toEqual(['7']);
});

it('marks the library stale when the query is already gone', async () => {
  service.answer = (_, response, { method }) =>
    method === 'DELETE' ? sendJson(response, {}, 404) : sendJson(response, { queries: [], rows: [] });
  const read = async () =>
    (await readAll(core.bridge, { connectionId: id, endpoint: 'query.list' })).snapshots.length;
  await read();
  expect(await read()).toBe(1);
  await order(0);
  await soon(async () => expect(await newest()).toMatchObject({ outcome: 'failed' }));
  // The cached answer, then the service's.
  expect(await read()).toBe(2);
});

it('is sent to the connection where it was confirmed, even if the window closed and another connection is active', async () => {
  const other = await startScripted();
  try {
    const window = core.attach();
    await order(100, window.bridge);
    window.close();
    const second = await addTenant(core.bridge, other.base, 'another');
    await core.bridge.call('connections.activate', { id: second.id });
    await soon(() => expect(deleted()).toEqual(['7', '8']));
    expect(other.seen.filter(({ method }) => method === 'DELETE')).toEqual([]);
  } finally {
    await other.stop();
  }
});

it('[limit 5 s] if undone in time, nothing is sent, and the journal says so', async () => {
  const { job } = await order(60_000);
  const running = await newest();
  expect(running).toMatchObject({
    endpoint: 'query.delete',
    outcome: 'running',
    action: { counts: { pending: 2 } },
  });
  expect(running && journalSentence(running)).toBe('Delete 2 queries');
  const ended = await core.bridge.call('jobs.control', { id: job.id, action: 'cancel' });
  expect(ended.state).toBe('cancelled');
  expect(await newest()).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('Not sent: it was undone'),
    action: { counts: { 'not-sent': 2 } },
  });
  expect(deleted()).toEqual([]);
});

it('can be undone for the whole period even if the clock is set forward', async () => {
  await core.stop();
  let now = Date.now();
  core = await startCore({ profile: profile.path, keychain, now: () => (now += 3_600_000) });
  await core.bridge.call('connections.activate', { id });
  const { job } = await order(60_000);
  // Gives a wrong timer several turns to fire.
  for (let turn = 0; turn < 5; turn++) expect(await newest()).toMatchObject({ outcome: 'running' });
  const ended = await core.bridge.call('jobs.control', { id: job.id, action: 'cancel' });
  expect(ended.state).toBe('cancelled');
  expect(await newest()).toMatchObject({ message: expect.stringContaining('Not sent: it was undone') });
  expect(deleted()).toEqual([]);
});

it('locks its connection, which cannot be removed meanwhile', async () => {
  const { job } = await order(60_000);
  await expect(core.bridge.call('connections.remove', { id })).rejects.toMatchObject({
    message: expect.stringContaining('Delete: 2 queries'),
  });
  await core.bridge.call('jobs.control', { id: job.id, action: 'cancel' });
});

it('if Parapet closes before, it is not sent, and the journal says so', async () => {
  await order(60_000);
  await core.stop();
  expect(deleted()).toEqual([]);
  await start();
  expect(await newest()).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('Not sent'),
    action: { counts: { 'not-sent': 2 } },
  });
});

it('while offline it is refused and not journaled', async () => {
  await core.bridge.call('connections.activate', { id });
  await core.bridge.call('connections.offline', { offline: true });
  await expect(order(0)).rejects.toMatchObject({ code: 'offline' });
  expect(await newest()).toBeUndefined();
});

it('a query that somebody changed within the time for Undo is left as it is', async () => {
  const schedule = { emails: ['new@else.example'], format: 'csv', frequency: 'daily', time: '06:00' };
  const queries = QUERIES.map((query) => ({
    ...{ type: 'query', domain: 'email', entityType: 'email', columns: [] },
    ...query,
    ...(query.id === '7' ? { scheduledExport: schedule } : {}),
  }));
  service.answer = (_, response, { method }) =>
    sendJson(response, method === 'GET' ? { queries, rows: [] } : { success: true });
  await order(1);
  await soon(async () =>
    expect(await newest()).toMatchObject({ outcome: 'partial', action: { counts: { done: 1, failed: 1 } } }),
  );
  expect(deleted()).toEqual(['8']);
});
