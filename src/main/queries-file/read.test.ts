import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkQueryFile, MAX_QUERY_FILE, placeOf, readCapped } from './read.ts';

const query = { type: 'query', domain: 'email', entityType: 'email', name: 'Overdue', columns: [] };
const file = (change: object) => ({ kind: 'parapet-queries', version: 1, queries: [query], ...change });
const check = (value: unknown) =>
  checkQueryFile(
    new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)),
    'q.json',
  );

it('takes a whole file', () => {
  expect(check(file({}))).toMatchObject({ labels: ['Overdue'], notes: [] });
});

it.each([
  ['broken in the middle', '{\n  "kind": "parapet-queries",\n  oops\n}', 'line 3, column 3'],
  ['cut short', '{"kind": "parapet-quer', 'line 1'],
  ['empty', '', 'line 1, column 1'],
  ['another kind', { hello: 1 }, 'not a query file'],
  ['a list', [1], 'not a query file'],
  ['a later version', file({ version: 2 }), 'has version 2'],
  ['without queries', file({ queries: [] }), 'holds no queries'],
  [
    'a query without a domain',
    file({ queries: [{ ...query, domain: undefined }] }),
    '"Overdue", field domain',
  ],
  ['a query that is none', file({ queries: [7] }), '"Query 1"'],
])('tells what is wrong: %s', (_, value, message) => {
  expect(() => check(value)).toThrow(message);
});

it('tells bytes that are no text', () => {
  expect(() => checkQueryFile(new Uint8Array([0xff, 0xfe, 0]), 'q.json')).toThrow('not UTF-8');
});

it('keeps fields that it does not know, and tells them and names that occur twice', () => {
  const bytes = new TextEncoder().encode(
    JSON.stringify(file({ queries: [{ ...query, novel: { a: 1 } }, query] })),
  );
  const checked = checkQueryFile(bytes, 'q.json');
  expect(checked.bytes).toBe(bytes);
  expect(checked.notes.join(' ')).toMatch(/more than once.*Overdue.*kept as they are: novel/s);
});

it('refuses a file that is too large unread, and one that is gone', async () => {
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

it('counts lines and columns from one', () => {
  expect(placeOf('ab\ncd', 0)).toEqual({ line: 1, column: 1 });
  expect(placeOf('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
});
