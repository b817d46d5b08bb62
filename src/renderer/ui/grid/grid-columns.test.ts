import { describe, expect, it } from 'vitest';
import { arrange, type GridColumn, SELECT_COLUMN, toColDef, toLayout, toSort } from './grid-columns.tsx';

interface Row {
  a: string;
}
const column = (id: string, more: Partial<GridColumn<Row>> = {}): GridColumn<Row> => ({
  id,
  label: id,
  value: (row) => row.a,
  ...more,
});

describe('arrange', () => {
  const columns = [column('a', { flex: 1 }), column('b', { pinned: true }), column('c')];

  it('keeps the order of the query if there is no layout', () => {
    expect(arrange(columns, undefined).map((item) => item.id)).toEqual(['a', 'b', 'c']);
  });

  it('takes order, width, hidden and pinned from the layout; a chosen width replaces the flex', () => {
    const [c, a, b] = arrange(columns, [{ id: 'c', hidden: true }, { id: 'a', width: 90 }, { id: 'gone' }]);
    expect([c?.id, a?.id, b?.id]).toEqual(['c', 'a', 'b']);
    expect(c?.hidden).toBe(true);
    expect(a).toMatchObject({ width: 90, flex: undefined });
    expect(b?.pinned).toBe(true);
  });
});

describe('toLayout', () => {
  it('leaves out the checkbox column and the width of flexible columns', () => {
    const state = [
      { colId: SELECT_COLUMN, width: 34 },
      { colId: 'a', width: 300, flex: 1 },
      { colId: 'b', width: 90.4, hide: true, pinned: 'left' as const },
    ];
    expect(toLayout(state, [column('a'), column('b')])).toEqual([
      { id: 'a' },
      { id: 'b', width: 90, hidden: true, pinned: 'left' },
    ]);
  });

  it('records an unpinned column only if it was pinned from the start', () => {
    const state = [{ colId: 'a' }, { colId: 'b' }, { colId: 'c', pinned: 'right' as const }];
    const columns = [column('a', { pinned: 'right' }), column('b'), column('c', { pinned: true })];
    const layout = toLayout(state, columns);
    expect(layout).toEqual([{ id: 'a', pinned: false }, { id: 'b' }, { id: 'c', pinned: 'right' }]);
    expect(arrange(columns, layout).map(({ pinned }) => pinned)).toEqual([false, undefined, 'right']);
  });
});

describe('toSort', () => {
  it('sorts by sort index and returns dbIds', () => {
    const columns = [column('a', { sortId: 'db_a' }), column('b', { sortId: 'db_b' }), column('c')];
    const state = [
      { colId: 'a', sort: 'asc' as const, sortIndex: 1 },
      { colId: 'b', sort: 'desc' as const, sortIndex: 0 },
      { colId: 'c', sort: 'asc' as const, sortIndex: 2 },
    ];
    expect(toSort(state, columns)).toEqual([
      { dbId: 'db_b', direction: 'desc' },
      { dbId: 'db_a', direction: 'asc' },
    ]);
  });
});

describe('toColDef', () => {
  it('sorts verdicts by severity, and rows without one after them in ascending order', () => {
    const { comparator } = toColDef(column('verdict', { type: 'verdict', sortId: 'verdict' }), () => {
      throw new Error('Nothing is drawn');
    }, []);
    if (typeof comparator !== 'function') throw new Error('No comparator');
    const compare = comparator as (a: unknown, b: unknown) => number;
    const inProfile = ['clean', 'found', 'unheard-of', 'not-scanned', 'suspicious'].map((verdict) => ({
      verdict,
      code: null,
    }));
    expect([null, ...inProfile].sort(compare).map((value) => value?.verdict ?? null)).toEqual([
      'found',
      'suspicious',
      'unheard-of',
      'not-scanned',
      'clean',
      null,
    ]);
    expect(['clean', null, 'spam', 'found'].sort(compare)).toEqual(['found', 'spam', 'clean', null]);
  });
});
