import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServiceApp } from '#service/app.ts';
import { generate } from '#service/demo/generate.ts';
import { openDemo } from '#service/demo/open-demo.ts';
import { demoSource } from '#service/demo/source.ts';
import { servedNames } from '#service/routes/index.ts';
import { type Listening, listen } from '#service/server.ts';
import { openStore, type SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import { type EndpointName, endpointNames, endpointOf } from '#shared/api/catalogue.ts';
import { pathOf, searchOf } from '#shared/api/path.ts';
import type { Query, QueryConfig, QueryResult, Row } from '#shared/model/entities.ts';
import { type Condition, type ConditionGroup, isGroup } from '#shared/query/tree.ts';
import { validate } from '#shared/query/validate.ts';

const TOKEN = 'a-token-for-the-tests';
const ANCHOR = Date.UTC(2026, 10, 19, 8);
let now = ANCHOR + 60_000;
let store: SqliteStore;
let server: Listening;
let origin = '';

beforeAll(async () => {
  store = openStore({ path: ':memory:' }, demoSource);
  await generate(store, { emails: 1_200, seed: 5, anchor: ANCHOR });
  server = await listen(createServiceApp(store, { token: TOKEN, now: () => now, caller: 'tester' }), 0);
  origin = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server.close();
  store.close();
});

interface Call {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
}

async function raw(
  name: EndpointName,
  { params = {}, query = {}, body, headers = {} }: Call = {},
): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${origin}${pathOf(name, params)}${searchOf(query)}`, {
    method: endpointOf(name).method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
}

/** The answer, validated by the catalogue's schema. */
async function call<T>(name: EndpointName, options: Call = {}): Promise<T> {
  const response = await raw(name, options);
  const answer: unknown = await response.json();
  expect([name, response.status, response.status === 200 ? null : answer]).toEqual([name, 200, null]);
  return endpointOf(name).response.parse(answer) as T;
}

async function refused(name: EndpointName, options: Call): Promise<[number, unknown]> {
  const response = await raw(name, options);
  return [response.status, await response.json()];
}

const payload = (more: Partial<ExecutePayload> = {}): ExecutePayload => ({
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: 'email',
  condition: { operator: 'and', conditions: [] },
  columns: [],
  sort_by: [],
  size: 25,
  include_copies: false,
  count_only: false,
  ...more,
});
const execute = (more: Partial<ExecutePayload> = {}) =>
  call<QueryResult>('query.execute', { body: payload(more) });

async function everything(more: Partial<ExecutePayload>): Promise<Row[]> {
  const rows: Row[] = [];
  let after: QueryResult['search_after'] = null;
  do {
    const page: QueryResult = await execute({ size: 500, ...more, search_after: after ?? null });
    rows.push(...page.rows);
    after = page.search_after ?? null;
  } while (after !== null);
  return rows;
}

describe('authentication', () => {
  it('accepts the right token only', async () => {
    for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`]) {
      const response = await raw('apps.list', { headers: { authorization } });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: 'The token is missing or wrong' });
    }
  });

  it('names a call that it does not serve', async () => {
    const params = { id: 'x', saas: 'x', type: 'x', product: 'x', hash: 'x', token: 'x' };
    for (const name of endpointNames.filter(
      (name) => !servedNames.includes(name) && name !== 'entity.signed-link',
    )) {
      const [status, body] = await refused(name, { params });
      expect([status, body]).toMatchObject([501, { call: name }]);
    }
    const single = await fetch(`${origin}/api/v1/policies/policies_catalog/x/send_result`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(single.status).toBe(404);
    expect(await single.json()).toMatchObject({ field: 'id' });
  });

  it('returns JSON for what does not exist and for other methods', async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const none = await fetch(`${origin}/api/v1/none`, { headers });
    expect([none.status, await none.json()]).toEqual([404, { error: 'No such call' }]);
    const other = await fetch(`${origin}/api/v1/query/execute`, { method: 'PATCH', headers });
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'DELETE, GET, POST, PUT']);
  });

  it('compresses long answers on request', async () => {
    const send = (accept: string) => raw('query.list', { headers: { 'accept-encoding': accept } });
    const packed = await send('gzip');
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.json()).toEqual(await (await send('identity')).json());
  });

  it.each<[string, EndpointName, Call, number, string]>([
    ['a body that is not an object', 'query.execute', { body: 3 }, 400, 'body'],
    [
      'a missing field',
      'query.execute',
      { body: { ...payload(), query_domain: undefined } },
      400,
      'query_domain',
    ],
    ['a page that is too large', 'query.execute', { body: payload({ size: 10_001 }) }, 400, 'size'],
    ['an unknown domain', 'query.execute', { body: payload({ query_domain: 'fax' }) }, 400, 'query_domain'],
    ['an unknown app', 'query.execute', { body: payload({ saas_id: 'exch_onprem' }) }, 400, 'saas_id'],
    ['an unknown column', 'query.execute', { body: payload({ columns: ['nope'] }) }, 400, 'columns'],
    [
      'an unknown sort',
      'query.execute',
      { body: payload({ sort_by: [{ dbId: 'stack', direction: 'asc' }] }) },
      400,
      'sort_by',
    ],
    [
      'a field of another domain',
      'query.execute',
      {
        body: payload({
          condition: { operator: 'and', conditions: [{ field: 'owner', operator: 'is', values: ['x'] }] },
        }),
      },
      400,
      'condition.conditions.0',
    ],
    ['a made-up cursor', 'query.execute', { body: payload({ search_after: 'e30' }) }, 400, 'search_after'],
    ['a missing parameter', 'email.profile', { params: { saas: 'x' } }, 400, 'entity_id'],
    [
      'an unknown email',
      'email.profile',
      { params: { saas: 'all' }, query: { entity_id: 'none' } },
      404,
      'entity_id',
    ],
    ['an unknown window', 'apps.statistics', { query: { window: '1y' } }, 400, 'window'],
    ['an unknown query', 'query.get', { params: { id: 'none' } }, 404, 'id'],
    [
      'a query without a name',
      'query.save',
      { body: { type: 'query', domain: 'email', entityType: 'email', name: ' ', columns: [] } },
      400,
      'name',
    ],
  ])('refuses %s', async (_, name, options, status, field) => {
    expect(await refused(name, options)).toMatchObject([status, { error: expect.any(String), field }]);
  });

  it('refuses deep and huge bodies before parsing them', async () => {
    const send = (body: string) =>
      fetch(`${origin}/api/v1/query/execute`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${TOKEN}` },
      });
    const deep = await send(`${'{"conditions":['.repeat(20_000)}${']}'.repeat(20_000)}`);
    expect([deep.status, await deep.json()]).toEqual([
      400,
      { error: 'The body nests too deep', field: 'body' },
    ]);
    expect((await send('{"a":')).status).toBe(400);
    expect((await send(' '.repeat(9 * 1024 * 1024))).status).toBe(413);
  });
});

describe('query/execute', () => {
  it('[spec 7] pages through everything once, in every sortable order, by message and by copy', async () => {
    const config = await call<QueryConfig>('query.config', {
      query: { saas_id: 'all', query_domain: 'email' },
    });
    const sortable = config.fields.filter(({ sortable: can }) => can);
    expect(sortable.length).toBeGreaterThan(20);
    for (const { id, dbId } of sortable)
      for (const direction of ['asc', 'desc'] as const) {
        const rows = await everything({ columns: [id], sort_by: [{ dbId, direction }], size: 400 });
        expect([dbId, direction, rows.length, new Set(rows.map((row) => row['entity_id'])).size]).toEqual([
          dbId,
          direction,
          1_200,
          1_200,
        ]);
      }
    const mixed = await everything({
      sort_by: [
        { dbId: 'department', direction: 'asc' },
        { dbId: 'clicks', direction: 'desc' },
      ],
      size: 97,
    });
    expect(new Set(mixed.map((row) => row['entity_id'])).size).toBe(1_200);
    const copies = await everything({ include_copies: true, size: 333 });
    const expected = Number(store.db.prepare('SELECT count(*) FROM recipients').pluck().get());
    expect([copies.length, new Set(copies.map((row) => row['entity_id'])).size]).toEqual([
      expected,
      expected,
    ]);
  }, 90_000);

  it('returns exact totals, and the count alone', async () => {
    const condition: ConditionGroup = {
      operator: 'and',
      conditions: [{ field: 'verdict', operator: 'is', values: ['found'] }],
    };
    const rows = await everything({ condition });
    expect(rows.length).toBeGreaterThan(10);
    const count = await execute({ condition, count_only: true });
    expect(count).toEqual({ rows: [], search_after: null, total_rows: rows.length });
    const page = await execute({ condition, size: 5 });
    expect([page.rows.length, page.total_rows]).toEqual([5, rows.length]);
    expect(
      (await execute({ saas_id: 'google_mail' })).total_rows +
        (await execute({ saas_id: 'office365_emails' })).total_rows,
    ).toBe(1_200);
  });

  it('keeps a cursor for a minute and for its own query', async () => {
    const first = await execute();
    const again = (more: Partial<ExecutePayload> = {}) =>
      refused('query.execute', { body: payload({ search_after: first.search_after ?? null, ...more }) });
    now += 60_000;
    expect((await again())[0]).toBe(200);
    expect(await again({ saas_id: 'google_mail' })).toMatchObject([400, { field: 'search_after' }]);
    now += 1;
    expect(await again()).toEqual([410, { error: 'cursor expired', field: 'search_after' }]);
    now = ANCHOR + 60_000;
  });

  it('answers every saved query of every domain, or says what is wrong with it', async () => {
    const { queries } = await call<{ queries: Query[] }>('query.list');
    for (const query of queries) {
      const body = payload({
        query_domain: query.domain,
        saas_id: query.saas ?? 'all',
        query_entity_type: query.entityType,
        condition: query.filter ?? { operator: 'and', conditions: [] },
        columns: query.columns.map(({ id }) => id),
        sort_by: query.sort ?? [],
      });
      if (query.saas === 'exch_onprem') expect((await refused('query.execute', { body }))[0]).toBe(400);
      else {
        const config = await call<QueryConfig>('query.config', {
          query: { saas_id: query.saas ?? 'all', query_domain: query.domain },
        });
        expect([query.name, validate(body.condition, config)]).toEqual([query.name, []]);
        // A column that the config no longer has is not requested.
        const ids = new Set(config.fields.map(({ id }) => id));
        const columns = body.columns.filter((id) => ids.has(id));
        const response = await raw('query.execute', { body: { ...body, columns } });
        expect([query.name, response.status]).toEqual([query.name, 200]);
      }
    }
  });

  it('agrees with a plain evaluation of the rows over random trees', async () => {
    const columns = [
      'received',
      'subject',
      'from_domain',
      'verdict',
      'clicks',
      'size',
      'is_read',
      'attachment_sha256',
      'client_ip',
      'department',
    ];
    const rows = await everything({ columns });
    let seed = 42;
    const dice = (n: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * n);
    };
    const some = (id: string) => rows[dice(rows.length)]?.[id] ?? null;
    for (let i = 0; i < 150; i += 1) {
      const condition = randomGroup(3, dice, some);
      const matching = await everything({ condition, columns: ['size'] });
      const expected = rows.filter((row) => holds(condition, row)).map((row) => row['entity_id']);
      expect([condition, matching.map((row) => row['entity_id'])]).toEqual([condition, expected]);
    }
  }, 90_000);
});

type Dice = (n: number) => number;

function randomGroup(depth: number, dice: Dice, some: (id: string) => unknown): ConditionGroup {
  const conditions = Array.from({ length: dice(4) }, () =>
    depth > 0 && dice(3) === 0 ? randomGroup(depth - 1, dice, some) : randomCondition(dice, some),
  );
  return {
    operator: dice(2) === 0 ? 'and' : 'or',
    conditions,
    ...(dice(4) === 0 ? { negate: true } : {}),
    ...(dice(10) === 0 ? { disabled: true } : {}),
  };
}

function randomCondition(dice: Dice, some: (id: string) => unknown): Condition {
  const text = (id: string, fallback: string) =>
    (typeof some(id) === 'string' ? String(some(id) ?? fallback) : fallback) || fallback;
  const hash = some('attachment_sha256');
  const options: Condition[] = [
    { field: 'verdict', operator: 'in_list', values: ['found', 'spam'].slice(dice(2)) },
    { field: 'verdict', operator: 'is_not', values: ['clean'] },
    { field: 'from_domain', operator: 'is', values: [text('from_domain', 'x.example')] },
    {
      field: 'subject',
      operator: 'contains_text',
      values: [text('subject', 'e').slice(0, 1 + dice(4)) || 'e'],
    },
    { field: 'subject', operator: 'is_empty', values: [] },
    {
      field: 'size',
      operator: dice(2) === 0 ? 'greater_than' : 'less_than',
      values: [Number(some('size') ?? 0)],
    },
    { field: 'clicks', operator: 'is', values: [dice(2)] },
    { field: 'is_read', operator: dice(2) === 0 ? 'is_true' : 'is_false', values: [] },
    {
      field: 'received',
      operator: dice(2) === 0 ? 'before' : 'after',
      values: [text('received', '2026-11-01')],
    },
    {
      field: 'attachment_sha256',
      operator: dice(2) === 0 ? 'is' : 'is_not',
      values: [Array.isArray(hash) && typeof hash[0] === 'string' ? hash[0] : 'a'],
    },
    { field: 'attachment_sha256', operator: 'is_empty', values: [] },
    { field: 'department', operator: 'not_contains', values: ['n'] },
    { field: 'client_ip', operator: 'in_network', values: ['203.0.113.0/24'] },
  ];
  return options[dice(options.length)] ?? { field: 'subject', operator: 'is_empty', values: [] };
}

/** Evaluates a condition without SQL. null: all conditions of the group are disabled. */
function holds(group: ConditionGroup, row: Row): boolean {
  const outcomes = group.conditions.flatMap((node) => {
    if (node.disabled) return [];
    if (!isGroup(node)) return [fulfils(node, row)];
    return hasConditions(node) ? [holds(node, row)] : [];
  });
  if (outcomes.length === 0) return true;
  const result = group.operator === 'and' ? outcomes.every(Boolean) : outcomes.some(Boolean);
  return group.negate ? !result : result;
}

const hasConditions = (group: ConditionGroup): boolean =>
  group.conditions.some((node) => !node.disabled && (!isGroup(node) || hasConditions(node)));

function fulfils({ field, operator, values }: Condition, row: Row): boolean {
  const cell = row[field] ?? null;
  const text = typeof cell === 'string' ? cell.normalize('NFC').toLowerCase() : '';
  const value = typeof values[0] === 'string' ? values[0].normalize('NFC').toLowerCase() : values[0];
  switch (operator) {
    case 'is':
      return Array.isArray(cell)
        ? cell.includes(value ?? null)
        : typeof cell === 'string'
          ? text === value
          : cell === value;
    case 'is_not':
      return Array.isArray(cell) ? !cell.includes(value ?? null) : text !== value;
    case 'in_list':
      return values.includes(text);
    case 'contains_text':
      return text.includes(String(value));
    case 'not_contains':
      return !text.includes(String(value));
    case 'is_empty':
      return Array.isArray(cell) ? cell.length === 0 : text === '';
    case 'greater_than':
      return Number(cell) > Number(value);
    case 'less_than':
      return Number(cell) < Number(value);
    case 'is_true':
      return cell === true;
    case 'is_false':
      return cell !== true;
    case 'before':
      return Date.parse(String(cell)) < Date.parse(String(values[0]));
    case 'after':
      return Date.parse(String(cell)) > Date.parse(String(values[0]));
    case 'in_network':
      return text.startsWith('203.0.113.');
    default:
      throw new Error(`The oracle does not know ${operator}`);
  }
}

describe('saved queries', () => {
  const draft = {
    type: 'query',
    domain: 'email',
    entityType: 'email',
    name: 'Mine',
    columns: [],
    filter: { operator: 'and', conditions: [] },
    futureField: { kept: true },
  };

  it('[spec 3] saves, replaces and deletes, and keeps unknown fields', async () => {
    const saved = await call<Query>('query.save', {
      body: {
        ...draft,
        scheduledExport: {
          emails: ['soc@aldermoor.example'],
          format: 'csv',
          frequency: 'daily',
          time: '06:00',
          password: 'secret-word',
        },
      },
    });
    expect(saved).toMatchObject({
      name: 'Mine',
      createdBy: 'tester',
      futureField: { kept: true },
      scheduledExport: { has_password: true },
    });
    const params = { id: saved.id };
    expect(JSON.stringify(await call<Query>('query.get', { params }))).not.toContain('secret-word');
    const changed = await call<Query>('query.update', { params, body: { ...saved, name: 'Yours' } });
    expect(changed).toMatchObject({
      id: saved.id,
      name: 'Yours',
      createTime: saved.createTime,
      scheduledExport: { has_password: true },
    });
    expect(await call('query.delete', { params })).toEqual({ success: true });
    expect((await refused('query.delete', { params }))[0]).toBe(404);
  });

  it('[spec 7] lists by subtype and entity', async () => {
    const list = async (query: Record<string, string>) =>
      (await call<{ queries: Query[] }>('query.list', { query })).queries;
    const all = await list({});
    expect(await list({ subtype: 'report' })).toEqual(all.filter(({ subType }) => subType === 'report'));
    expect(await list({ entity: 'file' })).toEqual(all.filter(({ entityType }) => entityType === 'file'));
    expect(await list({ subtype: 'nothing' })).toEqual([]);
  });

  const upload = (text: string) => {
    const form = new FormData();
    form.append('file', new Blob([text]), 'queries.json');
    return form;
  };

  it('exports a file that can be imported again', async () => {
    const { queries } = await call<{ queries: Query[] }>('query.list');
    const ids = queries.slice(0, 3).map(({ id }) => id);
    const response = await raw('query.export', { body: { ids } });
    expect(response.headers.get('content-disposition')).toContain('queries.json');
    const text = await response.text();
    const outcome = await call<{ imported: string[]; error: string[] }>('query.import', {
      body: upload(text),
    });
    expect(outcome).toEqual({
      imported: queries.slice(0, 3).map(({ name }) => `${name} (2)`),
      error: [],
      failed: [],
    });
    expect((await refused('query.export', { body: { ids: ['none'] } }))[0]).toBe(404);
  });

  it('[spec 4, spec 5, spec 8, spec 9] names the queries of a file that fail, and imports the others', async () => {
    const file = {
      kind: 'parapet-queries',
      version: 1,
      queries: [
        { ...draft, name: 'Good' },
        { ...draft, name: 'Good' },
        { name: 'No columns' },
        7,
        { ...draft, name: 'Fax', domain: 'fax' },
      ],
    };
    expect(await call('query.import', { body: upload(JSON.stringify(file)) })).toEqual({
      imported: ['Good', 'Good (2)'],
      error: ['No columns', 'Query 4 of the file', 'Fax'],
      failed: [
        { label: 'No columns', reason: expect.stringContaining('type') },
        { label: 'Query 4 of the file', reason: expect.any(String) },
        { label: 'Fax', reason: 'Unknown domain: fax' },
      ],
    });
  });

  it.each([
    ['{', 'file'],
    ['[]', 'file'],
    ['null', 'file'],
    ['{"kind":"parapet-queries","version":2,"queries":[]}', 'version'],
    [`{"kind":"parapet-queries","version":1,"queries":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'file'],
  ])('refuses the file %.40s', async (text, field) => {
    expect(await refused('query.import', { body: upload(text) })).toMatchObject([400, { field }]);
  });
});

describe('emails and apps', () => {
  const reads: EndpointName[] = [
    'email.profile',
    'email.recipients',
    'email.attachments',
    'email.conversation',
    'email.splits',
    'email.headers',
    'email.body',
    'scan.details',
    'scan.clicks',
    'entity.props',
  ];

  it('returns every part of many emails in the shape of the catalogue', async () => {
    const { rows } = await execute({
      size: 60,
      sort_by: [{ dbId: 'verdict', direction: 'asc' }],
      columns: ['verdict', 'stack', 'attachments_count'],
    });
    for (const row of rows) {
      const query = { entity_id: row['entity_id'] };
      for (const name of reads) await call(name, { params: { saas: 'all' }, query });
      const profile = await call<{ verdict: string; subject: string }>('email.profile', {
        params: { saas: 'all' },
        query,
      });
      expect(profile.verdict).toBe(row['verdict']);
      const attachments = await call<{ rows: unknown[] }>('email.attachments', {
        params: { saas: 'all' },
        query,
      });
      expect(attachments.rows).toHaveLength(Number(row['attachments_count']));
      const scans = await call<{ rows: { tool: string; applicable: boolean }[] }>('scan.details', { query });
      expect(scans.rows).toHaveLength(17);
      const stack = (row['stack'] as string[])
        .filter((entry) => !entry.endsWith(':hidden'))
        .map((entry) => entry.split(':')[0]);
      expect(scans.rows.filter(({ applicable }) => applicable).map(({ tool }) => tool)).toEqual(stack);
      await call('email.similar-count', {
        params: { type: 'email', id: row['entity_id'] },
        query: { mode: 'attachment' },
      });
    }
  });

  it('finds an email by the id of a delivered copy', async () => {
    const { rows } = await execute({ include_copies: true, size: 1 });
    const id = String(rows[0]?.['entity_id']);
    const profile = await call<{ entity_id: string }>('email.profile', {
      params: { saas: 'all' },
      query: { entity_id: id },
    });
    expect(id.startsWith(`${profile.entity_id}.`)).toBe(true);
  });

  it.each(['24h', '7d', '30d'])('[spec 7] counts the window %s from the data', async (window) => {
    const answer = await call<{
      from: string;
      to: string;
      apps: { name: string; scanned: number; not_scanned: number; series?: { scanned: number }[] }[];
    }>('apps.statistics', { query: { window } });
    const { total_rows } = await execute({
      saas_id: 'office365_emails',
      count_only: true,
      condition: {
        operator: 'and',
        conditions: [{ field: 'received', operator: 'after', values: [answer.from] }],
      },
    });
    const mail = answer.apps.find(({ name }) => name === 'office365_emails');
    expect((mail?.scanned ?? 0) + (mail?.not_scanned ?? 0)).toBe(total_rows);
    expect(mail?.series?.reduce((sum, { scanned }) => sum + scanned, 0)).toBe(mail?.scanned);
    expect(mail?.series).toHaveLength(window === '24h' ? 24 : window === '7d' ? 7 : 30);
    const days = window === '24h' ? 1 : Number.parseInt(window, 10);
    expect(Date.parse(answer.to) - Date.parse(answer.from)).toBe(days * 86_400_000);
  });

  it('[spec 3, spec 7] lists 17 tools and the apps', async () => {
    const { rows } = await call<{ rows: { is_saas: boolean }[] }>('apps.list');
    expect([
      rows.filter(({ is_saas }) => !is_saas).length,
      rows.filter(({ is_saas }) => is_saas).length,
    ]).toEqual([17, 7]);
  });
});

describe('the database of the demo tenant', () => {
  it('is opened again unchanged, and recreated when it is damaged or of another size', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-test-'));
    const file = path.join(folder, 'demo.sqlite');
    const options = { path: file, key: null, seed: 1, now: ANCHOR };
    const emails = (opened: SqliteStore) => {
      const count = Number(opened.db.prepare('SELECT count(*) FROM emails').pluck().get());
      const name = String(
        opened.db.prepare("SELECT coalesce(max(name), '') FROM queries WHERE name = 'Kept'").pluck().get(),
      );
      opened.close();
      return [count, name];
    };
    // All threads use the same link key: a reader accepts a link of the writer.
    const linkKey = Buffer.alloc(32, 9);
    for (const way of ['generated', 'opened again']) {
      const { store: opened } = await openDemo({ ...options, emails: 60, linkKey });
      expect(opened.linkKey, way).toBe(linkKey);
      opened.close();
    }
    const { store: first } = await openDemo({ ...options, emails: 60 });
    first.db.prepare("UPDATE queries SET name = 'Kept' WHERE position = 0").run();
    first.close();
    expect(emails((await openDemo({ ...options, emails: 60 })).store)).toEqual([60, 'Kept']);
    expect(emails((await openDemo({ ...options, emails: 70 })).store)).toEqual([70, '']);
    writeFileSync(file, Buffer.alloc(8192, 7));
    expect(emails((await openDemo({ ...options, emails: 70 })).store)).toEqual([70, '']);
    rmSync(folder, { recursive: true });
  });
});
