import { expect, it } from 'vitest';
import type { QueryConfig } from '#shared/model/entities.ts';
import { reachesBack, withMissing } from './use-columns.ts';

const config: QueryConfig = {
  operators: [],
  fields: ['a', 'b'].map((id) => ({ id, dbId: id, label: id, type: 'text', operators: [] })),
  columns: [],
  conditions: [],
  actions: [],
};
const grid = (id: string) => ({ id, label: id.toUpperCase(), value: () => null });
const declared = ['a', 'gone', 'b'].map((id, order) => ({ id, label: `My ${id}`, order }));

it('[spec 3] a column that the service no longer has keeps its position, is marked as missing and has no values', () => {
  const columns = withMissing([grid('a'), grid('b'), grid('hidden')], ['a', 'gone', 'b'], declared, config);
  expect(columns.map(({ id }) => id)).toEqual(['a', 'gone', 'b', 'hidden']);
  const [, gone] = columns;
  expect(gone?.label).toBe('My gone (missing)');
  const row = { id: '1', cells: [] };
  expect([gone?.value(row), gone?.notApplicable?.(row), gone?.sortId]).toEqual([null, true, undefined]);
});

it('no column is added if another run will fetch it, or if it was removed', () => {
  const columns = [grid('a')];
  expect(withMissing(columns, ['a', 'b'], declared, config)).toBe(columns);
  expect(withMissing(columns, ['a'], declared, config)).toBe(columns);
});

it.each([
  ['demo', 'email', false],
  ['tenant', 'click', false],
  ['tenant', 'file', true],
  ['tenant', 'user', true],
  ['evidence', 'email', true],
] as const)('of a %s, times of %s: room for the year is %s', (connection, domain, room) =>
  expect(reachesBack(connection, domain)).toBe(room),
);
