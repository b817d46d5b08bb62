import { describe, expect, it } from 'vitest';
import type { Column, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import {
  columnsToSave,
  layoutColumns,
  shownIds,
  withAbsent,
  withColumn,
  withLabel,
  withMoved,
  withoutColumn,
  withPinned,
  withPlace,
  withShown,
  withStep,
  withWidth,
} from './columns-edit.ts';

const saved: Column[] = ['a', 'b', 'c'].map((id, order) => ({
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
])('moves %s to %i', (id, to, expected) => expect(ids(withPlace(saved, id, to))).toBe(expected));

it('[spec 3] a custom label can be set and cleared', () => {
  expect(withLabel(saved, 'b', 'Sender').map(({ label }) => label)).toEqual(['A', 'Sender', 'C']);
  expect(withLabel(saved, 'b', '')[1]).toMatchObject({ id: 'b', label: '', note: 'kept' });
});

it('[spec 3] columns are added with the field’s label and width, removed, and keep unknown properties', () => {
  const field = { id: 'd', dbId: 'x', label: 'D', type: 'text', operators: [], width: 90 };
  expect(withColumn(saved, field).at(-1)).toEqual({ id: 'd', label: 'D', order: 3, width: 90 });
  expect(ids(withoutColumn(saved, 'a'))).toBe('b0 c1');
  expect(withPlace(saved, 'c', 0)[0]).toMatchObject({ note: 'kept' });
});

it('invalid widths are ignored', () => {
  const width = (value: number | null) => withWidth(saved, 'a', value)[0]?.width;
  expect([width(120.4), width(1e9), width(null), width(Number.NaN), width(-5)]).toEqual([
    120,
    2000,
    undefined,
    undefined,
    undefined,
  ]);
});

const column = (id: string, order: number) => ({ id, label: id, order });
const query: NewQuery = {
  type: 'query',
  domain: 'email',
  entityType: 'email',
  name: '',
  columns: [column('b', 1), column('a', 0)],
};
const config: QueryConfig = {
  operators: [],
  fields: [],
  columns: [column('z', 0)],
  conditions: [],
  actions: [],
};
const columns = [{ id: 'a', width: 90 }, { id: 'b', hidden: true }, { id: 'c' }];

describe('a personal layout', () => {
  it('starts with the query’s columns, or the service’s if the query has none', () => {
    expect(layoutColumns(null, query, config).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(layoutColumns(null, { ...query, columns: [] }, config).map(({ id }) => id)).toEqual(['z']);
  });
  it('leaves no column out, even if there are many', () => {
    const ids = ['received', 'stack', 'to', 'recipients', 'state', 'clicks', 'department', 'subject'];
    const eight = { ...query, columns: ids.map((id, order) => column(id, order)) };
    expect(shownIds(layoutColumns(null, eight, config))).toEqual(ids);
  });
  it('keeps its order and appends columns that the query adds', () =>
    expect(layoutColumns({ columns: [{ id: 'b' }] }, query, config).map(({ id }) => id)).toEqual(['b', 'a']));
  it('hides and shows, keeping widths', () => {
    expect(withShown(columns, 'a', false)[0]).toEqual({ id: 'a', width: 90, hidden: true });
    expect(shownIds(withShown(columns, 'b', true))).toEqual(['a', 'c', 'b']);
    expect(shownIds(withShown(columns, 'new', true))).toEqual(['a', 'c', 'new']);
  });
  it('follows the query’s pinned columns until the analyst changes them', () => {
    const pinned = { ...query, columns: [{ ...column('a', 0), pinned: 'right' }, column('b', 1)] };
    const first = layoutColumns(null, pinned, config);
    expect(first).toEqual([{ id: 'a', pinned: 'right' }, { id: 'b' }]);
    const unpinned = withPinned(first, 'a', null);
    expect(layoutColumns({ columns: unpinned }, pinned, config)[0]).toEqual({ id: 'a', pinned: false });
    expect(withPinned(unpinned, 'b', 'left')[1]).toEqual({ id: 'b', pinned: 'left' });
  });
  it('is saved with the query without losing other column properties', () => {
    const before = [{ ...column('a', 0), pinned: 'left', note: 'theirs' }, column('b', 1)];
    const shown = [
      { id: 'b', label: 'b' },
      { id: 'a', label: 'a' },
    ];
    expect(
      columnsToSave(
        [
          { id: 'b', width: 80, pinned: 'right' },
          { id: 'a', pinned: false },
        ],
        shown,
        before,
      ),
    ).toEqual([
      { id: 'b', label: 'b', order: 0, width: 80, pinned: 'right' },
      { id: 'a', label: 'a', order: 1, note: 'theirs' },
    ]);
  });
  it('keeps columns that the current rows lack', () => {
    const before = [{ id: 'x' }, { id: 'a' }, { id: 'y', width: 7 }, { id: 'z' }, { id: 'b' }];
    const arranged = [{ id: 'b' }, { id: 'a', width: 9 }];
    expect(withAbsent(arranged, before)).toEqual([
      { id: 'x' },
      { id: 'b' },
      { id: 'a', width: 9 },
      { id: 'y', width: 7 },
      { id: 'z' },
    ]);
    expect(withAbsent(arranged, [])).toEqual(arranged);
  });
  it('moves a column among the visible ones', () => {
    expect(shownIds(withStep(columns, 'a', 1))).toEqual(['c', 'a']);
    expect(shownIds(withStep(columns, 'a', -1))).toEqual(['a', 'c']);
    expect(withMoved(columns, 'c', 'a', false).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });
});
