import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { storedColumns } from './columns.ts';
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
