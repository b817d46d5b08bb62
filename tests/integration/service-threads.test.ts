/** The embedded service with its threads: calls during a long query or a change, and cancelled calls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createServiceApp, NotHere } from '#service/app.ts';
import { generate } from '#service/demo/generate.ts';
import { demoSource } from '#service/demo/source.ts';
import type { Call } from '#service/http/body.ts';
import { execute } from '#service/query/execute.ts';
import { inSnapshot, openReader, openStore } from '#service/store-sqlite/sqlite-store.ts';
import { dispatchRules } from '#service/threads/dispatch.ts';
import { createFront, targetOf } from '#service/threads/http-thread.ts';
import { BASE_PATH, type EndpointName, endpointNames, endpointOf } from '#shared/api/catalogue.ts';
import { pathOf } from '#shared/api/path.ts';
import { withRealThreads } from '../support/reused-threads.ts';
import { type ServiceThread, startServiceThread } from '../support/service-thread.ts';
import { THREADS } from '../support/threads.ts';

withRealThreads();

const NOW = Date.UTC(2026, 10, 19, 8);
let folder: string;
let thread: ServiceThread;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-threads-'));
  thread = await startServiceThread(THREADS.embedded, {
    source: { kind: 'demo', emails: 3_000, seed: 3 },
    databasePath: join(folder, 'demo.sqlite'),
  });
});
afterAll(async () => {
  await thread.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (subject: string | null, size = 25) => ({
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: 'email',
  condition: {
    operator: 'and' as const,
    conditions: subject === null ? [] : [{ field: 'subject', operator: 'matches', values: [subject] }],
  },
  columns: ['subject'],
  sort_by: [],
  include_copies: false,
  count_only: false,
  size,
});
/** Ends only when its time budget is used up: more patterns per row than the cache of compiled patterns holds. */
const ENDLESS = {
  ...ask(null),
  condition: {
    operator: 'or' as const,
    conditions: Array.from({ length: 80 }, (_, n) => ({
      field: 'subject',
      operator: 'matches',
      values: [`(?:[a-h]?[^x]){${100 + n}}z`],
    })),
  },
};
const endless = (signal?: AbortSignal) =>
  thread.call('query.execute', { body: ENDLESS, ...(signal ? { signal } : {}) });
const json = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>;
const first = async () => {
  const { rows } = (await json(thread.call('query.execute', { body: ask(null) }))) as {
    rows: { entity_id: string }[];
  };
  return rows.map(({ entity_id }) => entity_id);
};

it('calls are answered by the writer if no reader can be started', async () => {
  const entry = `import { workerData } from 'node:worker_threads';
    if (workerData.role === 'reader') process.exit();
    await import(${JSON.stringify(THREADS.embedded.href)});`;
  const front = createFront({
    entry: new URL(`data:text/javascript,${encodeURIComponent(entry)}`),
    spec: {
      source: { kind: 'evidence', path: folder },
      databasePath: join(folder, 'e.sqlite'),
      databaseKey: null,
      believed: [],
      rules: [],
      token: 't',
      flags: {},
    },
    flags: () => ({}),
    onEvent: () => undefined,
    onLost: () => undefined,
  });
  await front.open();
  try {
    const answer = await front.fetch(
      new Request(`http://x${BASE_PATH}/query/execute`, {
        method: 'POST',
        headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
        body: JSON.stringify(ask(null)),
      }),
    );
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ rows: [] })]);
  } finally {
    await front.close();
  }
});

describe('beside queries that do not end', () => {
  it('[limit 3 readers] small calls, changes and other queries are answered', async () => {
    const [id = ''] = await first();
    let ended = 0;
    const long = [1, 2].map(() =>
      endless().then(async (answer) => {
        ended++;
        return [answer.status, await answer.json()];
      }),
    );
    const profile = await thread.call('email.profile', { params: { saas: 'all' }, query: { entity_id: id } });
    expect(profile.status).toBe(200);
    const named = await thread.call('entity.identify', { body: { entity_id: id, identifier: 'Case 7' } });
    expect(named.status).toBe(200);
    expect(ended).toBe(0);
    // Each has the whole budget, and reports its result.
    for (const [status, answer] of await Promise.all(long))
      expect([status, answer]).toMatchObject([400, { field: 'condition' }]);
  });

  it('a write is visible to the next read', async () => {
    const leave = new AbortController();
    const long = endless(leave.signal).catch(() => 'left');
    for (let turn = 0; turn < 5; turn++) {
      const saved = await json(
        thread.call('query.save', {
          body: {
            name: `Turn ${turn}`,
            domain: 'email',
            entityType: 'email',
            filter: { operator: 'and', conditions: [] },
            columns: [],
          },
        }),
      );
      expect(saved).toMatchObject({ name: `Turn ${turn}` });
      const read = await Promise.all(
        [1, 2, 3].map(() => json(thread.call('query.get', { params: { id: saved['id'] } }))),
      );
      expect(read.map(({ name }) => name)).toEqual(Array(3).fill(`Turn ${turn}`));
    }
    leave.abort();
    await long;
  });

  it('a cancelled call frees its thread at once', async () => {
    let ended = false;
    const [finish, leave] = [new AbortController(), new AbortController()];
    const stays = endless(finish.signal)
      .catch(() => 'left')
      .finally(() => {
        ended = true;
      });
    const calls = Array.from({ length: 5 }, () => endless(leave.signal).catch(() => 'left'));
    // Once these are answered, one of them is running in the second slot for long calls.
    for (let turn = 0; turn < 30; turn++) expect((await thread.call('apps.list')).status).toBe(200);
    leave.abort();
    expect(await Promise.all(calls)).toEqual(Array(5).fill('left'));
    // If the cancelled calls were still running, this call would wait for the first one.
    expect((await thread.call('query.execute', { body: ask('.') })).status).toBe(200);
    expect(ended).toBe(false);
    finish.abort();
    await stays;
  });
});

describe('a reader', () => {
  const file = async () => {
    const path = join(mkdtempSync(join(folder, 'reader-')), 'store.sqlite');
    const writer = openStore({ path }, demoSource);
    await generate(writer, { emails: 400, seed: 2, anchor: NOW });
    const linkKey = writer.linkKey;
    const reader = openReader({ path, linkKey }, demoSource);
    onTestFinished(() => {
      reader.close();
      writer.close();
    });
    return { path, writer, reader };
  };
  const app = (store: ReturnType<typeof openStore>, due?: () => Promise<void>) =>
    createServiceApp(store, { token: 't', now: () => NOW, caller: 'tester', ...(due ? { due } : {}) });
  const call = (name: EndpointName, params = {}, body: unknown = {}): Call => ({
    method: endpointOf(name).method,
    url: `http://service${pathOf(name, params)}`,
    authorization: 'Bearer t',
    contentType: 'application/json',
    acceptEncoding: '',
    body: endpointOf(name).method === 'GET' ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
  });

  it('sees one state of the database, however often it waits', async () => {
    const { writer, reader } = await file();
    const subjects = async (store: typeof reader) =>
      (await execute(ask(null, 1), { store, saas: [], now: NOW })).total_rows;
    const before = await subjects(reader);
    await inSnapshot(reader, async () => {
      expect(await subjects(reader)).toBe(before);
      writer.db.exec('DELETE FROM emails WHERE id < 50');
      await Promise.resolve();
      expect(await subjects(writer)).toBe(before - 49);
      expect(await subjects(reader)).toBe(before);
    });
    expect(await subjects(reader)).toBe(before - 49);
  });

  it('ends the statement of a cancelled call', async () => {
    const { path } = await file();
    let rows = 0;
    const probe = () => {
      if (++rows > 1) throw new Error('gone');
    };
    const reader = openReader({ path, probe }, demoSource);
    await expect(execute(ask(null), { store: reader, saas: [], now: NOW })).rejects.toThrow('gone');
    reader.close();
  });

  it('changes nothing: what has become due, and all writes, are left to the writer', async () => {
    const { writer, reader } = await file();
    const service = app(reader, async () => {
      if (await reader.actions.isAnyDue(NOW)) throw new NotHere();
    });
    expect((await service.answer(call('query.list'))).status).toBe(200);
    expect((await service.answer(call('query.import'))).status).not.toBe(200);
    writer.db
      .prepare(
        `INSERT INTO rescans (entity_id, entity_type, tool, due_at, asked_at, actor)
         SELECT entity_id, 'email', 'tool', ?, ?, 'x' FROM emails LIMIT 1`,
      )
      .run(NOW - 1, NOW - 2);
    await expect(service.answer(call('query.list'))).rejects.toThrow(NotHere);
  });

  it('accepts links signed by the others, and no other links', async () => {
    const { writer, reader, path } = await file();
    const id = String(
      writer.db
        .prepare("SELECT entity_id FROM files WHERE verdict = 'found' AND is_deleted = 0")
        .pluck()
        .get(),
    );
    const answer = await app(writer).answer(call('file.matched', { type: 'file', id }));
    const { url } = JSON.parse(Buffer.from(answer.body).toString()) as { url: string };
    const follow = { ...call('query.list'), url: `http://service${BASE_PATH}${url}` };
    expect((await app(reader).answer(follow)).status).toBe(200);
    const other = openReader({ path }, demoSource);
    expect((await app(other).answer(follow)).status).toBe(410);
    other.close();
  });

  it('answers every read as the writer does', async () => {
    const { writer, reader } = await file();
    const id = (table: string) =>
      String(writer.db.prepare(`SELECT entity_id FROM ${table} LIMIT 1`).pluck().get());
    const email = id('emails');
    const filled = (name: EndpointName) =>
      Object.fromEntries(
        [...endpointOf(name).path.matchAll(/:([a-z]+)/g)].map(([, key = '']) => [
          key,
          { product: 'guard', saas: 'all', type: 'email', id: email }[key] ?? 'none',
        ]),
      );
    const reads = endpointNames.filter((name) => endpointOf(name).effect === 'read');
    const callable = reads.filter((name) => endpointOf(name).secretPath !== true);
    let answered = 0;
    for (const name of callable) {
      const request = call(name, filled(name), name === 'query.execute' ? ask('a') : { entity_ids: [email] });
      request.url += `?entity_id=${email}&query_domain=email&saas_id=all&module=office365_emails&mode=subject`;
      const [answer, theirs] = [await app(reader).answer(request), await app(writer).answer(request)];
      expect([name, answer.status, Buffer.from(answer.body).toString()]).toEqual([
        name,
        theirs.status,
        Buffer.from(theirs.body).toString(),
      ]);
      expect(answer.status, name).not.toBe(500);
      if (answer.status === 200) answered++;
    }
    expect(answered).toBeGreaterThan(20);
  });
});

describe('the thread for a call', () => {
  const opened = (kind: 'demo' | 'evidence') => ({
    base: BASE_PATH,
    rules: dispatchRules(kind === 'demo' ? { kind, emails: 1, seed: 1 } : { kind, path: '/' }),
  });
  const params = { id: 'x', type: 'email', saas: 'all', product: 'guard', hash: '/signed/a/', token: '1~' };

  it.each(endpointNames)('%s: changes go to the writer, and nothing else does', (name) => {
    const { method, effect } = endpointOf(name);
    const target = targetOf(opened('evidence'), method, pathOf(name, params));
    expect(target === 'writer').toBe(effect === 'write');
  });

  it('the demo tenant counts its archive in one thread; other paths go to any thread', () => {
    expect(targetOf(opened('demo'), 'GET', pathOf('file.matched', params))).toBe('writer');
    expect(targetOf(opened('demo'), 'GET', '/favicon.ico')).toBe('normal');
    expect(targetOf(opened('demo'), 'PATCH', `${BASE_PATH}/query`)).toBe('normal');
  });
});
