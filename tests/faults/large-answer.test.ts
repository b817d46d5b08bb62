/** Responses and query files too large for one turn of a thread: none of them blocks the main thread. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import type { Context } from '#main/kernel/context.ts';
import { createGenerations } from '#main/kernel/generations.ts';
import { PARSED_BESIDE } from '#main/parsing/client.ts';
import { createQueryFileHandlers } from '#main/queries-file/handlers.ts';
import { readQueryFile } from '#main/queries-file/read.ts';
import { checkShape, parseJson } from '#main/upstream/body.ts';
import { Client } from '#main/upstream/client.ts';
import { endpointOf } from '#shared/api/catalogue.ts';
import { MAX_QUERY_FILE } from '#shared/query/query-file.ts';
import { withRealThreads } from '#tests/support/reused-threads.ts';
import { expectShortTurns } from '#tests/support/turns.ts';

withRealThreads();

const MIB = 1024 * 1024;
const PARSING = new URL('../../src/main/queries-file/parse-worker.ts', import.meta.url);
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const ending of endings.splice(0).reverse()) await ending();
});

async function serve(answer: Buffer): Promise<string> {
  const server: Server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(base: string, parsing: URL | null = PARSING) {
  const client = new Client({ base, credential: null, authorityPem: null }, undefined, parsing);
  endings.push(() => client.close());
  return client;
}

const links = (bytes: number) => {
  const rows: { url: string; text: string }[] = [];
  for (let size = 0; size < bytes; size += 400)
    rows.push({ url: `https://${rows.length}.example/`, text: 'a long text of a link '.repeat(16) });
  return { rows, total_rows: rows.length };
};
const request = { params: { product: 'guard' }, query: { entity_id: 'e' } };

it('a response of many megabytes is parsed while the main thread stays responsive', {
  timeout: 120_000,
}, async () => {
  const answer = links(40 * MIB);
  const bytes = Buffer.from(JSON.stringify(answer));
  // The first response also loads what reads responses.
  await clientOf(await serve(Buffer.from(JSON.stringify(links(2 * MIB))))).json('scan.debug-links', request);
  const client = clientOf(await serve(bytes));
  const value = await expectShortTurns(
    () => client.json('scan.debug-links', request),
    () => checkShape(endpointOf('scan.debug-links'), '', parseJson(bytes, 'application/json', '')),
  );
  expect(value).toEqual(answer);
});

it.each([-1, 0, 1])(
  '[limit 1 MiB] a response at the limit and %i bytes is the same wherever it is parsed',
  async (over) => {
    const answer = { rows: [], total_rows: 0, other: { list: [1, [2], { a: ['b', 'c'] }], big: '' } };
    answer.other.big = 'x'.repeat(PARSED_BESIDE + over - JSON.stringify(answer).length);
    const text = Buffer.from(JSON.stringify(answer));
    expect(text.length).toBe(PARSED_BESIDE + over);
    const base = await serve(text);
    for (const parsing of [PARSING, null])
      expect(await clientOf(base, parsing).json('scan.debug-links', request)).toEqual(answer);
  },
);

it.each([
  ['not JSON', 'x'.repeat(2 * MIB), 'not-json'],
  ['cut short', `{"rows":["${'x'.repeat(2 * MIB)}`, 'truncated'],
  ['another shape', `{"rows":"${'x'.repeat(2 * MIB)}"}`, 'wrong-shape'],
  ['nested too deep', `{"rows":${'['.repeat(2 * MIB)}`, 'wrong-shape'],
])('a large response that is %s fails like a small one', async (_, text, code) => {
  const base = await serve(Buffer.from(text));
  const errorOf = async (parsing: URL | null) =>
    clientOf(base, parsing)
      .json('scan.debug-links', request, { retry: false })
      .then(
        () => null,
        (error: unknown) => error,
      );
  const beside = await errorOf(PARSING);
  expect(beside).toMatchObject({ code });
  expect(beside).toMatchObject({ message: ((await errorOf(null)) as Error).message });
});

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));

it.each<[string, object]>([
  ['of a profile', { entity_id: 'e', ...fields(1_000_000) }],
  ['of a field of a profile', { entity_id: 'e', detail: { more: fields(1_000_000) } }],
  ['of a row', { rows: [{ url: 'https://a.example/' }, fields(1_000_000)], total_rows: 2 }],
])(
  '[limit 50 000 fields] millions of fields %s are refused while the main thread stays responsive',
  {
    timeout: 120_000,
  },
  async (_, answer) => {
    const endpoint = 'rows' in answer ? 'scan.debug-links' : 'email.profile';
    const input =
      endpoint === 'email.profile' ? { params: { saas: 'a' }, query: { entity_id: 'e' } } : request;
    const bytes = Buffer.from(JSON.stringify(answer));
    const client = clientOf(await serve(bytes));
    const failure = () => client.json(endpoint, input, { retry: false }).catch((error: unknown) => error);
    const value = await expectShortTurns(failure, () => JSON.parse(bytes.toString()));
    expect(value).toMatchObject({ code: 'wrong-shape', message: expect.stringContaining('more fields') });
  },
);

it.each([[49_990], [30_000]])('%i fields are read', async (count) => {
  const answer = { entity_id: 'e', ...fields(count) };
  const client = clientOf(await serve(Buffer.from(JSON.stringify(answer))));
  const request = { params: { saas: 'a' }, query: { entity_id: 'e' } };
  expect(await client.json('email.profile', request)).toMatchObject({ entity_id: 'e', key7: 7 });
});

it('a caller that stops waiting ends the thread', async () => {
  const client = clientOf(await serve(Buffer.from(JSON.stringify(links(20 * MIB)))));
  const abort = new AbortController();
  const started = once(process, 'worker');
  const read = client.json('scan.debug-links', request, { signal: abort.signal });
  const ended = once((await started)[0] as Worker, 'exit');
  abort.abort();
  await expect(read).rejects.toMatchObject({ code: 'cancelled' });
  await ended;
});

it('a query file of the maximum size is read and compared while the main thread stays responsive', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-large-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  const entry = (n: number) => ({
    type: 'query',
    domain: 'email',
    entityType: 'email',
    name: `Query ${n}`,
    description: 'what it is for '.repeat(130),
    columns: [],
    filter: { operator: 'and', conditions: [] },
  });
  const queries = Array.from({ length: 9_000 }, (_, n) => entry(n));
  const file = path.join(folder, 'q.json');
  const text = JSON.stringify({ kind: 'parapet-queries', version: 1, queries });
  expect(text.length).toBeGreaterThan(MAX_QUERY_FILE * 0.85);
  expect(text.length).toBeLessThan(MAX_QUERY_FILE);
  writeFileSync(file, text);
  const saved = Array.from({ length: 3_000 }, (_, n) => ({
    ...entry(n),
    id: `q-${n}`,
    updateTime: '2026-11-27T16:00:00Z',
  }));
  const handlers = createQueryFileHandlers(
    {
      grants: { redeem: () => ({ path: file, name: 'q.json' }) },
      generations: createGenerations(() => 0),
      ports: { workers: { parsing: PARSING } },
      upstream: {
        send: async (_: string, endpoint: string) => {
          if (endpoint === 'query.list') return { queries: saved };
          throw new Error('no config');
        },
      },
    } as unknown as Context,
    async () => ({ journalId: 0, outcomes: [] }),
  );
  const inspect = () =>
    handlers['queries.inspect'](
      { connectionId: 'c', grantId: 'g' },
      { signal: new AbortController().signal, emit: async () => undefined },
    );
  const value = await expectShortTurns(inspect, () => readQueryFile(Buffer.from(text), 'q.json'));
  expect(value.queries).toHaveLength(9_000);
  expect(value.queries.filter(({ state }) => state === 'same')).toHaveLength(3_000);
});
