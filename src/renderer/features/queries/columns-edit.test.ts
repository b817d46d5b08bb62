import { expect, it } from 'vitest';
import type { Column } from '#shared/model/entities.ts';
import { withColumn, withoutColumn, withPlace, withWidth } from './columns-edit.ts';

const columns: Column[] = ['a', 'b', 'c'].map((id, order) => ({
  id,
  label: id.toUpperCase(),
  order,
  note: 'kept',
}));
const ids = (list: readonly Column[]) => list.map(({ id, order }) => `${id}${order}`).join(' ');

it.each([
  ['c', 0, 'c0 a1 b2'],
  ['a', 2, 'b0 c1 a2'],
  ['a', 9, 'b0 c1 a2'],
  ['b', -1, 'b0 a1 c2'],
  ['gone', 0, 'a0 b1 c2'],
])('moves %s to %i', (id, to, expected) => expect(ids(withPlace(columns, id, to))).toBe(expected));

it('adds with the field’s label and width, removes, and keeps what it does not know', () => {
  const field = { id: 'd', dbId: 'x', label: 'D', type: 'text', operators: [], width: 90 };
  expect(withColumn(columns, field).at(-1)).toEqual({ id: 'd', label: 'D', order: 3, width: 90 });
  expect(ids(withoutColumn(columns, 'a'))).toBe('b0 c1');
  expect(withPlace(columns, 'c', 0)[0]).toMatchObject({ note: 'kept' });
});

it('takes widths that can be some', () => {
  const width = (value: number | null) => withWidth(columns, 'a', value)[0]?.width;
  expect([width(120.4), width(1e9), width(null), width(Number.NaN), width(-5)]).toEqual([
    120,
    2000,
    undefined,
    undefined,
    undefined,
  ]);
});
