/**
 * Many exceptions in one request: all journaled before any is sent, each with its outcome, however it is interrupted.
 */
import { cpSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { journalSentence } from '#renderer/state/journal-words.ts';
import { type AppEvent, type InputOf, operations } from '#shared/bridge/operations.ts';
import { PASTE_MAX } from '#shared/exceptions/paste.ts';
import { addTenant, type Core, memoryKeychain, startCore, temporaryProfile } from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let id: string;
const keychain = memoryKeychain();
/** Values that get no answer until released. */
let held: Map<string, ServerResponse>;
let hold: (value: string) => boolean;
let refuse: (value: string) => [status: number, body: object] | null;

const start = async () => {
  core = await startCore({ profile: profile.path, keychain });
};
const stringOf = (body: string): string =>
  (JSON.parse(body) as { exception: { string: string } }).exception.string;
beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
  held = new Map();
  hold = () => false;
  refuse = () => null;
  service.answer = (_, response, { method, url, body }) => {
    if (method !== 'POST' || !url.endsWith('/external_sectool/exception'))
      return sendJson(response, { queries: [], rows: [] });
    const value = stringOf(body);
    if (hold(value)) return void held.set(value, response);
    const [status, answer] = refuse(value) ?? [200, { success: true, id: value }];
    return sendJson(response, answer, status);
  };
  await start();
  ({ id } = await addTenant(core.bridge, service.base, 'a-credential'));
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const VALUES = Array.from({ length: 20 }, (_, n) => `v${n}.example`);
const order = (values: readonly string[] = VALUES): InputOf<'exceptions.create-many'> => ({
  connectionId: id,
  rule: { tool: 'ap_{product}', type: 'blacklist', list: 'block', field: 'from_domain', matching: 'exact' },
  isExclusive: false,
  comment: 'INC-1',
  rows: values.map((value) => ({ value })),
});
const send = (input = order(), bridge = core.bridge) => bridge.call('exceptions.create-many', input);
const posts = (from = service) =>
  from.seen
    .filter(({ url }) => url.endsWith('/external_sectool/exception'))
    .map(({ body }) => stringOf(body));
const entry = async (journalId: number, of = core) =>
  (await of.bridge.call('journal.list', { connectionId: null })).entries.find(
    (entry) => entry.id === journalId,
  );
const ended = async (journalId: number, of = core) => {
  await soon(async () => expect((await entry(journalId, of))?.outcome).not.toBe('running'));
  return entry(journalId, of);
};
const targets = async (journalId: number, of = core) =>
  (await of.bridge.call('actions.targets', { journalId, start: 0, end: 100_000 })).targets;
const letGo = () => {
  hold = () => false;
  for (const [value, response] of held) {
    const [status, answer] = refuse(value) ?? [200, { success: true, id: value }];
    sendJson(response, answer, status);
  }
  held.clear();
};

it('is journaled with all its values before any is sent; each has its outcome and the service’s reason', async () => {
  hold = () => true;
  refuse = (value) =>
    value === 'v3.example'
      ? [409, { error: 'The same entry is in the list already', field: 'exception.string' }]
      : value === 'v7.example'
        ? [200, { success: false }]
        : null;
  const input = order();
  input.rows[1] = { value: 'v1.example', comment: 'seen twice' };
  const { journalId } = await send(input);
  const running = await entry(journalId);
  expect(running).toMatchObject({
    endpoint: 'exceptions.create-external',
    outcome: 'running',
    action: { targets: 20, reason: 'INC-1' },
  });
  expect(running && journalSentence(running)).toBe('Add 20 block exceptions (From domain, Anti-phishing)');
  expect((await targets(journalId)).map(({ entityId }) => entityId)).toEqual(VALUES);
  await soon(() => expect(held.size).toBe(4));
  letGo();
  expect(await ended(journalId)).toMatchObject({
    outcome: 'partial',
    action: { counts: { done: 18, failed: 2 } },
  });
  const failed = (await targets(journalId)).filter(({ state }) => state === 'failed');
  // A value is not an email: it has neither subject nor recipient.
  const unnamed = { name: null, recipient: null, before: null };
  expect(failed).toEqual([
    { entityId: 'v3.example', ...unnamed, state: 'failed', error: 'The same entry is in the list already' },
    {
      entityId: 'v7.example',
      ...unnamed,
      state: 'failed',
      error: 'The service reported that it was not done.',
    },
  ]);
  expect(posts().toSorted()).toEqual(VALUES.toSorted());
  const bodies = service.seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
  expect(bodies).toContainEqual({
    sec_type: 'ap_guard',
    exception: {
      type: 'blacklist',
      string: 'v1.example',
      payload: { field: 'from_domain', matching: 'exact' },
      comment: 'seen twice',
      is_exclusive: false,
    },
  });
  expect(bodies.find(({ exception }) => exception.string === 'v2.example').exception.comment).toBe('INC-1');
  const { entries, count } = await core.bridge.call('journal.list', {
    connectionId: null,
    text: 'v19.example',
  });
  expect([entries[0]?.id, count]).toEqual([journalId, 1]);
});

it('continues without its window, on the connection where it was confirmed, and marks lists stale once', async () => {
  const other = await startScripted();
  const events: AppEvent[] = [];
  const watch = new AbortController();
  const watching = core.bridge
    .stream('app.events', {}, (event) => void events.push(event), { signal: watch.signal })
    .catch(() => {});
  try {
    hold = () => true;
    const window = core.attach();
    const { journalId } = await send(order(), window.bridge);
    window.close();
    const second = await addTenant(core.bridge, other.base, 'another');
    await core.bridge.call('connections.activate', { id: second.id });
    await soon(() => expect(held.size).toBe(4));
    letGo();
    expect(await ended(journalId)).toMatchObject({ outcome: 'done', action: { counts: { done: 20 } } });
    expect(posts()).toHaveLength(20);
    expect(posts(other)).toEqual([]);
    const isNotified = () =>
      events.filter(
        (event) =>
          event.type === 'invalidated' && event.connectionId === id && event.tags.includes('exceptions'),
      );
    await soon(() => expect(isNotified()).toHaveLength(1));
  } finally {
    watch.abort();
    await watching;
    await other.stop();
  }
});

it('cancelled: requests in flight get their response, the rest is not sent, and a retry sends only the rest', async () => {
  hold = (value) => value !== 'v0.example';
  refuse = (value) => (value === 'v0.example' ? [400, { error: 'Not this one' }] : null);
  const { job, journalId } = await send();
  await soon(() => expect(held.size).toBe(4));
  const cancelling = core.bridge.call('jobs.control', { id: job.id, action: 'cancel' });
  letGo();
  await cancelling;
  expect(await entry(journalId)).toMatchObject({
    outcome: 'partial',
    message: 'Cancelled.',
    action: { counts: { done: 4, failed: 1, 'not-sent': 15, unknown: 0 } },
  });
  expect(posts()).toHaveLength(5);
  refuse = () => null;
  const again = await core.bridge.call('actions.retry', { journalId });
  expect(await ended(again.journalId)).toMatchObject({
    outcome: 'done',
    action: { targets: 16, retryOf: journalId, counts: { done: 16 } },
  });
  expect(new Set(posts())).toEqual(new Set(VALUES));
  expect(posts()).toHaveLength(21);
});

it('killed half-way: the next start says what was not sent and what is unknown', async () => {
  hold = (value) => !['v0.example', 'v1.example'].includes(value);
  const { job, journalId } = await send();
  await soon(async () =>
    expect((await entry(journalId))?.action?.counts).toMatchObject({ done: 2, sending: 4 }),
  );
  const copy = temporaryProfile();
  cpSync(profile.path, copy.path, { recursive: true });
  const other = await startCore({ profile: copy.path, keychain });
  try {
    expect(await entry(journalId, other)).toMatchObject({
      outcome: 'partial',
      action: { counts: { done: 2, unknown: 4, 'not-sent': 14 } },
    });
    const { jobs } = await other.bridge.call('jobs.list', {});
    expect(jobs.find((entry) => entry.id === job.id)).toMatchObject({ state: 'failed', canRetry: true });
    hold = () => false;
    const before = posts().length;
    await other.bridge.call('jobs.control', { id: job.id, action: 'retry' });
    await soon(() => expect(posts()).toHaveLength(before + 14));
    // Those without an answer are not sent twice.
    expect(posts().length).toBe(new Set(posts()).size);
  } finally {
    await other.stop();
    copy.remove();
    letGo();
  }
});

it('closed half-way: the rest is not sent, and the next start says so', async () => {
  hold = (value) => value !== 'v0.example';
  const { journalId } = await send();
  await soon(() => expect(held.size).toBe(4));
  await core.stop();
  await start();
  expect(await entry(journalId)).toMatchObject({
    outcome: 'partial',
    action: { counts: { done: 1, unknown: 4, 'not-sent': 15 } },
  });
  expect(posts()).toHaveLength(5);
});

it('locks its connection; nothing is sent again to another account of it', async () => {
  hold = () => true;
  const { job, journalId } = await send();
  await soon(() => expect(held.size).toBe(4));
  await expect(core.bridge.call('connections.remove', { id })).rejects.toMatchObject({
    message: expect.stringContaining('Block: 20 exceptions'),
  });
  const cancelling = core.bridge.call('jobs.control', { id: job.id, action: 'cancel' });
  letGo();
  await cancelling;
  const connection = (await core.bridge.call('connections.list', {})).connections.find(
    (entry) => entry.id === id,
  );
  const { name, kind, url, authorityPem, authServers, flags, product, timezone } = connection!;
  await core.bridge.call('connections.save', {
    id,
    settings: { name, kind, url, authorityPem, authServers, flags, product, timezone },
    credential: 'of-another-account',
    grantId: null,
  });
  const before = posts().length;
  await expect(core.bridge.call('actions.retry', { journalId })).rejects.toMatchObject({
    code: 'not-allowed',
  });
  expect(posts()).toHaveLength(before);
});

it('a refusal of the whole request ends it; it does not start offline', async () => {
  refuse = () => [403, { error: 'Not for you' }];
  const { journalId } = await send();
  const refused = await ended(journalId);
  expect(refused?.outcome).toBe('failed');
  expect(posts().length).toBeLessThanOrEqual(4);
  expect(refused?.action?.counts).toMatchObject({ failed: posts().length, 'not-sent': 20 - posts().length });

  await core.bridge.call('connections.activate', { id });
  await core.bridge.call('connections.offline', { offline: true });
  const before = posts().length;
  await expect(send()).rejects.toMatchObject({ code: 'offline' });
  expect(posts()).toHaveLength(before);
  expect((await core.bridge.call('journal.list', { connectionId: null })).count).toBe(1);
});

it('[limit 100 000 exceptions] invalid values are not sent, duplicates are sent once, and a paste has a maximum size', async () => {
  const { journalId } = await send(order(['no dots', 'fine.example']));
  expect(await ended(journalId)).toMatchObject({ outcome: 'partial' });
  expect(posts()).toEqual(['fine.example']);
  expect((await targets(journalId))[0]).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('Not a domain'),
  });
  await expect(send(order(['a.example', 'a.example']))).rejects.toMatchObject({ code: 'invalid-input' });
  const takes = (count: number) =>
    operations['exceptions.create-many'].input.safeParse(
      order(Array.from({ length: count }, (_, n) => `v${n}.example`)),
    ).success;
  expect([takes(0), takes(1), takes(PASTE_MAX - 1), takes(PASTE_MAX), takes(PASTE_MAX + 1)]).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});
