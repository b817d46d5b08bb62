/** Query files of any service: the import does what the dry run shows, and no content of a file is lost. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { planOf } from '#main/queries-file/inspect.ts';
import { readQueryFile, writeQueryFile } from '#main/queries-file/read.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { MAX_FILE_QUERIES, MAX_QUERY_FILE } from '#shared/query/query-file.ts';
import { Served } from '#tests/support/served.ts';
import { measuredTurns } from '#tests/support/turns.ts';

const demo = await Served.demo(Date.UTC(2026, 4, 4, 12), 60);
afterAll(() => demo.close());

const plain = { type: 'query', domain: 'email', entityType: 'email', name: 'Plain', columns: [] };
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const column = (id: string, order = 0) => ({ id, label: id, order });
const deep = (levels: number): object =>
  levels === 0
    ? { field: 'subject', operator: 'is', values: ['x'] }
    : { operator: 'and', conditions: [deep(levels - 1)] };
const schedule = { emails: ['a@aldermoor.example'], format: 'csv', frequency: 'daily', time: '08:00' };

interface Answer {
  imported: string[];
  error: string[];
}
async function sent(bytes: Uint8Array): Promise<Answer> {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(bytes)], 'q.json'));
  const answer = await demo.form('query.import', form);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}
const dryRun = async (value: unknown) => {
  const { queries } = await readQueryFile(bytesOf(value), 'q.json');
  return planOf(queries, { saved: [], config: () => null });
};

it.each<[string, unknown]>([
  ['no object', 7],
  ['no name', { ...plain, name: undefined }],
  ['an empty name', { ...plain, name: '  ' }],
  ['a name of 201 characters', { ...plain, name: 'x'.repeat(201) }],
  ['a name of 300 characters', { ...plain, name: 'x'.repeat(300) }],
  ['no domain', { ...plain, domain: undefined }],
  ['an unknown domain', { ...plain, domain: 'fax' }],
  ['severity 99', { ...plain, severity: 99 }],
  ['severity 0', { ...plain, severity: 0 }],
  ['an unknown severity', { ...plain, severity: 'dire' }],
  ['an unknown kind', { ...plain, subType: 'poem' }],
  ['a description of 10 001 characters', { ...plain, description: 'x'.repeat(10_001) }],
  [
    '201 columns',
    { ...plain, columns: Array.from({ length: 201 }, (_, index) => column(`c${index}`, index)) },
  ],
  ['a column twice', { ...plain, columns: [column('a'), column('a', 1)] }],
  ['a report column twice', { ...plain, reportColumns: [column('a'), column('a', 1)] }],
  ['columns that are not columns', { ...plain, columns: 'all' }],
  ['groups too deep', { ...plain, filter: deep(33) }],
  ['report groups too deep', { ...plain, reportCondition: deep(33) }],
  ['a filter that is not a filter', { ...plain, filter: { operator: 'xor', conditions: [] } }],
  ['a schedule without addresses', { ...plain, scheduledExport: { ...schedule, emails: [] } }],
  ['a schedule without a time', { ...plain, scheduledExport: { ...schedule, time: '25:99' } }],
  ['a schedule on a template', { ...plain, subType: 'template', scheduledExport: schedule }],
])('%s: invalid in the dry run, and refused by the import', async (_, broken) => {
  const file = { kind: 'parapet-queries', version: 1, queries: [{ ...plain, name: 'Sound' }, broken] };
  expect((await dryRun(file)).map(({ state }) => state)).toEqual(['new', 'invalid']);
  const answer = await sent(bytesOf(file));
  expect([answer.imported.length, answer.error.length]).toEqual([1, 1]);
});

it('whatever the dry run calls new is imported', async () => {
  const value = fc.oneof(fc.constant(undefined), fc.constant(null), fc.string(), fc.integer(), fc.boolean());
  const name = fc.oneof(
    fc.string(),
    fc.integer({ min: 198, max: 202 }).map((length) => 'n'.repeat(length)),
  );
  const query = fc.record(
    {
      type: fc.oneof(fc.constant('query'), value),
      domain: fc.oneof(fc.constantFrom('email', 'file', 'user', 'fax'), value),
      entityType: fc.oneof(fc.constant('email'), value),
      name: fc.oneof(name, value),
      severity: fc.oneof(
        fc.integer({ min: -1, max: 100 }),
        fc.constantFrom('low', 'veryhigh', 'dire'),
        value,
      ),
      subType: fc.oneof(fc.constantFrom('report', 'analytics', 'template', ''), value),
      columns: fc.oneof(
        fc.array(
          fc.constantFrom('a', 'b', 'c').map((id) => column(id)),
          { maxLength: 3 },
        ),
        value,
      ),
      scheduledExport: fc.oneof(fc.constantFrom(schedule, { ...schedule, day: 9 }), value),
      filter: fc.oneof(fc.integer({ min: 1, max: 34 }).map(deep), value),
      sort: fc.oneof(fc.constant([{ db_id: 'received', direction: 'desc' }]), value),
      novel: fc.jsonValue(),
    },
    { requiredKeys: ['type', 'domain', 'entityType', 'name', 'columns'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(query, { minLength: 1, maxLength: 8 }), async (queries) => {
      const file = { queries };
      const planned = await dryRun(file);
      const answer = await sent(bytesOf(file));
      expect(answer.imported).toHaveLength(planned.filter(({ state }) => state === 'new').length);
      expect(answer.error).toHaveLength(planned.filter(({ state }) => state === 'invalid').length);
    }),
    { numRuns: 60 },
  );
});

it.each<[string, (query: object) => unknown]>([
  ['a list', (query) => [query]],
  ['an object with queries', (query) => ({ exported_at: '2026-01-01', queries: [query] })],
  ['an object of another kind', (query) => ({ kind: 'tenant-export', version: '7.2', queries: [query] })],
  ['one query', (query) => query],
])('%s with names in either style is read, and every field is kept', async (_, wrap) => {
  const foreign = {
    id: 'f-1',
    name: `Foreign ${_}`,
    query_domain: 'email',
    query_entity_type: 'email',
    sub_type: 'report',
    created_by: 'ann@elsewhere.example',
    severity: 'high',
    columns: [{ id: 'subject', label: 'Subject', order: 0, width: 90, pinned: true }],
    sort: [{ db_id: 'received', direction: 'desc', nulls: 'last' }],
    report_columns: ['subject'],
    scheduled_export: { ...schedule, tz: 'Europe/Paris' },
    actions_list: ['quarantine'],
    create_time: '2025-01-01T00:00:00Z',
    tenant_label: { a: [1, null, 'x'] },
  };
  const { queries } = await readQueryFile(bytesOf(wrap(foreign)), 'q.json');
  expect(queries[0]?.reason).toBeNull();
  const { imported } = await sent(writeQueryFile(queries.flatMap(({ query }) => query ?? [])));
  const direct = await sent(bytesOf(wrap({ ...foreign, name: `Direct ${_}` })));
  expect(direct.imported).toEqual([`Direct ${_}`]);
  const list = await demo.call('query.list');
  for (const name of [...imported, ...direct.imported]) {
    const query = list.queries.find((entry) => entry.name === name);
    expect(query).toMatchObject({
      domain: 'email',
      entityType: 'email',
      subType: 'report',
      createdBy: 'ann@elsewhere.example',
      severity: 'high',
      columns: [{ id: 'subject', pinned: true }],
      sort: [{ dbId: 'received', direction: 'desc', nulls: 'last' }],
      reportColumns: [{ id: 'subject', label: 'subject', order: 0 }],
      scheduledExport: { tz: 'Europe/Paris' },
      actionsList: ['quarantine'],
      createTime: '2025-01-01T00:00:00Z',
      tenant_label: { a: [1, null, 'x'] },
    });
  }
});

it('an export of the service can be imported again with nothing lost', async () => {
  const novel = {
    ...plain,
    name: 'To and fro',
    novel: { deep: [1, { x: null }] },
    severity: 4,
    filter: deep(5),
  };
  const savedQuery = await demo.call('query.save', { body: novel });
  const exported = await demo.raw('query.export', { body: { ids: [savedQuery.id] } });
  const { queries } = await readQueryFile(new Uint8Array(await exported.arrayBuffer()), 'q.json');
  await demo.call('query.delete', { params: { id: savedQuery.id } });
  const { imported } = await sent(writeQueryFile(queries.map(({ query }) => query as NewQuery)));
  const back = (await demo.call('query.list')).queries.find(({ name }) => name === imported[0]) as Query;
  const content = ({ id: _, createTime: __, updateTime: ___, createdBy: ____, ...rest }: Query) => rest;
  expect(content(back)).toEqual(content(savedQuery));
});

it('a file of many queries neither blocks other work nor takes disproportionately long', async () => {
  const queriesOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...plain,
      name: index % 2 ? 'The same' : `Query ${index}`,
    }));
  const bytes = bytesOf({ queries: queriesOf(MAX_FILE_QUERIES) });
  const { longest, took } = await measuredTurns(async () => {
    const { queries } = await readQueryFile(bytes, 'q.json');
    const saved = queriesOf(MAX_FILE_QUERIES).map((query, index) => ({ ...query, id: `q-${index}` }));
    const plan = await planOf(queries, { saved, config: () => null });
    expect(plan.every(({ state }) => state === 'same')).toBe(true);
  });
  // One slice is a small part of the work; comparing every pair would be most of it, in one turn.
  expect(longest).toBeLessThan(took / 3);
  const { imported } = await sent(bytes);
  expect([imported.length, new Set(imported).size]).toEqual([MAX_FILE_QUERIES, MAX_FILE_QUERIES]);
});

it.each([
  [MAX_FILE_QUERIES - 1, true],
  [MAX_FILE_QUERIES, true],
  [MAX_FILE_QUERIES + 1, false],
  [240_000, false],
])('[limit 10 000 queries] a file of %i queries', async (count, isAccepted) => {
  const bytes = new TextEncoder().encode(JSON.stringify(Array.from({ length: count }, () => ({}))));
  expect(bytes.length).toBeLessThan(MAX_QUERY_FILE);
  const read = readQueryFile(bytes, 'q.json');
  if (isAccepted) expect((await read).queries).toHaveLength(count);
  else
    await expect(read).rejects.toMatchObject({
      code: 'bad-file',
      message: expect.stringContaining('Split it'),
    });
});
