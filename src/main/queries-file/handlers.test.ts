import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { AppEvent, TargetState } from '#shared/bridge/operations.ts';
import type { Context } from '../kernel/context.ts';
import { createGenerations } from '../kernel/generations.ts';
import { NO_POLICY } from '../kernel/policy.ts';
import { manifestBeside, verifyFile } from '../proof/verify.ts';
import { createQueryFileHandlers } from './handlers.ts';
import type { ReplaceQueries } from './import.ts';
import { replacementOf } from './replacement.ts';

const query = { type: 'query', domain: 'email', entityType: 'email', name: 'One', columns: [] };
const saved = { ...query, id: 'q-1', name: 'One' };
const file = (queries: unknown[]) => JSON.stringify({ kind: 'parapet-queries', version: 1, queries });
const TWO = file([query, { ...query, name: 'Two' }]);
const context = { signal: new AbortController().signal };

let folder: string;
let uploaded: unknown[];
/** The file received by the service. */
let sentFile: unknown;
let updated: { id: unknown; body: unknown }[];
let events: AppEvent[];
let blob: string;
let imported: { imported: string[]; error: string[]; failed?: { label: string; reason: string }[] };
let offline: boolean;
let generation: number;
/** What somebody else has changed of the saved queries since they were listed. */
let elsewhere: object;
/** Why saved queries cannot be read one by one; null: they can. */
let refusal: ParapetError | null;
/** How often they were read. */
let reads: number;
/** The most reads at a time. */
let atOnce: number;
let reading: number;
/** The queries that the service lists. */
let library: object[];
let progress: { read: number; total: number }[];
/** Runs while a query is being replaced. */
let meanwhile: () => void;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-queries-'));
  uploaded = [];
  updated = [];
  events = [];
  blob = TWO;
  imported = { imported: ['Two'], error: ['Three'], failed: [{ label: 'Three', reason: 'No.' }] };
  offline = false;
  generation = 0;
  elsewhere = {};
  refusal = null;
  reads = 0;
  atOnce = 0;
  reading = 0;
  progress = [];
  library = [saved, { ...saved, id: 'q-2', name: 'Other' }];
  meanwhile = () => undefined;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const config = {
  fields: [{ id: 'subject', dbId: 'subject', label: 'Subject', type: 'text', operators: ['is'] }],
  operators: [{ id: 'is', label: 'is', template: '{field} is {value}', arity: 1 }],
  columns: [],
  conditions: [],
  actions: [],
};
/** Sends the replacements without a journal. */
const replacing =
  (ctx: Context): ReplaceQueries =>
  async (connectionId, { queries }) => {
    const mark = ctx.generations.mark(connectionId);
    const outcomes: { state: TargetState; error: string | null }[] = [];
    for (const { id, before, after } of queries) {
      try {
        ctx.generations.check(mark);
        const now = await ctx.upstream.send(connectionId, 'query.get', { params: { id } }, context);
        const body = replacementOf(now, before, after);
        await ctx.upstream.send(connectionId, 'query.update', { params: { id }, body }, context);
        outcomes.push({ state: 'done', error: null });
      } catch (error) {
        outcomes.push({ state: 'failed', error: String(error) });
      }
    }
    return { journalId: 7, outcomes };
  };
const handlers = () => {
  const ctx = {
    grants: { redeem: () => ({ path: join(folder, 'q.json'), name: 'q.json' }) },
    generations: createGenerations(() => generation),
    publish: (event: AppEvent) => void events.push(event),
    connection: () => ({ name: 'Tenant' }),
    ports: {
      version: '0',
      now: () => 0,
      policy: NO_POLICY,
      workers: { parsing: new URL('./parse-worker.ts', import.meta.url) },
    },
    upstream: {
      isOffline: () => offline,
      send: async (_: string, endpoint: string, request: { params?: { id: string }; body?: unknown }) => {
        if (endpoint === 'query.list') return { queries: library };
        if (endpoint === 'query.config') return config;
        if (endpoint === 'query.get') {
          reads += 1;
          if (refusal !== null) throw refusal;
          atOnce = Math.max(atOnce, ++reading);
          await new Promise(setImmediate);
          reading -= 1;
          return { ...saved, id: request.params?.id, ...elsewhere };
        }
        updated.push({ id: request.params?.id, body: request.body });
        meanwhile();
        return saved;
      },
      upload: async (_: string, __: string, { bytes }: { bytes: Uint8Array }) => {
        sentFile = JSON.parse(new TextDecoder().decode(bytes));
        const { queries } = sentFile as { queries?: { name: string }[] };
        uploaded.push(...(queries ?? [sentFile].flat()));
        return imported;
      },
      blob: async () => new TextEncoder().encode(blob),
    },
  } as unknown as Context;
  return createQueryFileHandlers(ctx, replacing(ctx));
};
const inspect = (on: ReturnType<typeof handlers>, text: string) => {
  writeFileSync(join(folder, 'q.json'), text);
  return on['queries.inspect'](
    { connectionId: 'c', grantId: 'g' },
    {
      ...context,
      emit: async (event) => void progress.push(event),
    },
  );
};
type Choices = { index: number; as: 'new' | 'replace'; running?: boolean }[];
const UNREAD = 'unknown: it could not be read';

const send = (on: ReturnType<typeof handlers>, importId: string, choices: Choices) =>
  on['queries.import']({ connectionId: 'c', importId, choices }, context);

it('[spec 7] says what an import would do, and sends nothing', async () => {
  const filter = { operator: 'and', conditions: [{ field: 'gone', operator: 'is', values: ['x'] }] };
  const plan = await inspect(
    handlers(),
    file([
      { ...query, id: 'elsewhere' },
      { ...query, name: 'Two', filter },
      { name: 'Broken' },
      { ...query, severity: 5 },
    ]),
  );
  expect(plan.queries.map(({ state }) => state)).toEqual(['same', 'new', 'invalid', 'new']);
  expect(plan.queries[1]?.warnings).toEqual(['Unknown field: gone']);
  expect(plan.queries[2]?.reason).toContain('type');
  expect((await inspect(handlers(), file([{ ...query, severity: 5 }]))).queries[0]).toMatchObject({
    state: 'changed',
    match: { id: 'q-1' },
    changes: [{ field: 'severity', before: 'none', after: 'Critical' }],
  });
  expect([uploaded, updated, events]).toEqual([[], [], []]);
});

it('replaces a query of a service whose list omits fields and times, and shows what really changes', async () => {
  const on = handlers();
  elsewhere = { severity: 5, description: 'Not in the list' };
  const { importId, queries } = await inspect(on, file([{ ...query, severity: 4 }]));
  expect(queries[0]?.changes).toEqual([
    { field: 'severity', before: 'Critical', after: 'High' },
    { field: 'description', before: 'Not in the list', after: 'none' },
  ]);
  const { replaced } = await send(on, importId, [{ index: 0, as: 'replace' }]);
  expect([replaced, updated.length]).toEqual([['One'], 1]);
  // A change after that is still noticed.
  const again = await inspect(on, file([{ ...query, severity: 4 }]));
  elsewhere = { severity: 5, description: 'Theirs' };
  expect((await send(on, again.importId, [{ index: 0, as: 'replace' }])).replaced).toEqual([]);
});

it('reads many saved queries four at a time, and says how far it is', async () => {
  library = Array.from({ length: 30 }, (_, index) => ({
    ...query,
    id: `q-${index}`,
    name: `Query ${index}`,
  }));
  elsewhere = { severity: 5 };
  const { queries } = await inspect(
    handlers(),
    file(library.map((query) => ({ ...query, description: 'Mine' }))),
  );
  expect(queries.map(({ changes }) => changes.map(({ field }) => field))).toEqual(
    Array(30).fill(['name', 'severity', 'description']),
  );
  expect([reads, atOnce, progress[0]]).toEqual([30, 4, { read: 0, total: 30 }]);
});

it.each([
  ['unauthorized', 1],
  ['offline', 1],
  ['not-found', 2],
] as const)('after %s, %d of two queries were read again', async (code, most) => {
  refusal = new ParapetError(code, 'No.');
  const plan = await inspect(handlers(), file([query, { ...query, name: 'Other' }])).catch(
    (error: unknown) => error,
  );
  expect(reads).toBe(most);
  // The list omits the conditions, so whether they are the same is unknown.
  const unread = { state: 'changed', changes: [{ field: 'filter', before: UNREAD, after: 'none' }] };
  expect(plan).toMatchObject(most === 1 ? { code } : { queries: [unread, unread] });
});

it('what a list omits is unknown if the query cannot be read, and not “none”; what it contains is compared', async () => {
  refusal = new ParapetError('timeout', 'No answer.');
  const filter = { operator: 'and', conditions: [{ field: 'gone', operator: 'is', values: ['x'] }] };
  library = [{ ...query, severity: 5, updateTime: '2026-11-27T16:00:00Z' }];
  const { queries } = await inspect(handlers(), file([{ ...query, severity: 4, filter }]));
  expect(queries[0]?.changes).toEqual([
    { field: 'severity', before: 'Critical', after: 'High' },
    { field: 'filter', before: UNREAD, after: 'gone is "x"' },
  ]);
});

it.each([
  ['content', { description: 'Written by a colleague' }, false],
  ['content and time', { description: 'Written by a colleague', updateTime: '2026-11-27T16:00:00Z' }, false],
  ['time', { updateTime: '2026-11-27T16:00:00Z' }, true],
])(
  'does not replace a query whose %s somebody else changed since the comparison',
  async (_, change, replaces) => {
    const on = handlers();
    const { importId } = await inspect(on, file([{ ...query, severity: 5 }]));
    elsewhere = change;
    const { replaced, failed } = await send(on, importId, [{ index: 0, as: 'replace' }]);
    expect([replaced, failed.map(({ reason }) => /changed it after/.test(reason))]).toEqual(
      replaces ? [['One'], []] : [[], [true]],
    );
    expect(updated).toMatchObject(replaces ? [{ id: 'q-1', body: change }] : []);
  },
);

it('[limit 50 apps] checks the conditions for fifty apps, and reports the others as not checked', async () => {
  const filter = { operator: 'and', conditions: [{ field: 'gone', operator: 'is', values: ['x'] }] };
  const ofApps = Array.from({ length: 52 }, (_, index) => ({
    ...query,
    name: `${index}`,
    saas: `app-${index}`,
    filter,
  }));
  const { queries } = await inspect(handlers(), file(ofApps));
  expect(queries[49]?.warnings).toEqual(['Unknown field: gone']);
  for (const { warnings } of queries.slice(50))
    expect(warnings).toEqual([expect.stringMatching(/^Its conditions were not checked: .* than the 50 /)]);
});

it('sends the chosen ones: new queries in a file, others replacing what they match', async () => {
  const on = handlers();
  const { importId } = await inspect(
    on,
    file([
      { ...query, severity: 5 },
      { ...query, name: 'Two', novel: 1 },
      { ...query, name: 'Three' },
      { ...query, name: 'Left' },
    ]),
  );
  const choices: Choices = [
    { index: 0, as: 'replace' },
    { index: 1, as: 'new' },
    { index: 2, as: 'new' },
  ];
  expect(await send(on, importId, choices)).toEqual({
    imported: ['Two'],
    replaced: ['One'],
    failed: [{ label: 'Three', reason: 'No.' }],
    journalId: 7,
  });
  expect(uploaded).toMatchObject([{ name: 'Two', novel: 1 }, { name: 'Three' }]);
  expect(updated).toMatchObject([{ id: 'q-1', body: { id: 'q-1', severity: 5 } }]);
  expect(events).toEqual([{ type: 'invalidated', connectionId: 'c', tags: ['queries'] }]);
  await expect(send(on, importId, choices)).rejects.toMatchObject({ code: 'not-allowed' });
});

describe('a file of a service is sent back in its original form', () => {
  const sort = { dbId: 'subject', direction: 'DESC' };
  const on = { field: 'subject', operator: 'is', value: 'x' };
  const theirs = {
    name: 'Two',
    domain: 'email',
    label: 'Two',
    sort,
    filter: { operator: 'AND', conditions: [on] },
  };
  const choices = (count: number): Choices =>
    Array.from({ length: count }, (_, index) => ({ index, as: 'new' as const }));

  it.each([
    ['a list', [theirs, { ...theirs, name: 'Three' }]],
    ['an object with other fields', { exported_by: 'x', queries: [theirs] }],
    ['a single query', theirs],
  ])('%s', async (_, content) => {
    const handler = handlers();
    const { importId, queries } = await inspect(handler, JSON.stringify(content));
    await send(handler, importId, choices(queries.length));
    expect(sentFile).toEqual(content);
  });

  it('without the queries that were not chosen, and without disabled conditions among those that run', async () => {
    const handler = handlers();
    const off = { ...theirs, filter: { operator: 'and', conditions: [{ ...on, disabled: true }] } };
    const { importId } = await inspect(handler, JSON.stringify([theirs, off]));
    await send(handler, importId, [{ index: 1, as: 'new' }]);
    expect(sentFile).toMatchObject([{ sort, filter: { operator: 'and', conditions: [] } }]);
  });
});

it('[bad input] reports queries that the answer does not mention, and none that only got another name', async () => {
  const on = handlers();
  const sent = async () => {
    const { importId } = await inspect(on, file(['A', 'B', 'B', 'C'].map((name) => ({ ...query, name }))));
    return send(
      on,
      importId,
      [0, 1, 2, 3].map((index) => ({ index, as: 'new' })),
    );
  };
  imported = { imported: ['B'], error: ['C'] };
  const { failed } = await sent();
  expect(failed.map(({ label }) => label).sort()).toEqual(['A', 'B', 'C']);
  expect(failed.find(({ label }) => label === 'A')?.reason).toMatch(/did not say whether/);
  imported = { imported: ['A', 'B', 'B (2)', 'C'], error: [] };
  expect(await sent()).toMatchObject({ imported: ['A', 'B', 'B (2)', 'C'], failed: [] });
});

it('imports only what was shown as possible, and nothing while offline', async () => {
  const on = handlers();
  const { importId } = await inspect(on, file([{ name: 'Broken' }, { ...query, name: 'New' }]));
  await expect(send(on, importId, [{ index: 0, as: 'new' }])).rejects.toMatchObject({
    code: 'invalid-input',
  });
  await expect(send(on, importId, [{ index: 1, as: 'replace' }])).rejects.toMatchObject({
    code: 'invalid-input',
  });
  await expect(send(on, importId, [{ index: 9, as: 'new' }])).rejects.toMatchObject({
    code: 'invalid-input',
  });
  offline = true;
  await expect(send(on, importId, [{ index: 1, as: 'new' }])).rejects.toMatchObject({ code: 'offline' });
  expect(uploaded).toEqual([]);
});

describe('a connection that becomes another service', () => {
  const choices: Choices = [
    { index: 0, as: 'replace' },
    { index: 1, as: 'replace' },
    { index: 2, as: 'new' },
  ];
  const compared = async (on: ReturnType<typeof handlers>) =>
    (
      await inspect(
        on,
        file([
          { ...query, severity: 5 },
          { ...query, name: 'Other', severity: 4 },
          { ...query, name: 'New' },
        ]),
      )
    ).importId;

  it('before the import: nothing of the file is sent to it', async () => {
    const on = handlers();
    const importId = await compared(on);
    generation++;
    await expect(send(on, importId, choices)).rejects.toMatchObject({ code: 'conflict' });
    expect([updated, uploaded]).toEqual([[], []]);
  });

  it('between two calls: the rest is not sent to it, and what was sent is reported', async () => {
    const on = handlers();
    const importId = await compared(on);
    meanwhile = () => void generation++;
    const outcome = await send(on, importId, choices);
    expect(updated).toHaveLength(1);
    expect(uploaded).toEqual([]);
    expect(outcome).toMatchObject({ imported: [], replaced: ['One'] });
    expect(outcome.failed.map(({ label }) => label)).toEqual(['Other', 'New']);
  });
});

it('refuses a file that is not a query file', async () => {
  await expect(inspect(handlers(), TWO.replace('"version":1', '"version":9'))).rejects.toMatchObject({
    code: 'bad-file',
  });
});

it('writes what the service returns, once it is validated as a query file', async () => {
  const answer = await handlers()['queries.export']({ connectionId: 'c', ids: ['1'], grantId: 'g' }, context);
  expect(answer).toEqual({ name: 'q.json', count: 2, bytes: TWO.length, missing: null });
  expect(readFileSync(join(folder, 'q.json'), 'utf8')).toBe(TWO);
  const manifest = JSON.parse(readFileSync(join(folder, 'q.json.manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ file: 'q.json', bytes: TWO.length, connection: 'Tenant' });
  rmSync(join(folder, 'q.json'));
  rmSync(join(folder, 'q.json.manifest.json'));
  for (const text of ['<html>Sign in</html>', file([{ name: 'Broken' }])]) {
    blob = text;
    await expect(
      handlers()['queries.export']({ connectionId: 'c', ids: ['1'], grantId: 'g' }, context),
    ).rejects.toMatchObject({ code: 'wrong-shape' });
  }
  expect(readdirSync(folder)).toEqual([]);
});

it('[bad input] is PARTIAL when the service returns fewer queries than requested', async () => {
  const answer = await handlers()['queries.export'](
    { connectionId: 'c', ids: ['1', '2', '3'], grantId: 'g' },
    context,
  );
  expect(answer).toMatchObject({ name: 'q PARTIAL.json', count: 2 });
  expect(answer.missing).toContain('2 of 3');
  const manifest = JSON.parse(readFileSync(join(folder, 'q PARTIAL.json.manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ completeness: 'PARTIAL', why: answer.missing });
  expect(readdirSync(folder)).toHaveLength(2);
});

it.each([
  ['csv', '<!DOCTYPE html><title>Sign in</title>'],
  ['csv', '\n  <html lang="en"><body>502 Bad Gateway</body></html>'],
  ['csv', '\uFEFF<html><body>Sign in</body></html>'],
  ['json', '<html>Sign in</html>'],
  ['json', '[{"a":1},{"a":'],
  ['json', ''],
  ['csv', '{"success":false,"error":"The report is not ready."}'],
  ['csv', ''],
  ['csv', ' \r\n'],
  ['csv', '{"job":"7"}'],
  ['xlsx', ''],
  ['xlsx', 'a,b\r\n1,2\r\n'],
] as const)('refuses a response that is not a %s file: %s', async (format, text) => {
  blob = text;
  const input = { connectionId: 'c', format, grantId: 'g' };
  for (const save of [
    () => handlers()['queries.export-results']({ ...input, id: 'q-1' }, context),
    () => handlers()['queries.export-active-users']({ ...input, saas: 'office365_emails' }, context),
  ])
    await expect(save()).rejects.toMatchObject({
      code: expect.stringMatching(/not-json|truncated|wrong-shape/),
    });
  expect(readdirSync(folder)).toEqual([]);
});

it('writes files that the service generates unchanged', async () => {
  blob = 'email\nm.okafor@aldermoor.example\n';
  const input = { connectionId: 'c', format: 'csv', grantId: 'g' };
  const written = { name: 'q.json', bytes: blob.length };
  const on = handlers();
  expect(await on['queries.export-results']({ ...input, id: 'q-1' }, context)).toEqual(written);
  expect(await on['queries.export-active-users']({ ...input, saas: 'office365_emails' }, context)).toEqual(
    written,
  );
  expect(readFileSync(join(folder, 'q.json'), 'utf8')).toBe(blob);
});

it.each([
  ['queries.export', { ids: ['1'] }, TWO, 2],
  ['queries.export-results', { id: 'q-1', format: 'csv' }, 'a,b\n1,2\n', null],
  ['queries.export-active-users', { saas: 'office365_emails', format: 'csv' }, 'email\nx@y.example\n', null],
] as const)(
  'the manifest of %s says what the file contains, and verifying it does too',
  async (name, input, text, entries) => {
    blob = text;
    await handlers()[name]({ connectionId: 'c', grantId: 'g', ...input } as never, context);
    const path = join(folder, 'q.json');
    const manifest = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));
    expect(manifest).toMatchObject({
      kind: 'parapet-file-manifest',
      file: 'q.json',
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
      entries,
      connection: 'Tenant',
    });
    const verify = async () =>
      (await verifyFile(path, { manifest: await manifestBeside(path), password: null, scratch: folder }))
        .holds;
    expect(await verify()).toBe(true);
    writeFileSync(path, text.replace(/.$/s, ' '));
    expect(await verify()).toBe(false);
  },
);

it('brings running queries in stopped unless the analyst chose otherwise', async () => {
  const on = handlers();
  const running = { ...query, status: 'running' };
  const text = file([
    { ...running, description: 'changed' },
    { ...running, name: 'Two' },
    { ...running, name: 'Three' },
  ]);
  const plan = await inspect(on, text);
  await send(on, plan.importId, [
    { index: 0, as: 'replace' },
    { index: 1, as: 'new' },
    { index: 2, as: 'new', running: true },
  ]);
  expect(updated).toMatchObject([{ body: { status: 'stopped' } }]);
  expect(uploaded).toMatchObject([
    { name: 'Two', status: 'stopped' },
    { name: 'Three', status: 'running' },
  ]);
});
