/** Operations on saved queries and their replacement by an import: previewed elsewhere, journaled as they were, undone by what they were. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { journalSentence } from '#renderer/state/journal-words.ts';
import type { InputOf, JournalEntry } from '#shared/bridge/operations.ts';
import type { Query } from '#shared/model/entities.ts';
import { addTenant, type Core, startCore, temporaryProfile } from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let id: string;
/** The service's saved queries. */
let saved: Map<string, Query>;
/** Ids whose operation it refuses. */
let held: Set<string>;

const schedule = (more: object = {}) => ({
  emails: ['soc@corp.example'],
  format: 'xlsx',
  frequency: 'weekly',
  day: 1,
  time: '07:30',
  has_password: false,
  ...more,
});
const query = (name: string, change: Partial<Query>): Query => ({
  id: name,
  name,
  type: 'query',
  domain: 'email',
  entityType: 'email',
  columns: [],
  status: 'running',
  scheduledExport: schedule(),
  ...change,
});

beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
  held = new Set();
  saved = new Map(
    [
      query('Plain', {}),
      query('Sealed', { scheduledExport: schedule({ has_password: true }) }),
      query('Stopped', { status: 'stopped', scheduledExport: null }),
    ].map((query) => [query.id, query]),
  );
  service.answer = (_, response, { method, url, body }) => {
    const named = /\/query\/(\w+)$/.exec(url)?.[1] ?? '';
    const query = saved.get(named);
    if (method === 'PUT' && url.endsWith('/policies/policy_catalog/operation')) {
      const { operator, policies_ids } = JSON.parse(body) as { operator: string; policies_ids: string[] };
      const outcomes = policies_ids.map((id) => {
        const before = saved.get(id);
        if (before === undefined || held.has(id)) return { id, success: false, error: 'Held' };
        const change = operator === 'unschedule' ? { scheduledExport: null } : { status: 'stopped' };
        saved.set(id, { ...before, ...change });
        return { id, success: true };
      });
      return sendJson(response, { success: outcomes.every(({ success }) => success), outcomes });
    }
    if (method === 'PUT' && query) {
      saved.set(named, JSON.parse(body) as Query);
      return sendJson(response, saved.get(named));
    }
    if (method === 'GET' && query) return sendJson(response, query);
    return sendJson(response, { queries: [...saved.values()], rows: [] });
  };
  core = await startCore({
    profile: profile.path,
    dialogs: {
      save: async () => null,
      open: async () => ({ path: join(profile.path, 'queries.json'), name: 'queries.json' }),
    },
  });
  ({ id } = await addTenant(core.bridge, service.base, 'a-credential'));
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const operate = async (
  operator: InputOf<'queries.operate'>['operator'],
  names: string[],
  by: Pick<InputOf<'queries.operate'>, 'call'> = {},
  shown: ReadonlyMap<string, Query> = saved,
) => {
  const queries = names.map((name) => {
    const { status, scheduledExport } = shown.get(name) ?? query(name, {});
    return { id: name, name, status, scheduledExport };
  });
  const call = { connectionId: id, operator, queries, reason: 'INC-1', ...by };
  return ended((await core.bridge.call('queries.operate', call)).journalId);
};
const entry = async (journalId: number): Promise<JournalEntry | undefined> =>
  (await core.bridge.call('journal.list', { connectionId: null })).entries.find(
    (entry) => entry.id === journalId,
  );
async function ended(journalId: number): Promise<JournalEntry> {
  let latest: JournalEntry | undefined;
  await soon(async () => {
    latest = await entry(journalId);
    expect(latest?.outcome ?? 'running').not.toBe('running');
  });
  return latest as JournalEntry;
}
const undo = async ({ id: journalId }: JournalEntry) =>
  ended((await core.bridge.call('actions.undo', { journalId })).journalId);
const targets = async ({ id: journalId }: JournalEntry) =>
  (await core.bridge.call('actions.targets', { journalId, start: 0, end: 10 })).targets;
const operations = () =>
  service.seen.flatMap(({ url, body }) => (url.endsWith('/operation') ? [JSON.parse(body)] : []));

it('sends exactly the given queries, each with its outcome, and keeps what they were', async () => {
  held.add('Sealed');
  const entry = await operate('unschedule', ['Plain', 'Sealed']);
  expect(operations()).toEqual([{ operator: 'unschedule', policies_ids: ['Plain', 'Sealed'] }]);
  expect(entry).toMatchObject({
    outcome: 'partial',
    action: { reason: 'INC-1', counts: { done: 1, failed: 1 } },
  });
  expect(journalSentence(entry)).toBe('Removed schedule of 1 of 2 queries');
  expect(
    (await targets(entry)).map(({ name, state, error, before }) => [name, state, error, before]),
  ).toEqual([
    ['Plain', 'done', null, 'Running. Every Monday at 07:30 server time to soc@corp.example'],
    [
      'Sealed',
      'failed',
      'Held',
      'Running. Every Monday at 07:30 server time to soc@corp.example, with a password',
    ],
  ]);
});

it('the undo restores the schedules; one that had a password comes back stopped', async () => {
  const before = structuredClone(saved);
  const entry = await operate('unschedule', ['Plain', 'Sealed']);
  expect([...saved.values()].map(({ scheduledExport }) => scheduledExport)).toEqual([null, null, null]);
  const undone = await undo(entry);
  expect(journalSentence(undone)).toBe('Restored status and schedule of 2 queries (undo)');
  expect(saved.get('Plain')).toEqual(before.get('Plain'));
  expect(saved.get('Sealed')).toMatchObject({ status: 'stopped', scheduledExport: schedule() });
  expect((await targets(undone)).map(({ state, error }) => [state, error])).toEqual([
    ['done', null],
    ['done', 'Its password is not kept: enter it again, then enable the query, which was stopped.'],
  ]);
  await expect(undo(entry)).rejects.toThrow('already undone');
});

it('the undo restores the status, except where somebody changed it since', async () => {
  const entry = await operate('disable', ['Plain', 'Sealed']);
  saved.set('Sealed', query('Sealed', { status: 'paused' }));
  const undone = await undo(entry);
  expect(undone).toMatchObject({ outcome: 'partial', action: { counts: { done: 1, failed: 1 } } });
  expect([saved.get('Plain')?.status, saved.get('Sealed')?.status]).toEqual(['running', 'paused']);
  expect((await targets(undone))[1]?.error).toContain('changed again since');
});

it('the journal keeps no password, and each request takes at most 1 000 queries', async () => {
  const names = Array.from({ length: 1_001 }, (_, n) => `q${n}`);
  for (const name of names)
    saved.set(name, query(name, { scheduledExport: schedule({ password: 'not-kept!' }) }));
  const entry = await operate('pause', names);
  const sent = operations().map(({ policies_ids }) => policies_ids);
  expect(sent.flat()).toEqual(names);
  expect(Math.max(...sent.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
  expect(entry.request).not.toContain('not-kept!');
  expect(JSON.stringify(await targets(entry))).not.toContain('not-kept!');
});

const updates = () =>
  service.seen.flatMap(({ method, url, body }) =>
    method === 'PUT' && /\/query\/\w+$/.test(url) ? [JSON.parse(body) as Query] : [],
  );

it('an owner who may not operate queries removes a schedule by saving the query, with the same undo', async () => {
  const before = structuredClone(saved.get('Plain'));
  const entry = await operate('unschedule', ['Plain'], { call: 'query.update' });
  expect(operations()).toEqual([]);
  expect(updates()).toEqual([{ ...before, scheduledExport: null }]);
  expect(journalSentence(entry)).toBe('Removed schedule of query “Plain”');
  expect((await targets(entry))[0]?.before).toContain('soc@corp.example');
  await undo(entry);
  expect(saved.get('Plain')).toEqual(before);
});

it.each([{}, { call: 'query.update' as const }])(
  'a query that somebody changed since it was shown is left as it is, with what it does now: %j',
  async (by) => {
    const shown = new Map(saved);
    saved.set('Plain', query('Plain', { scheduledExport: schedule({ emails: ['new@else.example'] }) }));
    const entry = await operate('disable', ['Plain', 'Sealed'], by, shown);
    expect((await targets(entry)).map(({ name, state, error }) => [name, state, error])).toEqual([
      [
        'Plain',
        'failed',
        'Somebody changed it since it was shown, so it was left as it is. Now: Running. Every Monday at 07:30 server time to new@else.example.',
      ],
      ['Sealed', 'done', null],
    ]);
    expect([saved.get('Plain')?.status, saved.get('Sealed')?.status]).toEqual(['running', 'stopped']);
    expect(JSON.stringify([...operations(), ...updates()])).not.toContain('Plain');
  },
);

const importBy = async (as: 'new' | 'replace', ...changed: Query[]) => {
  writeFileSync(
    join(profile.path, 'queries.json'),
    JSON.stringify({ kind: 'parapet-queries', version: 1, queries: changed }),
  );
  const grant = await core.bridge.call('dialogs.open', { kind: 'query-file' });
  const { importId } = await core.bridge.stream(
    'queries.inspect',
    { connectionId: id, grantId: grant?.grantId ?? '' },
    () => undefined,
  );
  const choices = changed.map((_, index) => ({ index, as }));
  return core.bridge.call('queries.import', { connectionId: id, importId, choices });
};
const replaceBy = (...changed: Query[]) => importBy('replace', ...changed);

it('the journal names the queries of an import, and what each does by itself', async () => {
  const secret = { ...schedule({ emails: ['else@x.example'] }), password: 'not-kept!' };
  await importBy('new', query('Foreign', { status: 'running', scheduledExport: secret })).catch(() => null);
  const { entries } = await core.bridge.call('journal.list', { connectionId: id, kind: 'change' });
  const entry = entries.find(({ endpoint }) => endpoint === 'query.import');
  expect(entry && journalSentence({ ...entry, outcome: 'done' })).toBe('Imported 1 query from queries.json');
  expect(JSON.parse(entry?.request ?? '')).toMatchObject({
    queries: [
      {
        name: 'Foreign',
        acts: 'Stopped. Every Monday at 07:30 server time to else@x.example, with a password',
      },
    ],
  });
  expect(entry?.request).not.toContain('not-kept!');
});

it('an import that replaces queries is one action, whose journal keeps the earlier versions and brings them back', async () => {
  const before = structuredClone(saved);
  const secret = { ...schedule({ emails: ['else@x.example'] }), password: 'not-kept!' };
  const outcome = await replaceBy(
    query('Plain', { description: 'From the file', scheduledExport: secret }),
    query('Sealed', { severity: 5, scheduledExport: null }),
  );
  expect(outcome).toMatchObject({ replaced: ['Plain', 'Sealed'], failed: [] });
  expect(updates()[0]).toMatchObject({ description: 'From the file', scheduledExport: secret });
  const entry = await ended(outcome.journalId ?? 0);
  expect(journalSentence(entry)).toBe('Replaced 2 queries');
  expect(entry).toMatchObject({ inverse: 'restore-version', action: { reason: 'Import from queries.json' } });
  expect(JSON.stringify([entry, await targets(entry)])).not.toContain('not-kept!');
  expect((await targets(entry)).map(({ before: words }) => words)).toEqual([
    'Running. Every Monday at 07:30 server time to soc@corp.example. Description: none',
    'Running. Every Monday at 07:30 server time to soc@corp.example, with a password. Severity: none',
  ]);
  const undone = await undo(entry);
  expect(journalSentence(undone)).toBe('Restored the earlier version of 2 queries (undo)');
  expect(saved.get('Plain')).toMatchObject({ ...before.get('Plain') });
  expect(saved.get('Plain')?.description).toBeUndefined();
  expect(saved.get('Sealed')).toMatchObject({ status: 'stopped', scheduledExport: schedule() });
  expect(saved.get('Sealed')?.severity).toBeUndefined();
  expect((await targets(undone)).map(({ error }) => error)).toEqual([
    null,
    'Its password is not kept: enter it again, then enable the query, which was stopped.',
  ]);
  await expect(undo(entry)).rejects.toThrow('already undone');
});

it('a file without a status stops the running query that it gives a schedule, and leaves the status of any other', async () => {
  await replaceBy(
    query('Plain', { status: null, scheduledExport: schedule({ emails: ['else@x.example'] }) }),
    query('Sealed', { status: null, severity: 5, scheduledExport: null }),
  );
  expect(updates().map(({ status }) => status)).toEqual(['stopped', 'running']);
});

it('a replaced query that somebody changed since stays as it is when the import is undone', async () => {
  const outcome = await replaceBy(query('Plain', { description: 'From the file' }));
  saved.set('Plain', { ...query('Plain', {}), description: 'Theirs' });
  const undone = await undo(await ended(outcome.journalId ?? 0));
  expect(undone.outcome).toBe('failed');
  expect((await targets(undone))[0]?.error).toContain('changed again since');
  expect(saved.get('Plain')?.description).toBe('Theirs');
});

it('a replacement that was refused is reported, and is retried with what was chosen', async () => {
  const { answer } = service;
  service.answer = (_, response, request) =>
    request.method === 'PUT' ? void sendJson(response, { error: 'Held' }, 403) : answer(_, response, request);
  const outcome = await replaceBy(query('Plain', { description: 'From the file' }));
  expect(outcome).toMatchObject({
    replaced: [],
    failed: [{ label: 'Plain', reason: expect.stringContaining('Held') }],
  });
  service.answer = answer;
  const again = await core.bridge.call('actions.retry', { journalId: outcome.journalId ?? 0 });
  await ended(again.journalId);
  expect(saved.get('Plain')?.description).toBe('From the file');
});
