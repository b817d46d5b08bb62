/**
 * Indicators of rows and profiles over a real service: the same however the rows were chosen, and whatever their
 * number.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PROFILES_MOST } from '#main/indicators/collect.ts';
import { createServiceApp } from '#service/app.ts';
import { generate } from '#service/demo/generate.ts';
import { demoSource } from '#service/demo/source.ts';
import { type Listening, listen } from '#service/server.ts';
import { searchExceptions } from '#service/store-sqlite/exceptions.ts';
import { openStore, type SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { IndicatorSourceRef, OutputOf, ResultSet } from '#shared/bridge/operations.ts';
import { ruleOf } from '#shared/exceptions/rule.ts';
import { AllowLists } from '#shared/model/indicators.ts';
import { canonicalTool } from '#shared/model/white-label.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { addTenant, type Core, startCore, temporaryProfile } from '../support/core.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
const EMAILS = 300;
const profile = temporaryProfile();
let store: SqliteStore;
let server: Listening;
let core: Core;
let connectionId: string;
let all: ResultSet;
/** Row counts requested by each search for exceptions of every tool. */
const impacts: number[] = [];
/** Maximum rows per page that the service returns; null: as many as requested. */
let most: number | null = null;
/** Emails that the service no longer returns. */
let gone: ReadonlySet<string> = new Set();
/** The service lists no counts of exceptions by tool. */
let noCounts = false;
/** The service returns exceptions of both lists, whichever is requested. */
let bothLists = false;
/** The service counts more attachments than it lists. */
let isShort = false;

beforeAll(async () => {
  store = openStore({ path: ':memory:' }, demoSource);
  await generate(store, { emails: EMAILS, seed: 3, anchor: ANCHOR });
  const app = createServiceApp(store, { token: 't', now: () => ANCHOR, caller: 'tester' });
  const answer = app.fetch;
  app.fetch = async (request, ...rest) => {
    if (request.url.endsWith('/exception_search2')) {
      const { size } = (await request.clone().json()) as { size: number };
      impacts.push(size);
    }
    const body: unknown = request.method === 'POST' ? await request.clone().json() : null;
    const size = body !== null && typeof body === 'object' && 'size' in body ? Number(body.size) : 0;
    const others = {
      ...(most === null || size <= most ? {} : { size: most }),
      ...(bothLists && request.url.includes('/exception_search') ? { type: undefined } : {}),
    };
    const changed =
      Object.keys(others).length === 0
        ? request
        : new Request(request, { body: JSON.stringify({ ...(body as object), ...others }) });
    const response = await answer(changed, ...rest);
    if (isShort && new URL(request.url).pathname.endsWith('/email_attachments'))
      return Response.json({ ...((await response.json()) as object), total_rows: 1_000 });
    if (noCounts && request.url.endsWith('/exception_search2'))
      return Response.json({ ...((await response.json()) as object), counts: [] });
    if (gone.size === 0 || !request.url.endsWith('/query/execute')) return response;
    const page = (await response.json()) as { rows: { entity_id: string }[] };
    return Response.json({ ...page, rows: page.rows.filter(({ entity_id }) => !gone.has(entity_id)) });
  };
  server = await listen(app, 0);
  core = await startCore({ profile: profile.path });
  ({ id: connectionId } = await addTenant(core.bridge, `http://127.0.0.1:${server.port}`, 't'));
  await core.bridge.call('connections.activate', { id: connectionId });
  all = await open();
});
afterAll(async () => {
  await core.stop();
  await server.close();
  store.close();
  profile.remove();
});

/** The newest emails in full; or only their subjects, as in a narrow grid. */
async function open(connection = connectionId): Promise<ResultSet> {
  const opened = await core.bridge.call('results.open', {
    connectionId: connection,
    payload: {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition: emptyGroup(),
      columns: ['subject', 'saas'],
      sort_by: [],
      include_copies: false,
    },
    columns: ['subject', 'saas'].map((id) => ({ id, label: id, type: 'text', multiValues: false })),
    refresh: false,
  });
  await vi.waitFor(
    async () =>
      expect((await core.bridge.call('results.get', { resultId: opened.id }))?.state).toBe('complete'),
    { timeout: 20_000 },
  );
  return opened;
}

type Collected = OutputOf<'indicators.collect'>;
const collect = (source: IndicatorSourceRef, connection = connectionId): Promise<Collected> =>
  core.bridge.call('indicators.collect', { connectionId: connection, source });
const lines = async ({ collectionId, groups }: Collected): Promise<string[]> => {
  const { text } = await core.bridge.call('indicators.text', {
    collectionId,
    types: groups.map(({ type }) => type),
    own: true,
    allowed: true,
    form: 'raw',
    format: 'typed',
  });
  return text.split('\n').sort();
};
const idsOf = (sql: string) => store.db.prepare(sql).pluck().all() as string[];

it('rows yield what their profiles have: reply-to, IPs, links, hashes, and no pictures of bodies', async () => {
  const [entityId = ''] = idsOf(
    `SELECT e.entity_id FROM emails e JOIN links l ON l.email_id = e.id JOIN attachments a ON a.email_id = e.id
     WHERE a.is_inline = 0 AND a.sha256 IS NOT NULL AND e.detail ->> '$.replyTo[0].email' IS NOT NULL LIMIT 1`,
  ).concat(
    idsOf(
      'SELECT e.entity_id FROM emails e JOIN attachments a ON a.email_id = e.id WHERE a.is_inline = 0 LIMIT 1',
    ),
  );
  const alone = await collect({ kind: 'email', saas: 'office365_emails', entityId });
  const row = await collect({ kind: 'rows', resultId: all.id, entityIds: [entityId] });
  expect(alone.read).toBe(1);
  expect(await lines(row)).toEqual(await lines(alone));
  const types = alone.groups.map(({ type }) => type);
  expect(types).toContain('sha256');
  const [picture] = idsOf('SELECT sha256 FROM attachments WHERE is_inline = 1 LIMIT 1');
  if (picture) expect((await lines(alone)).join()).not.toContain(picture);
});

it('[promise] is the same for rows by name and for all but the others', async () => {
  const ids = idsOf('SELECT entity_id FROM emails ORDER BY id');
  const chosen = ids.slice(0, 4);
  const byName = await collect({ kind: 'rows', resultId: all.id, entityIds: chosen });
  const byBox = await collect({ kind: 'rows', resultId: all.id, except: ids.slice(4) });
  expect(byName.read).toBe(4);
  expect(await lines(byBox)).toEqual(await lines(byName));
});

it('[promise] covers links and hashes of any number of rows, and says what only profiles contain', async () => {
  const every = await collect({ kind: 'rows', resultId: all.id });
  expect(every.read).toBe(EMAILS);
  const listed = new Set(await lines(every));
  for (const url of idsOf("SELECT DISTINCT url FROM links WHERE url LIKE 'https://%' LIMIT 20"))
    expect(
      [...listed].some((line) => line.endsWith(url)),
      url,
    ).toBe(true);
  for (const hash of idsOf(
    'SELECT DISTINCT sha256 FROM attachments WHERE is_inline = 0 AND sha256 IS NOT NULL LIMIT 20',
  ))
    expect(listed).toContain(`sha256\t${hash}`);
  expect(every.notes.join()).toMatch(new RegExp(`more than ${PROFILES_MOST} emails`));
});

it('[promise] separates the tenant’s own indicators and allow-listed ones, with counts', async () => {
  const every = await collect({ kind: 'rows', resultId: all.id });
  expect(every.ownCount).toBeGreaterThan(0);
  const ownValues = new Set(every.own.map(({ value }) => value));
  for (const { sample } of every.groups) for (const value of sample) expect(ownValues).not.toContain(value);
  const { text, count } = await core.bridge.call('indicators.text', {
    collectionId: every.collectionId,
    types: ['domain'],
    own: false,
    allowed: false,
    form: 'defanged',
    format: 'csv',
  });
  expect(text.split('\r\n')[0]).toBe('type,value,defanged');
  expect(count).toBe(every.groups.find(({ type }) => type === 'domain')?.count);
});

it('reads the allow list of every tool, and never requests the impact of its entries', async () => {
  const entries = searchExceptions(store, {
    tool: null,
    type: 'allow',
    search: undefined,
    from: 0,
    to: ANCHOR,
    page: 0,
    size: 1_000,
  });
  expect(entries.counts.filter(({ count }) => count > 0).length).toBeGreaterThan(2);
  expect(entries.rows).toHaveLength(entries.total);
  const rules = entries.rows.flatMap((entry) => ruleOf(canonicalTool(entry.sec_type, 'guard'), entry) ?? []);
  const allowed = new AllowLists(rules);
  const every = await collect({ kind: 'rows', resultId: all.id });
  expect(every.allowedCount).toBeGreaterThan(0);
  for (const indicator of every.allowed) expect(allowed.has(indicator)).toBe(true);
  for (const { type, sample } of every.groups)
    for (const value of sample) expect(allowed.has({ type, value })).toBe(false);
  expect(impacts.length).toBeGreaterThan(0);
  expect(Math.max(...impacts)).toBe(1);
});

it('[bad input] is the same from a service that returns fewer rows per page than requested', async () => {
  const every = await collect({ kind: 'rows', resultId: all.id });
  most = 20;
  // A new connection, so that the cache has no answers.
  const { id: other } = await addTenant(core.bridge, `http://127.0.0.1:${server.port}`, 't');
  const capped = await collect({ kind: 'rows', resultId: (await open(other)).id }, other);
  most = null;
  expect([capped.read, capped.allowedCount]).toEqual([every.read, every.allowedCount]);
  expect(capped.notes).toEqual(every.notes);
  expect(await lines(capped)).toEqual(await lines(every));
});

it('uses the loaded data of rows that the service no longer returns, and says so', async () => {
  gone = new Set(idsOf('SELECT entity_id FROM emails ORDER BY id LIMIT 3'));
  const every = await collect({ kind: 'rows', resultId: all.id });
  gone = new Set();
  expect(every.read).toBe(EMAILS);
  expect(every.notes.join('\n')).toMatch(/did not return 3 rows/);
});

it('counts chosen rows that are no longer in the results', async () => {
  const ids = idsOf('SELECT entity_id FROM emails ORDER BY id');
  for (const chosen of [ids.slice(0, 4), ids.slice(0, PROFILES_MOST + 1)]) {
    const indicators = await collect({ kind: 'rows', resultId: all.id, entityIds: [...chosen, 'gone'] });
    expect(indicators.read).toBe(chosen.length);
    expect(indicators.notes).toContain('1 row no longer in the results could not be read');
  }
});

it('reads the allow lists of a service that does not count them by tool', async () => {
  const every = await collect({ kind: 'rows', resultId: all.id });
  noCounts = true;
  const { id: other } = await addTenant(core.bridge, `http://127.0.0.1:${server.port}`, 't');
  const uncounted = await collect({ kind: 'rows', resultId: (await open(other)).id }, other);
  noCounts = false;
  expect(uncounted.allowedCount).toBe(every.allowedCount);
});

it('takes no block entry for an allowed value where the service returns both lists', async () => {
  const every = await collect({ kind: 'rows', resultId: all.id });
  bothLists = true;
  const { id: other } = await addTenant(core.bridge, `http://127.0.0.1:${server.port}`, 't');
  const mixed = await collect({ kind: 'rows', resultId: (await open(other)).id }, other);
  bothLists = false;
  expect(mixed.allowed).toEqual(every.allowed);
});

it('says of how many emails the service does not list every attachment', async () => {
  isShort = true;
  const { id: other } = await addTenant(core.bridge, `http://127.0.0.1:${server.port}`, 't');
  const entityIds = idsOf('SELECT entity_id FROM emails ORDER BY id LIMIT 2');
  const indicators = await collect({ kind: 'rows', resultId: (await open(other)).id, entityIds }, other);
  isShort = false;
  expect(indicators.notes).toEqual(['Some attachments of 2 emails could not be read']);
});

it('uses the loaded data when the service does not respond, and says so', async () => {
  await core.bridge.call('connections.offline', { offline: true });
  const few = await collect({ kind: 'rows', resultId: all.id });
  expect(few.notes.join('\n')).toMatch(/Only the columns of these rows were read/);
  await core.bridge.call('connections.offline', { offline: false });
});
