import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { Cell } from '#shared/model/entities.ts';
import { sqlFunctions } from '#shared/query/sql-functions.ts';
import type { Condition } from '#shared/query/tree.ts';
import { declarations, storedColumns } from './columns.ts';
import { conditionSql } from './condition.ts';
import { createEncoder } from './encode.ts';

const columns = storedColumns([{ id: 'at', label: 'At', type: 'date', multiValues: false }]);
const NOW = Date.UTC(2026, 10, 20, 12);
const count = (text: string, operator: string, ...values: string[]): unknown => {
  const { sql, params } = conditionSql(
    columns,
    { operator: 'and', conditions: [{ field: 'at', operator, values }] },
    NOW,
  );
  const db = new Sqlite(':memory:');
  try {
    db.exec(`CREATE TABLE t (${columns[0]?.sql})`);
    db.prepare('INSERT INTO t VALUES (?)').run(
      createEncoder(columns)({ entity_id: 'a', at: text }).values[4],
    );
    return db.prepare(`SELECT count(*) FROM t r WHERE ${sql}`).pluck().get(params);
  } finally {
    db.close();
  }
};

it.each([
  '2026-11-20T00:00:00Z',
  '2026-11-20T00:00:00.0Z',
  '2026-11-20T00:00:00.00Z',
  '2026-11-20T00:00:00.000Z',
  '2026-11-20T00:00:00.0000000Z',
  '2026-11-20T00:00:00.0004999Z',
  '2026-11-20T00:00:00',
  '2026-11-20T05:45:00.000000000+05:45',
])('%s is at the start of its day, whatever its precision', (text) => {
  expect(count(text, 'is', '2026-11-20')).toBe(1);
  expect(count(text, 'before', '2026-11-20')).toBe(0);
  expect(count(text, 'after', '2026-11-19')).toBe(1);
  expect(count(text, 'between', '2026-11-20', '2026-11-20')).toBe(1);
  expect(count(text, 'in_the_last', '12', 'hours')).toBe(1);
});

it.each(['2026-11-19T23:59:59.9Z', '2026-11-19T23:59:59.9999999Z'])('%s is at the end of its day', (text) => {
  expect(count(text, 'after', '2026-11-19')).toBe(0);
  expect(count(text, 'is', '2026-11-19')).toBe(1);
});

/** Whether a condition holds for one value of a column. */
function holds(
  value: Cell,
  type: string,
  isMulti: boolean,
  operator: string,
  ...values: Condition['values']
): boolean {
  const columns = storedColumns([{ id: 'c', label: 'C', type, multiValues: isMulti }]);
  const tree = { operator: 'and' as const, conditions: [{ field: 'c', operator, values }] };
  const { sql, params } = conditionSql(columns, tree, NOW);
  const db = new Sqlite(':memory:');
  try {
    for (const [name, run] of Object.entries(sqlFunctions().functions))
      db.function(name, { varargs: true }, run as (...args: unknown[]) => unknown);
    db.exec(`CREATE TABLE t (x${declarations(columns)})`);
    db.prepare('INSERT INTO t VALUES (NULL, ?)').run(
      createEncoder(columns)({ entity_id: 'a', c: value }).values[4],
    );
    return db.prepare(`SELECT count(*) FROM t r WHERE ${sql}`).pluck().get(params) === 1;
  } finally {
    db.close();
  }
}

it.each(['soon', 'n/a', '-', '11/20/2026'])('%s is no date: neither before nor after one', (text) => {
  for (const isMulti of [false, true]) {
    const value = isMulti ? [text] : text;
    expect(holds(value, 'date', isMulti, 'before', '2026-11-20')).toBe(false);
    expect(holds(value, 'date', isMulti, 'after', '2000-01-01')).toBe(false);
    expect(holds(value, 'date', isMulti, 'is_empty')).toBe(false);
  }
});

it('a date is the same as milliseconds, and in a list', () => {
  const text = '2026-11-20T00:30:00+01:00';
  for (const [value, isMulti] of [
    [Date.parse(text), false],
    [[text], true],
    [[Date.parse(text)], true],
    [['2026-11-19T23:59:59Z'], true],
  ] as const) {
    expect(holds(value as Cell, 'date', isMulti, 'is', '2026-11-19')).toBe(true);
    expect(holds(value as Cell, 'date', isMulti, 'before', '2026-11-20')).toBe(true);
    expect(holds(value as Cell, 'date', isMulti, 'after', '2026-11-19')).toBe(false);
  }
});

it('a text is not greater than a number', () => {
  expect(holds('unknown', 'number', false, 'greater_than', 5)).toBe(false);
  expect(holds(['unknown'], 'number', true, 'greater_than', 5)).toBe(false);
  expect(holds('6', 'number', false, 'greater_than', 5)).toBe(true);
});

it.each<[Cell, string, Condition['values'][number]]>([
  [12_345, 'text', '12345'],
  ['ann@x.example', 'email', 'ANN@x.example'],
  [7, 'number', 7],
])('%j in a column of %s is %j, also where the column has lists', (value, type, expected) => {
  for (const isMulti of [false, true]) {
    expect(holds(value, type, isMulti, 'is', expected)).toBe(true);
    expect(holds(value, type, isMulti, 'is_empty')).toBe(false);
  }
});

it('a boolean in a column of text is its word', () => {
  expect(holds(true, 'text', false, 'is', 'true')).toBe(true);
});

it('NUL does not end a text of a list', () => {
  expect(holds(['a\0b'], 'text', true, 'ends_with', 'a')).toBe(false);
  expect(holds(['a\0b'], 'text', true, 'ends_with', 'b')).toBe(true);
});
