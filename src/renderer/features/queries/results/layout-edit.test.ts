import { describe, expect, it } from 'vitest';
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { layoutColumns, shownIds, withMoved, withShown, withStep } from './layout-edit.ts';

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
  it('starts with the order of the query, or of the service when it has none', () => {
    expect(layoutColumns(null, query, config).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(layoutColumns(null, { ...query, columns: [] }, config).map(({ id }) => id)).toEqual(['z']);
  });
  it('keeps its own order and takes what the query adds', () =>
    expect(layoutColumns({ columns: [{ id: 'b' }] }, query, config).map(({ id }) => id)).toEqual(['b', 'a']));
  it('hides and shows, keeping widths', () => {
    expect(withShown(columns, 'a', false)[0]).toEqual({ id: 'a', width: 90, hidden: true });
    expect(shownIds(withShown(columns, 'b', true))).toEqual(['a', 'c', 'b']);
    expect(shownIds(withShown(columns, 'new', true))).toEqual(['a', 'c', 'new']);
  });
  it('moves among the shown', () => {
    expect(shownIds(withStep(columns, 'a', 1))).toEqual(['c', 'a']);
    expect(shownIds(withStep(columns, 'a', -1))).toEqual(['a', 'c']);
    expect(withMoved(columns, 'c', 'a', false).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });
});
