import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MAX_QUERY_FILE } from '#shared/query/query-file.ts';
import { readCapped, readQueryFile, writeQueryFile } from './read.ts';

const query = { type: 'query', domain: 'email', entityType: 'email', name: 'Overdue', columns: [] };
const file = (change: object) => ({ kind: 'parapet-queries', version: 1, queries: [query], ...change });
const check = (value: unknown) =>
  readQueryFile(
    new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)),
    'q.json',
  );

it('accepts a complete file', async () => {
  expect(await check(file({}))).toEqual({
    queries: [{ label: 'Overdue', query, asRead: null, reason: null, isQuery: true }],
    frame: { kind: 'parapet-queries', version: 1 },
    notes: [],
  });
});

it.each([
  ['broken in the middle', '{\n  "kind": "parapet-queries",\n  oops\n}', 'line 3, column 3'],
  ['cut short', '{"kind": "parapet-quer', 'line 1'],
  ['empty', '', 'line 1, column 1'],
  ['another kind', { hello: 1 }, 'not a query file'],
  ['a list', [1], 'not a query file'],
  ['a later version', file({ version: 2 }), 'has version 2'],
  ['without queries', file({ queries: [] }), 'holds no queries'],
  ['nested without end', `{"queries":${'['.repeat(100_000)}`, 'nests too deep'],
])('[bad input] a refused query file says what is wrong: %s', async (_, value, message) => {
  await expect(check(value)).rejects.toThrow(message);
});

it('reports bytes that are not text', async () => {
  await expect(readQueryFile(new Uint8Array([0xff, 0xfe, 0]), 'q.json')).rejects.toThrow('not UTF-8');
});

const deep = (levels: number): object =>
  levels === 0
    ? { field: 'subject', operator: 'is', values: ['x'] }
    : { operator: 'and', conditions: [deep(levels - 1)] };

it.each([
  ['without a domain', { ...query, domain: undefined }, 'The field domain'],
  ['that is none', 7, 'It is not a query'],
  ['without a name', { ...query, name: '  ' }, 'The name is empty'],
  [
    'with a filter that is none',
    { ...query, filter: { operator: 'xor', conditions: [] } },
    'The field filter',
  ],
  ['with groups too deep', { ...query, filter: deep(33) }, '32 deep at most'],
])('says why a query is incomplete, and accepts the others: %s', async (_, broken, reason) => {
  const { queries } = await check(file({ queries: [query, broken] }));
  expect(queries.map((query) => query.query === null)).toEqual([false, true]);
  expect(queries[1]?.reason).toContain(reason);
});

it('[spec 3, bad input] keeps fields that it does not know, and reports them and duplicate names', async () => {
  const novel = { ...query, novel: { a: 1 } };
  const read = await check(file({ queries: [novel, query] }));
  expect(read.queries[0]?.query).toEqual(novel);
  expect(read.notes.join(' ')).toMatch(/more than once.*Overdue.*kept as they are: novel/s);
  const again = await readQueryFile(writeQueryFile([novel as never]), 'q.json');
  expect(again.queries[0]?.query).toEqual(novel);
});

it('reads queries in the forms that services give them, with every condition', async () => {
  const { queries } = await check([
    {
      label: 'Größe',
      query_domain: 'email',
      filter: { operator: 'OR', conditions: [{ field: 'subject', operator: 'is', values: 'x' }] },
      sort: { db_id: 'received', direction: 'DESC' },
      scheduled_export: {
        email_list: 'a@b.example',
        format: 'csv',
        frequency: 'daily',
        time: '07:30',
        week: 0,
      },
    },
    { ...query, filter: { operator: 'XOR', conditions: [] } },
  ]);
  expect(queries[0]?.query).toMatchObject({
    name: 'Größe',
    domain: 'email',
    filter: { operator: 'or', conditions: [{ field: 'subject', operator: 'is', values: ['x'] }] },
    sort: [{ dbId: 'received', direction: 'desc' }],
    scheduledExport: { emails: ['a@b.example'], week: null },
  });
  expect(queries[1]).toMatchObject({ query: null, reason: expect.stringContaining('filter.operator') });
});

it('keeps every digit of a number, as in the answers that it is compared with', async () => {
  const filter =
    '{"operator":"and","conditions":[{"field":"id","operator":"is","values":[9007199254740993]}]}';
  const text = JSON.stringify(file({ queries: [{ ...query, filter: 0 }] })).replace(
    '"filter":0',
    `"filter":${filter}`,
  );
  const { queries } = await check(text);
  expect(queries[0]?.query?.filter?.conditions[0]).toMatchObject({ values: ['9007199254740993'] });
  // Written again, it is a number again.
  const written = new TextDecoder().decode(writeQueryFile(queries.flatMap((item) => item.query ?? [])));
  expect(written.replace(/\s/g, '')).toContain('"values":[9007199254740993]');
  expect(written).not.toContain('longNumbers');
});

it('[bad input] refuses a file that is too large unread, and one that no longer exists', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-queries-'));
  const path = join(folder, 'big.json');
  writeFileSync(path, '');
  truncateSync(path, MAX_QUERY_FILE + 1);
  await expect(readCapped({ path, name: 'big.json' }, MAX_QUERY_FILE)).rejects.toMatchObject({
    code: 'bad-file',
  });
  rmSync(folder, { recursive: true });
  await expect(readCapped({ path, name: 'big.json' }, MAX_QUERY_FILE)).rejects.toMatchObject({
    code: 'path-missing',
  });
});
