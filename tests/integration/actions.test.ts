/**
 * Actions of the core on a real service: targets are frozen and sent once, each gets its outcome, and all are
 * journaled.
 */

import { cpSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { journalSentence } from '#renderer/state/journal-words.ts';
import { createServiceApp } from '#service/app.ts';
import { generate } from '#service/demo/generate.ts';
import { demoSource, isSlowMailbox } from '#service/demo/source.ts';
import { type Listening, listen } from '#service/server.ts';
import { openStore, type SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { ActionScope, Job, JournalEntry, OutputOf, TargetState } from '#shared/bridge/operations.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import {
  addTenant,
  type Core,
  memoryKeychain,
  startCore,
  temporaryProfile,
  tenantSettings,
} from '#tests/support/core.ts';
import { type Failures, failing } from '#tests/support/failing.ts';
import { soon } from '#tests/support/soon.ts';

const TOKEN = 'a-token-for-the-tests';
const ANCHOR = Date.UTC(2026, 10, 19, 8);
const profile = { path: '', remove: () => {} };
let keychain: ReturnType<typeof memoryKeychain>;

let store: SqliteStore;
let server: Listening;
let core: Core;
let id: string;
/** Bodies of sectool_exception. */
let derived: object[];
/** Bodies of the requests to `manual_actions`. */
let manual: unknown[];
let posts: { condition: ConditionGroup; action_id: string; include_copies?: boolean }[];
/** Replaces the service's answer to an action. */
let instead: (count: number) => Response | Promise<Response> | null;
/** Changes the answers of query/config. */
let config: (value: Record<string, unknown>) => void;
/** Overrides the total that query/execute reports; null: the real one. */
let announced: number | null;

beforeAll(async () => {
  store = openStore({ path: ':memory:' }, demoSource);
  await generate(store, { emails: 1_500, seed: 4, anchor: ANCHOR });
});
afterAll(() => store.close());

beforeEach(async () => {
  Object.assign(profile, temporaryProfile());
  keychain = memoryKeychain();
  // Undone after each test, since the tenant is created only once.
  store.db.exec('BEGIN');
  const app = createServiceApp(store, { token: TOKEN, now: () => ANCHOR + 60_000, caller: 'tester' });
  posts = [];
  derived = [];
  manual = [];
  instead = () => null;
  config = () => {};
  announced = null;
  server = await listen(
    {
      async fetch(request) {
        const { pathname } = new URL(request.url);
        if (request.method === 'POST' && pathname.includes('manual_actions'))
          manual.push(JSON.parse(await request.clone().text()));
        if (pathname.endsWith('/action')) {
          posts.push(JSON.parse(await request.clone().text()) as (typeof posts)[number]);
          const other = instead(posts.length);
          if (other !== null) return other;
        }
        if (pathname.endsWith('/sectool_exception')) derived.push(await request.clone().json());
        const answer = await app.fetch(request);
        if (announced !== null && pathname.endsWith('/query/execute'))
          return Response.json({ ...((await answer.json()) as object), total_rows: announced });
        if (!pathname.endsWith('/query/config')) return answer;
        const value = (await answer.json()) as Record<string, unknown>;
        config(value);
        return Response.json(value);
      },
    },
    0,
  );
  await start();
  ({ id } = await addTenant(core.bridge, `http://127.0.0.1:${server.port}`, TOKEN));
});
afterEach(async () => {
  await core.stop();
  await server.close();
  store.db.exec('ROLLBACK');
  profile.remove();
});

let failures: Failures;
const start = async () => {
  failures = failing();
  core = await startCore({ profile: profile.path, keychain, tuning: { database: failures.database } });
};

const where = (field: string, operator: string, ...values: string[]): ConditionGroup => ({
  operator: 'and',
  conditions: [{ field, operator, values }],
});
const text = (columnId: string) => ({ id: columnId, label: columnId, type: 'text', multiValues: false });

/** Runs a query and waits until all its rows are fetched. */
async function run(condition: ConditionGroup, more: { include_copies?: boolean } = {}) {
  const results = await core.bridge.call('results.open', {
    connectionId: id,
    payload: {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition,
      columns: ['state', 'subject', 'to'],
      sort_by: [],
      include_copies: more.include_copies ?? false,
    },
    columns: ['state', 'subject', 'to'].map(text),
    refresh: true,
  });
  await soon(async () => {
    const now = await core.bridge.call('results.get', { resultId: results.id });
    expect(now?.state).toBe('complete');
  });
  return results;
}
const prepare = (resultId: string, scope: ActionScope) =>
  core.bridge.call('actions.prepare', { resultId, queryId: null, queryLabel: 'Inbox', scope });
const send = (preparedId: string, actionId = 'quarantine', params: Record<string, string> = {}) =>
  core.bridge.call('actions.send', { preparedId, actionId, params, reason: 'Phishing wave' });

async function ended(job: Job): Promise<Job> {
  let current: Job | undefined;
  await soon(async () => {
    current = (await core.bridge.call('jobs.list', {})).jobs.find((entry) => entry.id === job.id);
    expect(['queued', 'running', 'paused', undefined]).not.toContain(current?.state);
  });
  return current as Job;
}
const journal = async (input: object = {}): Promise<OutputOf<'journal.list'>> =>
  core.bridge.call('journal.list', { connectionId: null, ...input });
const entry = async (journalId: number): Promise<JournalEntry | undefined> =>
  (await journal()).entries.find((entry) => entry.id === journalId);
const targets = async (journalId: number, states?: TargetState[]) =>
  core.bridge.call('actions.targets', { journalId, ...(states ? { states } : {}), start: 0, end: 10_000 });

const inbox = where('state', 'is', 'Inbox');
const countOf = (sql: string) =>
  Number(store.db.prepare(`SELECT count(*) FROM emails WHERE ${sql}`).pluck().get());
const idsIn = (state: string) =>
  store.db.prepare('SELECT entity_id FROM emails WHERE state = ?').pluck().all(state) as string[];

/** Asks for the undo five times at once and once more, of which one is accepted. */
async function undoneOnce(journalId: number) {
  const undo = () => core.bridge.call('actions.undo', { journalId });
  const tries = await Promise.allSettled([undo(), undo(), undo(), undo(), undo()]);
  const journals = tries.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  expect(journals).toHaveLength(1);
  await expect(undo()).rejects.toMatchObject({ code: 'not-allowed' });
  return journals[0]!;
}

describe('an action on everything that matches', () => {
  it('acts on exactly what was prepared, says what was left unchanged, and retries that', async () => {
    const expected = idsIn('Inbox');
    const slow = expected.filter(isSlowMailbox);
    expect(slow.length).toBeGreaterThan(0);
    const results = await run(inbox);
    const prepared = await prepare(results.id, { kind: 'matching' });
    expect(prepared).toMatchObject({ count: expected.length, exact: true, withoutId: 0, domain: 'email' });
    expect(prepared.preview).toHaveLength(100);
    expect(posts).toHaveLength(0);
    // A row that comes to match after the preparation is not touched.
    const late = String(
      store.db.prepare("SELECT entity_id FROM emails WHERE state = 'Archive' LIMIT 1").pluck().get(),
    );
    store.db.prepare("UPDATE emails SET state = 'Inbox' WHERE entity_id = ?").run(late);

    const { job, journalId } = await send(prepared.id);
    const end = await ended(job);
    expect(end).toMatchObject({ kind: 'action', state: 'partial', canRetry: true });
    expect(end.outcome).toMatchObject({
      journalId,
      done: expected.length - slow.length,
      failed: slow.length,
    });
    expect(posts.length).toBe(Math.ceil(expected.length / 250));
    expect(idsIn('Inbox').sort()).toEqual([...slow, late].sort());
    const failed = await targets(journalId, ['failed']);
    expect(failed.targets.map(({ entityId }) => entityId).sort()).toEqual([...slow].sort());
    expect(failed.targets[0]?.error).toContain('did not answer');
    expect((await targets(journalId)).count).toBe(expected.length);
    expect(await entry(journalId)).toMatchObject({
      endpoint: 'query.action',
      outcome: 'partial',
      connectionId: id,
      action: { reason: 'Phishing wave', actionLabel: 'Quarantine', targets: expected.length, retryOf: null },
    });

    const again = await core.bridge.call('actions.retry', { journalId });
    expect((await ended(again.job)).state).toBe('done');
    expect(idsIn('Inbox')).toEqual([late]);
    expect(await entry(again.journalId)).toMatchObject({
      outcome: 'done',
      action: { retryOf: journalId, targets: slow.length, counts: { done: slow.length } },
    });
    // One entry per action, however many requests it took.
    expect((await journal()).count).toBe(2);
  });

  it('is undone by its inverse, once, on the targets it was done to', async () => {
    const before = idsIn('Inbox').sort();
    const slow = before.filter(isSlowMailbox);
    const { job, journalId } = await send((await prepare((await run(inbox)).id, { kind: 'matching' })).id);
    await ended(job);
    expect(idsIn('Inbox').sort()).toEqual([...slow].sort());

    expect(await entry(journalId)).toMatchObject({ inverse: 'restore' });
    posts = [];
    const undo = await undoneOnce(journalId);
    await ended(undo.job);
    expect(posts.map(({ action_id }) => action_id)).toEqual(
      Array.from({ length: Math.ceil((before.length - slow.length) / 250) }, () => 'restore'),
    );
    expect(await entry(undo.journalId)).toMatchObject({
      action: {
        actionId: 'restore',
        undoOf: journalId,
        targets: before.length - slow.length,
        reason: 'Undo: Phishing wave',
      },
    });
    expect(await entry(journalId)).toMatchObject({ inverse: null });
    // A mailbox that answers slowly was never reached by the quarantine.
    expect(idsIn('Inbox').sort()).toEqual(before);
    await expect(core.bridge.call('actions.undo', { journalId })).rejects.toMatchObject({
      code: 'not-allowed',
    });
  });

  it('a response to one entity is undone once, too, on the service that it was sent to', async () => {
    const [entityId = ''] = idsIn('Inbox').filter((entityId) => !isSlowMailbox(entityId));
    const respond = async () =>
      core.bridge.call('service.send', {
        connectionId: id,
        endpoint: 'manual-actions.create',
        body: {
          entity_ids: [entityId],
          entity_type: 'email',
          data: { action: 'quarantine', reason: 'Phishing' },
          date_trigger: null,
        },
        about: 'Invoice, to a@corp.example',
      });
    const journalId = Number((await respond()).journalId);
    expect(await entry(journalId)).toMatchObject({ outcome: 'done', action: null, inverse: 'restore' });
    manual = [];
    const undo = await undoneOnce(journalId);
    expect((await ended(undo.job)).state).toBe('done');
    expect(manual).toMatchObject([
      { entity_ids: [entityId], data: { action: 'restore', reason: 'Undo: Phishing' }, date_trigger: null },
    ]);
    expect(idsIn('Inbox')).toContain(entityId);
    expect(await entry(journalId)).toMatchObject({ inverse: null });
    expect((await entry(undo.journalId))?.action).toMatchObject({
      undoOf: journalId,
      only: { name: 'Invoice', recipient: 'a@corp.example' },
    });

    const elsewhere = Number((await respond()).journalId);
    const connection = (await core.bridge.call('connections.list', {})).connections.find(
      (connection) => connection.id === id,
    );
    await core.bridge.call('connections.save', {
      id,
      settings: tenantSettings(connection?.url ?? ''),
      credential: 'another-account',
      grantId: null,
    });
    await expect(core.bridge.call('actions.undo', { journalId: elsewhere })).rejects.toThrow(
      /another service or account/,
    );
  });

  it('an action without an inverse cannot be undone', async () => {
    const { job, journalId } = await send(
      (await prepare((await run(inbox)).id, { kind: 'matching' })).id,
      'delete',
    );
    await ended(job);
    await expect(core.bridge.call('actions.undo', { journalId })).rejects.toMatchObject({
      code: 'not-allowed',
    });
  });

  it('names its targets by subject and recipient, whatever happens to their rows', async () => {
    const row = store.db
      .prepare("SELECT entity_id AS id, subject FROM emails WHERE state = 'Inbox' LIMIT 1")
      .get() as { id: string; subject: string };
    const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: [row.id] });
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    const { targets: named } = await targets(journalId);
    expect(named).toMatchObject([
      { entityId: row.id, name: row.subject, recipient: expect.stringContaining('@') },
    ]);
    expect((await entry(journalId))?.action?.only).toEqual({
      name: row.subject,
      recipient: named[0]?.recipient,
    });
  });

  it('does not depend on the saved query, which somebody else may delete meanwhile', async () => {
    const entityIds = idsIn('Inbox')
      .filter((id) => !isSlowMailbox(id))
      .slice(0, 3);
    const prepared = await core.bridge.call('actions.prepare', {
      resultId: (await run(inbox)).id,
      queryId: 'deleted-meanwhile',
      queryLabel: 'Inbox',
      scope: { kind: 'selected', entityIds },
    });
    const { job, journalId } = await send(prepared.id);
    expect(await ended(job)).toMatchObject({ state: 'done' });
    expect((await entry(journalId))?.action?.counts).toMatchObject({ done: 3, failed: 0, unknown: 0 });
  });

  it('is sent once', async () => {
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    const first = await send(prepared.id);
    await expect(send(prepared.id)).rejects.toMatchObject({ code: 'not-allowed' });
    await ended(first.job);
  });
});

describe('a prepared action', () => {
  it('is shown row by row, with what speaks for and against it; rows can be excluded', async () => {
    const results = await run({ operator: 'and', conditions: [] });
    const prepared = await prepare(results.id, { kind: 'matching' });
    const quarantined = idsIn('Quarantined');
    const states = prepared.mix.find(({ column }) => column === 'state')?.values ?? [];
    expect(states.find(({ value }) => value === 'Quarantined')?.count).toBe(quarantined.length);
    expect(states.reduce((sum, { count }) => sum + count, 0)).toBe(prepared.count);
    const page = await core.bridge.call('actions.preview', { preparedId: prepared.id, start: 150, end: 250 });
    expect(page.rows).toHaveLength(100);
    expect(page.rows[0]).toHaveProperty('subject');

    const fewer = await core.bridge.call('actions.prepare', {
      resultId: results.id,
      queryId: null,
      queryLabel: 'All',
      scope: { kind: 'matching' },
      leaveOut: [{ column: 'state', values: ['Quarantined'] }],
    });
    expect(fewer).toMatchObject({
      count: prepared.count - quarantined.length,
      leftOut: quarantined.length,
      exact: true,
    });
    const { journalId } = await send(fewer.id, 'tag', { tag: 'campaign' });
    const touched = new Set((await targets(journalId)).targets.map(({ entityId }) => entityId));
    expect(touched.size).toBe(fewer.count);
    expect(quarantined.some((id) => touched.has(id))).toBe(false);
    // Sending consumes the prepared action.
    await expect(
      core.bridge.call('actions.preview', { preparedId: fewer.id, start: 0, end: 1 }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('an action on chosen rows', () => {
  it('affects only those', async () => {
    const chosen = idsIn('Inbox')
      .filter((id) => !isSlowMailbox(id))
      .slice(3, 8);
    const results = await run(inbox);
    const prepared = await prepare(results.id, { kind: 'selected', entityIds: chosen });
    expect(prepared.count).toBe(5);
    expect(prepared.preview.map((row) => row['entity_id']).sort()).toEqual([...chosen].sort());
    expect((await ended((await send(prepared.id)).job)).state).toBe('done');
    expect(posts.map(({ condition }) => condition.conditions)).toMatchObject([
      [{ field: 'entity_id', operator: 'in_list' }],
    ]);
    expect(countOf("state = 'Quarantined' AND json_extract(detail, '$.quarantine.by') = 'tester'")).toBe(5);
  });

  it('takes the loaded rows, narrowed by a filter, and a frozen selection', async () => {
    const results = await run(inbox);
    const word = 'invoice';
    const filter = { text: word, facets: {} };
    const page = await core.bridge.call('results.page', { resultId: results.id, start: 0, end: 1, filter });
    expect(page.count).toBeGreaterThan(0);
    const loaded = await prepare(results.id, { kind: 'loaded', filter });
    expect(loaded.count).toBe(page.count);
    const { selectionId } = await core.bridge.call('results.matching', { resultId: results.id, filter });
    const selected = await prepare(results.id, { kind: 'selection', selectionId });
    expect([selected.count, selected.preview]).toEqual([loaded.count, loaded.preview]);
  });

  it('takes all but the excluded ones', async () => {
    const results = await run(inbox);
    const [first, second] = idsIn('Inbox');
    const all = await prepare(results.id, { kind: 'loaded' });
    const most = await prepare(results.id, { kind: 'loaded', except: [first ?? '', second ?? ''] });
    expect(most.count).toBe(all.count - 2);
    expect(most.preview.map((row) => row['entity_id'])).not.toContain(first);
  });

  it('says that there are too many before any of them is fetched', async () => {
    announced = 100_001;
    const opened = await core.bridge.call('results.open', {
      connectionId: id,
      payload: {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: inbox,
        columns: ['state'],
        sort_by: [],
        include_copies: false,
      },
      columns: [text('state')],
      refresh: true,
    });
    await expect(prepare(opened.id, { kind: 'matching' })).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringMatching(/these are 100.?001 rows/),
    });
  });

  it('names copies as copies', async () => {
    const results = await run(inbox, { include_copies: true });
    const rows = await core.bridge.call('results.page', { resultId: results.id, start: 0, end: 3 });
    const ids = rows.rows.map((cells) => String(cells[0]));
    expect(ids[0]).toMatch(/\.\d+$/);
    const prepared = await prepare(results.id, { kind: 'selected', entityIds: ids });
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    expect(posts[0]?.include_copies).toBe(true);
    expect((await targets(journalId)).targets.map(({ error }) => error)).not.toContain(
      'The service no longer has it.',
    );
  });

  it('says which are missing', async () => {
    const chosen = idsIn('Inbox')
      .filter((id) => !isSlowMailbox(id))
      .slice(0, 2);
    const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: chosen });
    store.db.prepare('DELETE FROM emails WHERE entity_id = ?').run(chosen[0]);
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    expect((await targets(journalId, ['failed'])).targets).toMatchObject([
      { entityId: chosen[0], state: 'failed', error: 'The service no longer has it.' },
    ]);
  });
});

describe('exceptions that the service derives', () => {
  const derive = (preparedId: string, params: Record<string, string>) =>
    core.bridge.call('actions.send', {
      preparedId,
      call: 'exceptions.create',
      actionId: 'create-exceptions',
      params,
      reason: 'False alarms',
    });

  it('carry the frozen targets and the tool, and nothing else; each has its outcome', async () => {
    // Its actions would take conditions only; this call takes ids in any case.
    config = (value) => void delete value['entityField'];
    const results = await run(inbox);
    const [first = '', two = ''] = idsIn('Inbox');
    const prepared = await prepare(results.id, { kind: 'selected', entityIds: [first, two] });
    expect(prepared).toMatchObject({ count: 2, exact: true });
    await expect(derive(prepared.id, {})).rejects.toMatchObject({ data: { field: 'params.tool' } });
    expect(derived).toEqual([]);
    const { job, journalId } = await derive(prepared.id, { tool: 'ap_guard' });
    expect((await ended(job)).state).toBe('done');
    const file = { entity_type: 'email', sec_type: 'ap_guard' };
    expect(derived).toEqual([
      { files: prepared.preview.map((row) => ({ ...file, entity_id: row['entity_id'] })) },
    ]);
    const journaled = await entry(journalId);
    expect(journaled).toMatchObject({
      endpoint: 'exceptions.create',
      action: { reason: 'False alarms', counts: { done: 2 } },
    });
    expect(journaled && journalSentence(journaled)).toBe(
      'Created exceptions for 2 emails from “Inbox” (Anti-phishing; list chosen by the service)',
    );
    expect((await targets(journalId)).targets.map(({ name }) => name)).toEqual(
      prepared.preview.map((row) => row['subject']),
    );
    await expect(core.bridge.call('actions.undo', { journalId })).rejects.toThrow('Nothing takes this');
  });
});

describe('an answer that names only the targets that failed', () => {
  it.each([
    [2, true, 'done'],
    [1, false, 'unknown'],
    [0, false, 'failed'],
    [null, false, 'unknown'],
  ] as const)(
    'with %s changed, the other targets get the resulting outcome',
    async (affected, success, state) => {
      const chosen = idsIn('Inbox').slice(0, 3);
      const outcomes = [{ entity_id: chosen[0] ?? '', success: false, error: 'Held.' }];
      instead = () => Response.json({ success, affected, outcomes });
      const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: chosen });
      const { job, journalId } = await send(prepared.id);
      await ended(job);
      const states = new Map((await targets(journalId)).targets.map((target) => [target.entityId, target]));
      expect(chosen.map((id) => states.get(id)?.state)).toEqual(['failed', state, state]);
      expect(states.get(chosen[0] ?? '')?.error).toBe('Held.');
    },
  );

  it('fail without a claim that they are gone when the service refuses all and names none', async () => {
    const chosen = idsIn('Inbox').slice(0, 2);
    instead = () => Response.json({ success: false, affected: 0, outcomes: [] });
    const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: chosen });
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    for (const { state, error } of (await targets(journalId)).targets) {
      expect(state).toBe('failed');
      expect(error).toBe('The service changed nothing and did not say why.');
    }
  });

  it('are not done when one of several outcomes of a target is a failure', async () => {
    const [first = '', other = ''] = idsIn('Inbox');
    const outcomes = [
      { entity_id: first, success: false, error: 'Held.' },
      { entity_id: first, success: true },
      { entity_id: other, success: true },
    ];
    instead = () => Response.json({ success: false, affected: 2, outcomes });
    const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: [first, other] });
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    const states = new Map((await targets(journalId)).targets.map((target) => [target.entityId, target]));
    expect([states.get(first)?.state, states.get(first)?.error, states.get(other)?.state]).toEqual([
      'failed',
      'Held.',
      'done',
    ]);
  });
});

describe('refused', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['an action that the config lacks', 'explode', {}, 'actionId'],
    ['a missing parameter', 'tag', {}, 'params.tag'],
    ['a value that is not offered', 'move', { folder: 'Attic' }, 'params.folder'],
  ])('%s, and it can be sent again once corrected', async (_, action, params, field) => {
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    await expect(send(prepared.id, action, params)).rejects.toMatchObject({
      code: 'invalid-input',
      data: { field },
    });
    expect([posts.length, (await journal()).count]).toEqual([0, 0]);
    await ended((await send(prepared.id, 'tag', { tag: 'case' })).job);
  });

  it('an action without a reason', async () => {
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    const sent = core.bridge.call('actions.send', {
      preparedId: prepared.id,
      actionId: 'quarantine',
      params: {},
      reason: '  ',
    });
    await expect(sent).rejects.toMatchObject({ code: 'invalid-input', data: { field: 'reason' } });
  });

  it('anything while offline: nothing is sent then or later', async () => {
    const results = await run(inbox);
    const prepared = await prepare(results.id, { kind: 'matching' });
    await core.bridge.call('connections.activate', { id });
    await core.bridge.call('connections.offline', { offline: true });
    for (const refused of [prepare(results.id, { kind: 'loaded' }), send(prepared.id)])
      await expect(refused).rejects.toMatchObject({
        code: 'offline',
        message: expect.stringContaining('nothing is queued to be sent later'),
      });
    await core.bridge.call('connections.offline', { offline: false });
    expect([posts.length, (await journal()).count]).toEqual([0, 0]);
    const { jobs } = await core.bridge.call('jobs.list', {});
    expect(jobs.filter(({ kind }) => kind === 'action')).toEqual([]);
  });
});

describe('a service that fails half-way', () => {
  const failing = (from: number, answer: () => Response) => {
    instead = (count) => (count >= from ? answer() : null);
  };

  it('with errors leaves the rest in doubt or unsent, never done', async () => {
    failing(2, () => Response.json({ error: 'broken' }, { status: 500 }));
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    const { job, journalId } = await send(prepared.id);
    const end = await ended(job);
    expect(end.state).toBe('partial');
    expect(posts.length).toBe(3);
    const journaled = await entry(journalId);
    expect(journaled).toMatchObject({ outcome: 'partial', action: { counts: { unknown: 500 } } });
    const { counts, targets: all } = journaled?.action ?? { counts: {}, targets: 0 };
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(all);
    expect((counts as Record<string, number>)['not-sent']).toBe(prepared.count - 750);
    // A retry leaves out what may be done already, unless explicitly included.
    instead = () => null;
    const again = await core.bridge.call('actions.retry', { journalId });
    await ended(again.job);
    const unsent = (counts as Record<string, number>)['not-sent'] ?? 0;
    expect((await entry(again.journalId))?.action?.targets).toBe(
      unsent + ((counts as Record<string, number>)['failed'] ?? 0),
    );
    const doubtful = await core.bridge.call('actions.retry', { journalId, unknown: true });
    await ended(doubtful.job);
    // The targets of the first attempt belong to its own entry; this one never sends them a third time.
    expect((await entry(doubtful.journalId))?.action?.targets).toBe(500);
  });

  it('is retried once, however often and whenever that is requested', async () => {
    failing(1, () => Response.json({ error: 'Not for you' }, { status: 403 }));
    const chosen = idsIn('Inbox')
      .filter((id) => !isSlowMailbox(id))
      .slice(0, 3);
    const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: chosen });
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    instead = () => null;
    const before = posts.length;
    const retry = (of = journalId) => core.bridge.call('actions.retry', { journalId: of });
    const tries = await Promise.allSettled([retry(), retry(), retry(), retry()]);
    const journals = tries.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(journals).toHaveLength(1);
    const again = journals[0]!;
    await ended(again.job);
    await expect(retry()).rejects.toMatchObject({ code: 'not-allowed' });
    await expect(retry()).rejects.toThrow(/later journal entry/);
    // The job of the first attempt says the same.
    await expect(core.bridge.call('jobs.control', { id: job.id, action: 'retry' })).rejects.toMatchObject({
      code: 'not-allowed',
    });
    await expect(retry(again.journalId)).rejects.toThrow(/No target/);
    expect(posts.length - before).toBe(1);
    expect((await entry(again.journalId))?.action?.counts.done).toBe(3);
  });

  it('is neither retried nor undone while it runs, for this reason', async () => {
    const gate = Promise.withResolvers<void>();
    instead = () => gate.promise.then(() => Response.json({ success: true })) as Promise<Response>;
    const entityIds = idsIn('Inbox').slice(0, 3);
    const { job, journalId } = await send(
      (await prepare((await run(inbox)).id, { kind: 'selected', entityIds })).id,
    );
    for (const call of ['actions.retry', 'actions.undo'] as const)
      await expect(core.bridge.call(call, { journalId })).rejects.toThrow(/still running/);
    gate.resolve();
    await ended(job);
  });

  it('and whose connection has become another account is not retried there', async () => {
    failing(1, () => Response.json({ error: 'Not for you' }, { status: 403 }));
    const prepared = await prepare((await run(inbox)).id, {
      kind: 'selected',
      entityIds: idsIn('Inbox').slice(0, 3),
    });
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    const stale = await prepare((await run(inbox)).id, { kind: 'matching' });
    const before = posts.length;
    const { connections } = await core.bridge.call('connections.list', {});
    const {
      id: _id,
      hasCredential: _has,
      sourceLabel: _label,
      createdAt: _at,
      ...settings
    } = connections[0]!;
    await core.bridge.call('connections.save', { id, settings, credential: `${TOKEN}-2`, grantId: null });
    await expect(core.bridge.call('actions.retry', { journalId })).rejects.toThrow(
      /another service or account/,
    );
    await expect(send(stale.id)).rejects.toMatchObject({ code: 'conflict' });
    expect(posts.length).toBe(before);
  });

  it('locks its connection: a new address is refused until the action has ended', async () => {
    const gate = Promise.withResolvers<void>();
    instead = () => gate.promise.then(() => Response.json({ success: true })) as Promise<Response>;
    const prepared = await prepare((await run(inbox)).id, {
      kind: 'selected',
      entityIds: idsIn('Inbox').slice(0, 3),
    });
    const { job } = await send(prepared.id);
    const before = await core.bridge.call('connections.list', {});
    const {
      id: _id,
      hasCredential: _has,
      sourceLabel: _label,
      createdAt: _at,
      ...settings
    } = before.connections[0]!;
    const save = () =>
      core.bridge.call('connections.save', {
        id,
        settings: { ...settings, url: 'http://127.0.0.1:9' },
        credential: 'other',
        grantId: null,
      });
    await expect(save()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Quarantine'),
    });
    await expect(core.bridge.call('connections.remove', { id })).rejects.toMatchObject({ code: 'conflict' });
    expect((await core.bridge.call('connections.list', {})).connections).toEqual(before.connections);
    gate.resolve();
    await ended(job);
    await expect(save()).resolves.toMatchObject({ url: 'http://127.0.0.1:9' });
  });

  it('if any write of an action fails, what reached the service is in the journal, never as not sent', async () => {
    const chosen = idsIn('Inbox')
      .filter((id) => !isSlowMailbox(id))
      .slice(0, 3);
    const prepareAll = async () => prepare((await run(inbox)).id, { kind: 'selected', entityIds: chosen });
    instead = () => Response.json({ success: true });
    let steps = 0;
    for (let n = 1; n === 1 || steps >= n - 1; n += 1) {
      const prepared = await prepareAll();
      const before = { posts: posts.length, entries: (await journal()).count };
      failures.fail(n, false, 'workspace');
      const sent = await send(prepared.id).catch(() => null);
      if (sent !== null) await ended(sent.job);
      steps = failures.stop();
      const added = (await journal()).count - before.entries;
      if (posts.length > before.posts) {
        expect(added).toBe(1);
        const { targets: all } = await targets((await journal()).entries[0]!.id);
        expect(all.map(({ entityId }) => entityId).sort()).toEqual([...chosen].sort());
        for (const { state } of all) expect(['pending', 'not-sent']).not.toContain(state);
      }
    }
    expect(steps).toBeGreaterThan(3);
    // After a restart no entry is still running.
    await core.stop();
    await start();
    expect((await journal({ outcome: 'running' })).count).toBe(0);
  });

  it('that refuses gets no further requests', async () => {
    failing(1, () => Response.json({ error: 'Not for you' }, { status: 403 }));
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    const { job, journalId } = await send(prepared.id);
    const end = await ended(job);
    // Nothing was done: a failure, not a partial success.
    expect(end).toMatchObject({ state: 'failed', outcome: { journalId, done: 0, failed: 250 } });
    expect(end.note).toContain('Not for you');
    expect(posts.length).toBe(1);
    expect(await entry(journalId)).toMatchObject({
      outcome: 'failed',
      action: { counts: { done: 0, failed: 250, unknown: 0 } },
    });
  });

  it('that requests a pause is retried after it', async () => {
    let refusals = 0;
    instead = () => {
      refusals += 1;
      return refusals === 1
        ? Response.json({ error: 'Slow down' }, { status: 429, headers: { 'retry-after': '0' } })
        : null;
    };
    const chosen = idsIn('Inbox')
      .filter((id) => !isSlowMailbox(id))
      .slice(0, 3);
    const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: chosen });
    expect((await ended((await send(prepared.id)).job)).state).toBe('done');
    expect(posts.length).toBe(2);
  });

  it.each<[string, object, 'done' | 'failed' | 'unknown']>([
    ['that only reports success', { success: true }, 'done'],
    ['that changed none', { success: false, affected: 0 }, 'failed'],
    ['that changed some and does not say which', { success: false, affected: 1 }, 'unknown'],
  ])('%s', async (_, answer, state) => {
    instead = () => Response.json(answer);
    const chosen = idsIn('Inbox').slice(0, 3);
    const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: chosen });
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    expect((await targets(journalId)).targets.map((target) => target.state)).toEqual([state, state, state]);
  });
});

describe('a service that takes conditions only', () => {
  beforeEach(() => {
    config = (value) => {
      delete value['entityField'];
      value['fields'] = (value['fields'] as { id: string }[]).filter((field) => field.id !== 'entity_id');
    };
  });

  it('[spec 7] receives the query itself, if it still matches exactly the rows that were prepared', async () => {
    const results = await run(inbox);
    // Selected rows go to its manual actions (plain-service.test.ts).
    const chosen = await prepare(results.id, { kind: 'selected', entityIds: idsIn('Inbox').slice(0, 2) });
    expect(chosen).toMatchObject({ count: 2, exact: true });
    const prepared = await prepare(results.id, { kind: 'matching' });
    expect(prepared.exact).toBe(false);
    // One more and one less: their number is the same.
    const first = (state: string) => `(SELECT entity_id FROM emails WHERE state = '${state}' LIMIT 1)`;
    store.db
      .prepare(
        `UPDATE emails SET state = iif(state = 'Inbox', 'Archive', 'Inbox') WHERE entity_id IN (${first('Archive')}, ${first('Inbox')})`,
      )
      .run();
    // Once confirmed, it is journaled before the service is asked for the count; the journal also says if it was
    // dropped.
    const { job, journalId } = await send(prepared.id);
    expect((await ended(job)).state).toBe('failed');
    expect(await entry(journalId)).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('Nothing was sent'),
      action: { counts: { 'not-sent': prepared.count, done: 0, unknown: 0 } },
    });
    expect(posts).toHaveLength(0);
    const anew = await prepare((await run(inbox)).id, { kind: 'matching' });
    await ended((await send(anew.id)).job);
    expect(posts).toMatchObject([{ condition: inbox }]);
  });
});

describe('a confirmed action', () => {
  it('depends neither on the window nor on another request: it is journaled, then sent', async () => {
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    // From now on no other request gets an answer.
    config = () => {
      throw new Error('asked for the config again');
    };
    const window = core.attach();
    void window.bridge
      .call('actions.send', {
        preparedId: prepared.id,
        actionId: 'quarantine',
        params: {},
        reason: 'Phishing wave',
      })
      .catch(() => {});
    // The frame was sent; the window closes before the answer arrives.
    await Promise.resolve();
    await Promise.resolve();
    window.close();
    await soon(async () => expect((await journal()).entries[0]?.outcome).toMatch(/done|partial/));
    expect(posts.length).toBeGreaterThan(0);
  });
});

describe('an interrupted action', () => {
  const hangFrom = (from: number): (() => void) => {
    const waiting = Promise.withResolvers<Response>();
    instead = (count) => (count >= from ? waiting.promise : null);
    return () => waiting.resolve(Response.json({ error: 'late' }, { status: 503 }));
  };

  it('by the analyst: what was in flight is in doubt and the rest unsent', async () => {
    const release = hangFrom(2);
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    const { job, journalId } = await send(prepared.id);
    await soon(() => expect(posts).toHaveLength(2));
    await core.bridge.call('jobs.control', { id: job.id, action: 'cancel' });
    release();
    expect(await entry(journalId)).toMatchObject({
      outcome: 'partial',
      message: 'Cancelled.',
      action: { counts: { unknown: 250, sending: 0, pending: 0, 'not-sent': prepared.count - 500 } },
    });
  });

  it('by a crash: the same after the next start', async () => {
    const release = hangFrom(2);
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    const { job, journalId } = await send(prepared.id);
    await soon(() => expect(posts).toHaveLength(2));
    // The files as a killed process leaves them.
    const copy = temporaryProfile();
    cpSync(profile.path, copy.path, { recursive: true });
    const other = await startCore({ profile: copy.path, keychain });
    const { jobs } = await other.bridge.call('jobs.list', {});
    expect(jobs.find((entry) => entry.id === job.id)).toMatchObject({ state: 'failed', canRetry: true });
    const { entries } = await other.bridge.call('journal.list', { connectionId: null });
    expect(entries.find((entry) => entry.id === journalId)).toMatchObject({
      outcome: 'partial',
      message: 'Parapet closed while it ran.',
      action: { counts: { unknown: 250, 'not-sent': prepared.count - 500 } },
    });
    await other.stop();
    copy.remove();
    release();
  });
});

describe('the journal', () => {
  it('records every change with its user; pages and filters', async () => {
    const target = idsIn('Inbox').filter((id) => !isSlowMailbox(id))[0] ?? '';
    const prepared = await prepare((await run(inbox)).id, { kind: 'selected', entityIds: [target] });
    await ended((await send(prepared.id)).job);
    const body = {
      type: 'query',
      domain: 'email',
      entityType: 'email',
      name: 'Noted',
      columns: [],
      scheduledExport: {
        emails: ['soc@aldermoor.example'],
        format: 'csv',
        frequency: 'daily',
        time: '06:00',
        password: 'correct horse',
      },
    };
    await core.bridge.call('service.send', { connectionId: id, endpoint: 'query.save', body });
    const all = await journal();
    expect(all.entries.map(({ endpoint }) => endpoint)).toEqual(['query.save', 'query.action']);
    expect(all.entries.every(({ who }) => who !== null)).toBe(true);
    expect(all.entries[0]).toMatchObject({
      outcome: 'done',
      action: null,
      about: null,
    });
    expect(JSON.stringify(all)).not.toContain('correct horse');
    const first = await journal({ limit: 1 });
    expect([first.entries.length, first.count, first.next]).toEqual([1, 2, first.entries[0]?.id]);
    const second = await journal({ limit: 1, before: first.next });
    expect([second.entries[0]?.endpoint, second.next]).toEqual(['query.action', null]);
    const endpoints = async (input: object) => (await journal(input)).entries.map(({ endpoint }) => endpoint);
    expect(await endpoints({ text: 'PHISHING wave' })).toEqual(['query.action']);
    expect(await endpoints({ kind: 'change' })).toEqual(['query.save']);
    expect(await endpoints({ outcome: 'failed' })).toEqual([]);
    expect(await endpoints({ connectionId: 'another' })).toEqual([]);
  });

  it('knows after a restart how each change ended, and can retry', async () => {
    instead = () => Response.json({ error: 'Not now' }, { status: 403 });
    const prepared = await prepare((await run(inbox)).id, { kind: 'matching' });
    const { job, journalId } = await send(prepared.id);
    await ended(job);
    await core.stop();
    instead = () => null;
    await start();
    const { jobs } = await core.bridge.call('jobs.list', {});
    expect(jobs.find((entry) => entry.id === job.id)).toMatchObject({ kind: 'action', canRetry: true });
    const again = await core.bridge.call('jobs.control', { id: job.id, action: 'retry' });
    await ended(again);
    expect(await entry(journalId + 1)).toMatchObject({
      action: { retryOf: journalId, targets: prepared.count },
    });
  });
});
