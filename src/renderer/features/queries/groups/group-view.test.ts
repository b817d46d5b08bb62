import { describe, expect, it } from 'vitest';
import type { Groups } from '#shared/bridge/operations.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { validate } from '#shared/query/validate.ts';
import { groupColumns, hasReport, shownQuery, wantedColumns } from '../query-run.ts';
import { localConfig } from '../results/filter-bar.tsx';
import { groupRows, groupsCsv, namedAxis, severalOf } from './group-rows.ts';
import * as view from './group-view.ts';
import { spanText } from './labels.ts';

const columns = ['from_domain', 'verdict', 'received'].map((id) => ({
  id,
  label: id,
  type: id === 'received' ? 'date' : id === 'verdict' ? 'enum' : 'domain',
  multiValues: false,
}));
const field = (id: string, type: string, more = {}) => ({
  id,
  dbId: id,
  label: id,
  type,
  operators: [],
  ...more,
});
const config = {
  domain: 'email',
  fields: [
    field('from_domain', 'domain'),
    field('verdict', 'enum', { allowedValues: ['found', 'clean'].map((value) => ({ value, label: value })) }),
    field('received', 'date', { operators: ['before'] }),
  ],
  operators: STANDARD_OPERATORS.filter(({ id }) => id !== 'between'),
  columns: [],
  conditions: [],
  actions: [],
  sort: [{ dbId: 'received', direction: 'desc' }],
} as unknown as QueryConfig;
const query: NewQuery = {
  type: 'query',
  domain: 'email',
  entityType: 'email',
  name: 'q',
  columns: [{ id: 'from_domain', label: '', order: 0 }],
};
const analytics: NewQuery = {
  ...query,
  subType: 'analytics',
  reportColumns: [
    { id: 'verdict', label: '', order: 1 },
    { id: 'received', label: '', order: 0 },
    { id: 'gone', label: '', order: 2 },
  ],
};

describe('the groups of a result', () => {
  it('are the query’s own for an analytics query, which does not count as a report', () => {
    expect(groupColumns(analytics)).toEqual(['received', 'verdict', 'gone']);
    expect(view.groupViewOf(null, analytics, columns, config)).toEqual({
      open: true,
      by: [{ column: 'received' }, { column: 'verdict' }],
      most: 10,
      shape: 'line',
    });
    expect(hasReport(analytics)).toBe(false);
    expect(shownQuery({ query: analytics, asReport: true }).columns).toBe(query.columns);
    // Their columns are requested with the rows, as is the timeline's time column.
    expect(wantedColumns(analytics, config, null)).toEqual(['from_domain', 'verdict', 'received']);
    expect(wantedColumns(query, config, null)).toContain('received');
  });

  it('are otherwise closed, by verdict; the analyst’s choice wins, without columns that the rows lack', () => {
    expect(view.groupViewOf(null, query, columns, config)).toMatchObject({
      open: false,
      by: [{ column: 'verdict' }],
    });
    const layout = {
      columns: [],
      groups: {
        open: false,
        by: [{ column: 'gone' }, { column: 'from_domain' }],
        most: 50,
        shape: 'heat' as const,
      },
    };
    expect(view.groupViewOf(layout, analytics, columns, config)).toEqual({
      open: false,
      by: [{ column: 'from_domain' }],
      most: 50,
      // A heat map needs two columns.
      shape: 'bars',
    });
  });

  it('are saved as an analytics query, but never replace a report', () => {
    const grouped = view.withGroups(query, [{ column: 'verdict' }], columns);
    expect(grouped).toMatchObject({
      subType: 'analytics',
      reportColumns: [{ id: 'verdict', label: 'verdict', order: 0 }],
    });
    expect(view.unsavable(query)).toBeNull();
    expect(view.unsavable(analytics)).toBeNull();
    expect(view.unsavable({ ...query, subType: 'report' })).not.toBeNull();
    expect(view.unsavable({ ...query, reportColumns: query.columns })).not.toBeNull();
  });
});

describe('filtering for a group', () => {
  it('narrows the previous time span, and wraps an “any of” root', () => {
    const narrowed = view.withSpan(emptyGroup(), 'received', [0, 3_600_000]);
    expect(narrowed.conditions).toEqual([
      {
        field: 'received',
        operator: 'between',
        values: ['1970-01-01T00:00:00.000Z', '1970-01-01T00:59:59.999Z'],
      },
    ]);
    // A bar may begin or end outside of the span that its rows were counted in.
    const again = view.withSpan(narrowed, 'received', [-1_000, 1_000]);
    expect(again.conditions).toEqual([
      {
        field: 'received',
        operator: 'between',
        values: ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.999Z'],
      },
    ]);
    const any = {
      operator: 'or' as const,
      conditions: [{ field: 'verdict', operator: 'is', values: ['clean'] }],
    };
    expect(view.withSpan(any, 'received', [0, 1])).toMatchObject({ operator: 'and', conditions: [any, {}] });
  });

  it('keeps the rest of the filter, in which the group was counted', () => {
    const tree = emptyGroup();
    const several = (value: string | null) => ({ column: 'tags', value, several: true });
    expect(view.narrowedTo({ facets: { verdict: ['found'] }, tree }, [several('a')])).toEqual({
      facets: { verdict: ['found'], tags: ['a'] },
      tree,
    });
    expect(view.narrowedTo({ facets: { tags: ['a', 'b'] }, tree }, [several('b')]).facets).toEqual({
      tags: ['b'],
    });
    // A row was counted for each of its tags.
    const both = view.narrowedTo({ facets: { tags: ['a'] }, tree }, [several('b')]);
    expect(both).toMatchObject({
      facets: { tags: ['a'] },
      tree: { conditions: [{ field: 'tags', operator: 'is', values: ['b'] }] },
    });
    const local = localConfig(
      { ...config, fields: [{ ...config.fields[0]!, id: 'tags', multiValues: true, operators: [] }] },
      ['tags'],
    );
    expect(validate(both.tree, local)).toEqual([]);
  });

  it('works on this machine even if the service lacks the operator', () => {
    const local = localConfig(config, ['received']);
    expect(validate(view.withSpan(emptyGroup(), 'received', [0, 1]), local)).toEqual([]);
    expect(validate(view.withSpan(emptyGroup(), 'received', [0, 1]), config)).not.toEqual([]);
  });
});

it.each([
  ['a part of a day', '2026-10-27T06:00:00Z', '2026-10-27T12:00:00Z', '2026-10-27 06:00 to 12:00 UTC'],
  ['to midnight', '2026-10-27T12:00:00Z', '2026-10-28T00:00:00Z', '2026-10-27 12:00 to 24:00 UTC'],
  [
    'several days',
    '2026-10-26T00:00:00Z',
    '2026-11-02T00:00:00Z',
    '2026-10-26 00:00 to 2026-11-02 00:00 UTC',
  ],
  ['seconds', '2026-10-27T12:00:00Z', '2026-10-27T12:00:30Z', '2026-10-27 12:00:00 to 12:00:30 UTC'],
  [
    'an hour that occurs twice',
    '2026-10-25T00:00:00Z',
    '2026-10-25T01:00:00Z',
    '2026-10-25 02:00 UTC+02:00 to 02:00 UTC+01:00',
    { tenant: 'Europe/Berlin' },
  ],
] satisfies [string, string, string, string, ClockSetting?][])(
  'a span of time in words: %s',
  (_, from, to, words, clock: ClockSetting = 'utc') =>
    expect(spanText(Date.parse(from), Date.parse(to), clock)).toBe(words),
);

describe('the group table', () => {
  const groups: Groups = {
    rows: 10,
    loaded: 10,
    first: null,
    last: null,
    axes: [
      { column: 'from_domain', values: ['=cmd()', null], distinct: 5, several: true },
      { column: 'received', step: { ms: 3_600_000 }, edges: [0, 3_600_000], aside: 0 },
    ],
    cells: [
      { at: [0, 0], count: 6, first: 0, last: 1_000 },
      { at: [1, 1], count: 1, first: null, last: null },
      { at: [2, 0], count: 3, first: 5, last: 5 },
    ],
  };
  const axes = groups.axes.map((axis) => namedAxis(axis, axis.column, undefined, 'utc'));
  const rows = groupRows(groups, axes);

  it('[promise] has names, shares and a filter for each group', () => {
    expect(rows.map(({ names }) => names)).toEqual([
      ['=cmd()', '1970-01-01 00:00 to 01:00 UTC'],
      ['Unknown', 'No time'],
      ['Other (3 values)', '1970-01-01 00:00 to 01:00 UTC'],
    ]);
    expect(rows.map(({ share }) => share)).toEqual([0.6, 0.1, 0.3]);
    expect(rows.map(({ filters }) => filters)).toEqual([
      [
        { column: 'from_domain', value: '=cmd()', several: true },
        { column: 'received', span: [0, 3_600_000] },
      ],
      [
        { column: 'from_domain', value: null, several: true },
        { column: 'received', value: null, several: false },
      ],
      null,
    ]);
    expect(severalOf(groups)).toBe(true);
  });

  it('is exported as formula-safe CSV', () => {
    const [header, first] = groupsCsv(rows, axes, 'utc').split('\r\n');
    expect(header).toBe('from_domain,received,Rows,Share,First seen,Last seen');
    expect(first).toMatch(/^"?'=cmd\(\)/);
    expect(first).toContain(',6,0.600000,1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z');
  });
});
