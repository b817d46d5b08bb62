/** A service implemented from the specification alone: minimal responses with exactly the specified fields. */
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointName } from '#shared/api/catalogue.ts';
import {
  addTenant,
  type Core,
  readAll,
  startCore,
  temporaryProfile,
  tenantSettings,
} from '../support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '../support/scripted-service.ts';

const ROWS = Array.from({ length: 63 }, (_, index) => ({
  entity_id: `e-${index}`,
  subject: `請求書 ${index}`,
}));
const MAP = gzipSync(JSON.stringify([[48.1, 11.5, 3]])).toString('base64');

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let connectionId: string;
beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
  core = await startCore({ profile: profile.path });
  const { id } = await addTenant(core.bridge, service.base);
  connectionId = id;
  await core.bridge.call('connections.activate', { id });
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const columns = [{ id: 'subject', label: 'Subject', type: 'string', multiValues: false }];
const payload = {
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: '',
  condition: { operator: 'and' as const, conditions: [] },
  columns: ['subject'],
  sort_by: [],
  include_copies: false,
};

/** Serves pages of 25 rows, whatever size is requested. `page` builds the response. */
async function fetchAll(page: (rows: object[], next: number | null) => object) {
  service.answer = (_, response, { body }) => {
    const { search_after } = JSON.parse(body || '{}') as { search_after?: unknown };
    const from = Number([search_after].flat()[0] ?? 0);
    const next = from + 25 < ROWS.length ? from + 25 : null;
    sendJson(response, page(ROWS.slice(from, from + 25), next));
  };
  const { call } = core.bridge;
  const set = await call('results.open', { connectionId, payload, columns, refresh: true });
  await call('results.fill', { resultId: set.id, action: 'all' });
  const now = () => call('results.get', { resultId: set.id });
  await expect.poll(async () => (await now())?.state, { timeout: 30_000 }).not.toBe('filling');
  return now();
}

it.each<[string, Parameters<typeof fetchAll>[0]]>([
  ['a number as cursor', (rows, next) => ({ rows, search_after: next, total_rows: 63 })],
  [
    'counts in digits and an empty list at the end',
    (rows, next) => ({ rows, search_after: next === null ? [] : [next, 'ü'], total_rows: '63' }),
  ],
  [
    'the names of section 3',
    (rows, next) => ({ rows, searchAfter: next === null ? '' : String(next), totalRows: 63 }),
  ],
])('a query is fetched whole: %s', async (_, page) => {
  expect(await fetchAll(page)).toMatchObject({ state: 'complete', loaded: 63, total: 63, atLeast: false });
});

it('a query without a total is complete when two scans return the same rows', async () => {
  expect(await fetchAll((rows, next) => ({ rows, search_after: next }))).toMatchObject({
    state: 'complete',
    loaded: 63,
    scans: 1,
  });
});

it('a page with an error completes no run, even if the page is empty', async () => {
  for (const rows of [[], ROWS.slice(0, 3)]) {
    service.answer = (_, response) =>
      sendJson(response, { rows, search_after: null, total_rows: rows.length, error: 'One shard timed out' });
    const opened = core.bridge.call('results.open', { connectionId, payload, columns, refresh: true });
    await expect(opened).rejects.toMatchObject({
      code: 'server-error',
      message: expect.stringContaining('“One shard timed out”'),
    });
  }
});

it.each([200, 201, 202, 204])('changes answered by %i with an empty body are done', async (status) => {
  service.answer = (_, response) => response.writeHead(status).end();
  const body = { name: 'X', domain: 'email', type: 'query', entityType: 'email', columns: [] };
  const send = (endpoint: EndpointName, input: object) =>
    core.bridge.call('service.send', { connectionId, endpoint, ...input });
  await send('manual-actions.create', {
    body: { entity_ids: ['e-1'], entity_type: 'email', data: { action: 'quarantine' } },
  });
  await send('entity.rescan', { body: { src_entity_type: 'email', entity_id: 'e-1' } });
  await send('query.delete', { params: { id: 'q' } });
  expect((await send('query.update', { params: { id: 'q' }, body })).data).toMatchObject({
    id: 'q',
    name: 'X',
  });
  const { entries } = await core.bridge.call('journal.list', { connectionId });
  expect(entries.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done', 'done']);
});

it('the figures of Home are read again after an action on a single email', async () => {
  let read = 0;
  service.answer = ({ method, url }, response) => {
    if (url?.includes('/statistics')) read += 1;
    sendJson(response, method === 'GET' ? { apps: [], as_of: '2026-11-01T00:00:00Z' } : { success: true });
  };
  const figures = () => readAll(core.bridge, { connectionId, endpoint: 'apps.statistics' });
  await figures();
  await figures();
  expect(read).toBe(1);
  await core.bridge.call('service.send', {
    connectionId,
    endpoint: 'manual-actions.create',
    body: { entity_ids: ['e-1'], entity_type: 'email', data: { action: 'quarantine' } },
  });
  await figures();
  expect(read).toBe(2);
});

it('a query saved without an id is not reported as saved', async () => {
  service.answer = (_, response) => response.writeHead(201).end();
  const body = { name: 'X', domain: 'email', type: 'query', entityType: 'email', columns: [] };
  await expect(
    core.bridge.call('service.send', { connectionId, endpoint: 'query.save', body }),
  ).rejects.toThrow(/without saying under which id/);
  const { entries } = await core.bridge.call('journal.list', { connectionId });
  expect(entries[0]).toMatchObject({ outcome: 'unknown' });
});

it.each<[EndpointName, object, string, unknown]>([
  ['logins.heat-map', { query: { module: 'mail', fail: false } }, MAP, { data: MAP }],
  ['email.headers', { query: { entity_id: 'e' } }, 'Subject: ü\r\n', { raw: 'Subject: ü\r\n' }],
  ['email.body', { query: { entity_id: 'e' } }, 'Grüße', { text: 'Grüße' }],
])('%s may be plain text', async (endpoint, input, text, data) => {
  service.answer = (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  const { snapshots, error } = await readAll(core.bridge, { connectionId, endpoint, ...input });
  expect([error, snapshots.at(-1)?.data]).toEqual([null, data]);
});

it.each<[EndpointName, object]>([
  ['logins.heat-map', { query: { module: 'mail', fail: false } }],
  ['email.headers', { query: { entity_id: 'e' } }],
  ['email.recipients', { params: { saas: 'mail' }, query: { entity_id: 'e' } }],
])('%s: any other text is an error, not an answer', async (endpoint, input) => {
  service.answer = (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('Please sign in (again)');
  const { snapshots, error } = await readAll(core.bridge, { connectionId, endpoint, ...input });
  expect((error ?? snapshots.at(-1)?.error)?.code).toBe('not-json');
});

it('a list answered by 204 is empty; 200 with an empty body is an error', async () => {
  const ask = {
    connectionId,
    endpoint: 'email.attachments',
    params: { saas: 'mail' },
    query: { entity_id: 'e' },
  } as const;
  service.answer = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end();
  expect((await readAll(core.bridge, ask)).error?.code).toBe('not-json');
  service.answer = (_, response) => response.writeHead(204).end();
  expect((await readAll(core.bridge, ask)).snapshots.at(-1)?.data).toEqual({ rows: [] });
});

it('an action on selected rows uses the service’s equality operator, never its list operator', async () => {
  const operators = [
    { id: 'in_list', label: 'in list', template: '{field} in {value}', arity: -1, list: true },
    { id: 'eq', label: 'equals', template: '{field} = {value}', arity: 1 },
  ];
  const fields = [
    { id: 'entity_id', dbId: 'id', label: 'Id', type: 'text', operators: ['in_list', 'eq'] },
    { id: 'subject', dbId: 's', label: 'Subject', type: 'text', operators: ['eq'] },
  ];
  const config = { operators, fields, columns: [], actions: [{ id: 'quarantine', label: 'Quarantine' }] };
  service.answer = (_, response, { url }) => {
    if (url.includes('/query/config')) return sendJson(response, config);
    if (url.endsWith('/action')) return void response.writeHead(202).end();
    sendJson(response, { rows: ROWS.slice(0, 3), total_rows: 3, search_after: null });
  };
  const { call } = core.bridge;
  const { id: resultId } = await call('results.open', { connectionId, payload, columns, refresh: true });
  const { id: preparedId, exact } = await call('actions.prepare', {
    resultId,
    queryId: null,
    queryLabel: 'Q',
    scope: { kind: 'selected', entityIds: ['e-0', 'e-2'] },
  });
  expect(exact).toBe(true);
  await call('actions.send', { preparedId, actionId: 'quarantine', params: {}, reason: 'r' });
  const sent = () => service.seen.find(({ url }) => url.endsWith('/action'))?.body;
  await expect.poll(sent, { timeout: 30_000 }).toBeDefined();
  expect(JSON.parse(sent() ?? '')).toMatchObject({
    condition: {
      operator: 'or',
      conditions: [
        { field: 'entity_id', operator: 'eq', values: ['e-0'] },
        { field: 'entity_id', operator: 'eq', values: ['e-2'] },
      ],
    },
  });
});

it('a query is saved in the form its service uses: a single sort, and its own field for recipients', async () => {
  const saved = {
    id: 'q',
    domain: 'email',
    name: 'Q',
    columns: [],
    sort: { dbId: 'received', direction: 'desc' },
    scheduledExport: { email_list: ['old@corp.example'], format: 'csv', frequency: 'daily', time: '07:00' },
  };
  service.answer = (_, response) => sendJson(response, saved);
  const { snapshots } = await readAll(core.bridge, {
    connectionId,
    endpoint: 'query.get',
    params: { id: 'q' },
  });
  const read = snapshots.at(-1)?.data as { scheduledExport: object };
  const body = { ...read, scheduledExport: { ...read.scheduledExport, emails: ['new@corp.example'] } };
  await core.bridge.call('service.send', {
    connectionId,
    endpoint: 'query.update',
    params: { id: 'q' },
    body,
  });
  const sent = JSON.parse(service.seen.find(({ method }) => method === 'PUT')?.body ?? '');
  expect(sent).toMatchObject({
    sort: saved.sort,
    scheduledExport: { ...saved.scheduledExport, email_list: ['new@corp.example'] },
  });
  expect(sent.scheduledExport).not.toHaveProperty('emails');
});

it('a disabled condition is not sent to the service, and is restored when the query is read', async () => {
  let saved: Record<string, unknown> = {};
  service.answer = (_, response, { method, body }) => {
    if (method === 'PUT') saved = { ...JSON.parse(body), id: 'q' };
    sendJson(response, saved);
  };
  const off = { field: 'b', operator: 'is', values: ['y'], disabled: true };
  const on = { field: 'a', operator: 'is', values: ['x'] };
  const body = {
    ...{ name: 'X', domain: 'email', type: 'query', entityType: 'email', columns: [] },
    filter: { operator: 'and', conditions: [on, off] },
  };
  const { call } = core.bridge;
  const params = { id: 'q' };
  const answer = await call('service.send', { connectionId, endpoint: 'query.update', params, body });
  expect(saved['filter']).toEqual({ operator: 'and', conditions: [on] });
  expect(answer.data).toMatchObject({ filter: body.filter });
  const { snapshots } = await readAll(core.bridge, { connectionId, endpoint: 'query.get', params });
  expect(snapshots.at(-1)?.data).toMatchObject({ filter: body.filter });
});

it('{product} is derived from the tenant’s tools unless it is set', async () => {
  const tools = ['checkpoint_te', 'ap_acme', 'acme_url'].map((name) => ({ name, state: 'enabled' }));
  service.answer = (_, response, { url }) =>
    sendJson(response, { rows: url.endsWith('/sec_entities') ? tools : [] });
  const { call } = core.bridge;
  const product = async (id: string) => {
    const { connections } = await call('connections.list', {});
    return connections.find((connection) => connection.id === id)?.product;
  };
  await call('connections.activate', { id: connectionId });
  await expect.poll(() => product(connectionId), { timeout: 30_000 }).toBe('acme');
  const settings = { ...tenantSettings(service.base), product: 'other' };
  const other = await call('connections.save', { id: null, settings, credential: null, grantId: null });
  await call('connections.activate', { id: other.id });
  await expect
    .poll(async () => (await call('connections.list', {})).state.phase, { timeout: 30_000 })
    .toBe('online');
  expect(await product(other.id)).toBe('other');
});

const JSON_OF = (body: string) => JSON.parse(body || '{}') as Record<string, unknown>;
const FIELD = { id: 'subject', dbId: 'subject', type: 'string', operators: ['is'] };
const CONFIG = {
  operators: [{ id: 'is', label: 'is', arity: 1 }],
  fields: [FIELD],
  columns: [{ id: 'subject', label: 'Subject', order: 0 }],
  conditions: [],
  actions: [
    { id: 'quarantine', label: 'Quarantine' },
    { id: 'tag', label: 'Tag' },
  ],
};
const ROWS_HERE = ROWS.slice(0, 3).map(({ entity_id: entityId, subject }) => ({ entityId, subject }));

async function openRows(config: object = CONFIG) {
  service.answer = (_, response, { url, body }) => {
    if (url.includes('/query/config')) return sendJson(response, config);
    if (url.includes('/query/execute'))
      return sendJson(response, { rows: ROWS_HERE, search_after: null, total_rows: 3, asked: JSON_OF(body) });
    return sendJson(response, { success: true });
  };
  return core.bridge.call('results.open', { connectionId, payload, columns, refresh: true });
}

const prepare = (resultId: string, entityIds: string[]) =>
  core.bridge.call('actions.prepare', {
    resultId,
    queryId: null,
    queryLabel: 'X',
    scope: { kind: 'selected', entityIds },
  });

it('rows with a differently spelled entity id field have their ids', async () => {
  const set = await openRows();
  const { rows } = await core.bridge.call('results.page', { resultId: set.id, start: 0, end: 3 });
  expect(rows.map(([id]) => id)).toEqual(['e-0', 'e-1', 'e-2']);
});

it('selected rows are sent to manual_actions if no field has their ids', async () => {
  const set = await openRows();
  const prepared = await prepare(set.id, ['e-0', 'e-2']);
  expect(prepared).toMatchObject({ count: 2, exact: true });
  const { job, journalId } = await core.bridge.call('actions.send', {
    preparedId: prepared.id,
    actionId: 'quarantine',
    params: {},
    reason: 'Phish',
  });
  const state = async () =>
    (await core.bridge.call('jobs.list', {})).jobs.find(({ id }) => id === job.id)?.state;
  await expect.poll(state).toBe('done');
  const sent = service.seen.filter(({ method, url }) => method === 'POST' && !url.includes('/query/execute'));
  expect(sent.map(({ url, body }) => [url, JSON_OF(body)])).toEqual([
    [
      '/api/v1/manual_actions',
      {
        entity_ids: ['e-0', 'e-2'],
        entity_type: 'email',
        data: { action: 'quarantine', reason: 'Phish' },
        date_trigger: null,
      },
    ],
  ]);
  const { targets } = await core.bridge.call('actions.targets', { journalId, start: 0, end: 9 });
  expect(targets.map(({ entityId, state: outcome }) => [entityId, outcome])).toEqual([
    ['e-0', 'done'],
    ['e-2', 'done'],
  ]);
});

it('selected rows of a type that manual_actions does not support are refused with the reason', async () => {
  await openRows();
  const set = await core.bridge.call('results.open', {
    connectionId,
    payload: { ...payload, query_domain: 'user' },
    columns,
    refresh: true,
  });
  await expect(prepare(set.id, ['e-0'])).rejects.toThrow(/not on selected rows/);
});

it('an action that manual_actions may not support is refused for selected rows with the reason', async () => {
  const set = await openRows();
  const { id } = await prepare(set.id, ['e-0']);
  const send = core.bridge.call('actions.send', { preparedId: id, actionId: 'tag', params: {}, reason: 'x' });
  await expect(send).rejects.toThrow(/not on selected rows\. Select all matching rows/);
  expect(service.seen.some(({ url }) => url.includes('/action'))).toBe(false);
});

it('a field for entity ids is recognised in the config', async () => {
  const field = { ...FIELD, id: 'entityId', dbId: 'entityId' };
  const set = await openRows({ ...CONFIG, fields: [FIELD, field] });
  const { id } = await prepare(set.id, ['e-1']);
  await core.bridge.call('actions.send', { preparedId: id, actionId: 'tag', params: {}, reason: 'x' });
  const sent = () => service.seen.find(({ url }) => url.endsWith('/action'));
  await expect.poll(sent).toBeDefined();
  expect(JSON_OF(sent()?.body ?? '')).toMatchObject({
    condition: { operator: 'or', conditions: [{ field: 'entityId', operator: 'is', values: ['e-1'] }] },
  });
});

describe('a service that lists queries by subtype', () => {
  const query = (id: string) => ({ id, name: id, domain: 'email' });
  const list = async () => {
    const { snapshots, error } = await readAll(core.bridge, {
      connectionId,
      endpoint: 'query.list',
      query: {},
      refresh: true,
    });
    if (error) throw error;
    return snapshots.at(-1)?.data as { queries: { id: string; subType?: string }[]; unlisted?: string[] };
  };
  const answer = (bySubtype: (subtype: string | null) => [body: unknown, status?: number]) => {
    service.answer = (_, response, { url }) =>
      sendJson(response, ...bySubtype(new URL(url, 'http://x').searchParams.get('subtype')));
  };

  it('gets a request per subtype, and its reports are in the library', async () => {
    answer((subtype) => [{ queries: subtype === null ? [query('plain')] : [query(`a ${subtype}`)] }]);
    expect((await list()).queries.map(({ id, subType }) => [id, subType ?? null])).toEqual([
      ['plain', null],
      ['a report', 'report'],
      ['a analytics', 'analytics'],
      ['a template', 'template'],
    ]);
  });

  it('that ignores the subtype has each query once', async () => {
    answer(() => [{ queries: [query('plain'), { ...query('r'), subType: 'report' }] }]);
    expect((await list()).queries.map(({ id }) => id)).toEqual(['plain', 'r']);
    const lists = service.seen.filter(({ url }) => url.includes('/query'));
    const subtypes = lists.map(({ url }) => new URL(url, 'http://x').searchParams.get('subtype'));
    expect(subtypes).toEqual([null, 'analytics', 'template']);
  });

  it('that fails for a subtype is reported with the subtype', async () => {
    answer((subtype) =>
      subtype === 'template' ? [{}, 404] : subtype === 'report' ? [{}, 500] : [{ queries: [] }],
    );
    expect(await list()).toMatchObject({ queries: [], unlisted: ['report'] });
  });
});

describe('an entity whose row names no app', () => {
  const read = async (endpoint: EndpointName) => {
    const { snapshots, error } = await readAll(core.bridge, {
      connectionId,
      endpoint,
      params: { saas: 'all' },
      query: { entity_id: 'e-1' },
      refresh: true,
    });
    if (error) throw error;
    return snapshots.at(-1)?.data;
  };
  const APPS = { rows: ['drive', 'mail'].map((name) => ({ name, state: 'enabled', is_saas: true })) };
  /** `entity`: the response of entity/{type}/{id}. */
  const answer = (entity: object | null, elsewhere: object | null) => {
    service.answer = (_, response, { url }) => {
      if (url.includes('/sql_queries/mail/entity')) return sendJson(response, { subject: 'Hello' });
      if (url.includes('/sql_queries/mail/')) return sendJson(response, { rows: [{ email: 'a@b.example' }] });
      if (url.includes('/sql_queries/') && elsewhere !== null) return sendJson(response, elsewhere);
      if (url.includes('/entity/email/') && entity !== null) return sendJson(response, entity);
      if (url.includes('/apps/sec_entities')) return sendJson(response, APPS);
      return sendJson(response, { error: 'No such path' }, 404);
    };
  };

  it.each<[string, object | null]>([
    ['the entity', { id: 'e-1', saas: 'mail' }],
    ['the first app that has it', null],
  ])('is found in the app of %s', async (_, entity) => {
    answer(entity, null);
    expect(await read('email.profile')).toMatchObject({ subject: 'Hello', saas: 'mail' });
    service.seen.length = 0;
    expect(await read('email.recipients')).toMatchObject({ rows: [{ email: 'a@b.example' }] });
    expect(service.seen.map(({ url }) => url.split('?')[0])).toEqual([
      '/api/v1/sql_queries/mail/email_recipients',
    ]);
  });

  it('has its lists, as they are requested from its app', async () => {
    answer({ id: 'e-1', saas: 'mail' }, { rows: [] });
    expect(await read('email.recipients')).toMatchObject({ rows: [{ email: 'a@b.example' }] });
  });

  it('that no app knows is not found', async () => {
    answer(null, null);
    service.answer = (_, response) => sendJson(response, { error: 'No such path' }, 404);
    await expect(read('email.profile')).rejects.toMatchObject({ code: 'not-found' });
  });
});
