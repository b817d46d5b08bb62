import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { textOf } from '#shared/model/cell-text.ts';
import type { Cell } from '#shared/model/entities.ts';
import { storedColumns } from './columns.ts';
import { createEncoder } from './encode.ts';
import { termsOf } from './local-query.ts';
import { keyOf } from './record.ts';

const column = (id: string, type: string, multiValues = false) => ({ id, label: id, type, multiValues });
const columns = storedColumns([
  column('subject', 'text'),
  column('size', 'bytes'),
  column('received', 'date'),
  column('to', 'text', true),
]);
/** The values of a row as bound to SQLite. */
const encode = (row: Record<string, Cell>) => createEncoder(columns)(row).values;

it('needs no override for rows as declared', () => {
  expect(
    encode({ entity_id: 'a', subject: 'x', size: 1.5, received: '2026-01-01T00:00:00Z', to: ['b'] }),
  ).toEqual(['a', 0, null, null, 'x', 1.5, '2026-01-01T00:00:00Z', '["b"]']);
  expect(encode({ entity_id: 'a' })).toEqual(['a', 0, null, null, null, null, null, null]);
});

it('keeps an exact override for a cell that would not reproduce the value', () => {
  const row = encode({
    entity_id: 'a',
    subject: 7,
    size: 0.1 + 0.2,
    received: '2026-01-01T02:00:00+02:00',
    more: 1,
  });
  expect(JSON.parse(String(row[2]))).toEqual({ 0: 7, 1: 0.1 + 0.2, 2: '2026-01-01T02:00:00+02:00' });
  expect(JSON.parse(String(row[3]))).toEqual({ more: 1 });
  expect(row[6]).toBe('2026-01-01T00:00:00.000Z');
});

it.each([
  ['2026-01-01T02:00:00', '2026-01-01T02:00:00.000Z'],
  ['2026-01-01 02:00', '2026-01-01T02:00:00.000Z'],
  ['2026-01-01', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T02:00:00.1234567', '2026-01-01T02:00:00.123Z'],
  ['2026-01-01T02:00:00,5 +0545', '2025-12-31T20:15:00.500Z'],
  ['2026-01-01t02:00:00z', '2026-01-01T02:00:00.000Z'],
  ['1969-12-31T23:59:59-00:30', '1970-01-01T00:29:59.000Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:60Z'],
  ['2026-02-30T00:00:00', '2026-02-30T00:00:00'],
  ['10000-01-01T00:00:00Z', '10000-01-01T00:00:00Z'],
])('stores the instant %s as %s, whatever the time zone of this machine', (received, cell) => {
  vi.stubEnv('TZ', 'America/St_Johns');
  expect(encode({ entity_id: 'a', received })[6]).toBe(cell);
  vi.unstubAllEnvs();
});

it.each([
  [1_767_225_600, '2026-01-01T00:00:00.000Z'],
  [1_767_225_600_000, '2026-01-01T00:00:00.000Z'],
  [1_767_225_600.25, '2026-01-01T00:00:00.250Z'],
])('an instant sent as %s is the date %s, in the grid as in every file', (received, cell) => {
  const row = encode({ entity_id: 'a', received });
  expect([row[2], row[6]]).toEqual([null, cell]);
});

it('leaves to SQLite only numbers that it prints as JavaScript does', () => {
  const db = new Sqlite(':memory:');
  db.exec('CREATE TABLE t (a NUMERIC)');
  const insert = db.prepare('INSERT INTO t VALUES (?)');
  const print = db.prepare("SELECT format('%s', a) FROM t ORDER BY rowid").pluck();
  const decimals = fc
    .tuple(fc.integer({ min: 1, max: 17 }), fc.nat(), fc.nat({ max: 18 }), fc.constantFrom(1, -1), fc.nat())
    .map(([digits, high, shift, sign, low]) =>
      Number(`${sign * ((high * 2 ** 31 + low) % 10 ** Math.min(digits, 15))}e-${shift}`),
    );
  // Doubles whose rounding error is large relative to their last digit.
  const edges = fc
    .tuple(
      fc.constantFrom(9.765625e-4, 7.8125e-3, 8, 8_192, 8_388_608, 8_589_934_592),
      fc.nat({ max: 10 ** 9 }),
    )
    .map(([low, part]) => Number((low * (1 + (part / 10 ** 9) * 0.25)).toPrecision(1 + (part % 13))));
  const numbers = fc.sample(
    fc.oneof(decimals, edges, fc.double({ noNaN: true, noDefaultInfinity: true })),
    process.env['PARAPET_LONG'] ? 3_000_000 : 60_000,
  );
  const unstored = numbers.filter((size) => encode({ entity_id: 'a', size })[2] === null);
  expect(unstored.length).toBeGreaterThan(numbers.length / 5);
  db.transaction(() => {
    for (const size of unstored) insert.run(size);
  })();
  expect(print.all()).toEqual(unstored.map(String));
  db.close();
});

it('sets the formula-risk mask for cells that a spreadsheet would take for a formula', () => {
  expect(encode({ entity_id: 'a', subject: '=x', to: [' +1', 'b'] })[1]).toBe(0b1001);
  expect(encode({ entity_id: 'a', subject: 'x', size: -5 })[1]).toBe(0);
});

it('keeps a field without a column even after rows that had none, and integers in untyped columns', () => {
  const next = createEncoder([...columns, ...storedColumns([column('new', 'some-new-type')])]);
  expect(next({ entity_id: 'a', subject: 'x' }).values[3]).toBeNull();
  expect(next({ entity_id: 'b', subject: 'x', more: 1 }).values[3]).toBe('{"more":1}');
  expect(next({ entity_id: 'c', subject: 'x' }).values[3]).toBeNull();
  expect(next({ entity_id: 7, subject: 'x' }).values[3]).toBe('{"entity_id":7}');
  expect(next({ entity_id: 'd', new: 12 }).values.at(-1)).toBe(12n);
});

it.each<[Cell, string]>([
  [null, ''],
  [['a', 1, true, null], 'a; 1; true; null'],
  [[{ a: 1 }], '[{"a":1}]'],
  [{ a: 1 }, '{"a":1}'],
  [[], ''],
  [false, 'false'],
])('shows %j as %s', (value, text) => {
  expect(textOf(value)).toBe(text);
});

it('reads a quick search as words and quoted phrases', () => {
  expect(termsOf('  Invoice "final  notice" INV-2 invoice ')).toEqual(['invoice', 'final  notice', 'inv-2']);
  expect(termsOf(' " ')).toEqual(['"']);
});

it('gives equal queries the same key, whatever the order of their fields', () => {
  const payload = {
    query_domain: 'email',
    saas_id: 'm',
    query_entity_type: 'email',
    condition: { operator: 'and' as const, conditions: [] },
    columns: [],
    sort_by: [],
    include_copies: false,
  };
  const turned = Object.fromEntries(Object.entries(payload).reverse()) as typeof payload;
  expect(keyOf('c', turned, columns)).toBe(keyOf('c', payload, columns));
  expect(keyOf('d', payload, columns)).not.toBe(keyOf('c', payload, columns));
  expect(keyOf('c', { ...payload, include_copies: true }, columns)).not.toBe(keyOf('c', payload, columns));
});

it('keeps the labels of an enum as text, and other values as exact overrides', () => {
  const [verdict] = storedColumns([column('verdict', 'enum')]);
  expect(verdict?.storage).toBe('text');
  const rowOf = createEncoder([verdict!]);
  expect(rowOf({ entity_id: 'a', verdict: 'malicious' }).values).toEqual(['a', 0, null, null, 'malicious']);
  const number = rowOf({ entity_id: 'a', verdict: 3 }).values;
  expect(JSON.parse(String(number[2]))).toEqual({ 0: 3 });
  expect(storedColumns([column('stack', 'enum', true)])[0]?.storage).toBe('json');
});
