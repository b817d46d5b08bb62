import { describe, expect, it } from 'vitest';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { FieldConfig, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import * as run from './query-run.ts';
import { soughtIn } from './results/search-terms.ts';

const field = (id: string, more: Partial<FieldConfig> = {}): FieldConfig => ({
  id,
  dbId: `db_${id}`,
  label: id.toUpperCase(),
  type: 'text',
  operators: ['is'],
  sortable: true,
  ...more,
});
const words = (...values: string[]) => values.map((value) => ({ value, label: value }));
const config: QueryConfig = {
  operators: [],
  fields: [field('a'), field('b', { sortable: false }), field('c'), field('verdict_code')],
  columns: [{ id: 'a', label: 'A', order: 0 }],
  conditions: [],
  actions: [],
  sort: [{ dbId: 'db_a', direction: 'desc' }],
};
const query: NewQuery = { type: 'query', domain: 'email', entityType: 'email', name: '', columns: [] };
const column = (id: string, order: number) => ({ id, label: `My ${id}`, order });

describe('the columns a run asks for', () => {
  it('[spec 3] are the default ones and the supporting ones', () =>
    expect(run.wantedColumns(query, config, null)).toEqual(['a', 'verdict_code']));
  it('are the query’s in its order, then the analyst’s, without unknown ones', () => {
    const bare = { ...query, columns: [column('c', 2), column('gone', 1), column('a', 0)] };
    const layout = { columns: [{ id: 'b' }, { id: 'a', hidden: true }] };
    expect(run.wantedColumns(bare, config, layout)).toEqual(['a', 'c', 'b', 'verdict_code']);
    expect(run.resultColumns(['c', 'gone'], config, bare)).toEqual([
      { id: 'c', label: 'My c', type: 'text', multiValues: false },
    ]);
  });
});

describe('the columns that are shown', () => {
  const match = field('hit', { operators: [], matchOf: 'b' });
  const withHits = { ...config, fields: [...config.fields, match] };
  const asking = (negate: boolean): NewQuery => ({
    ...query,
    filter: {
      operator: 'and',
      conditions: [
        {
          operator: 'or',
          negate,
          conditions: [{ field: 'b', operator: 'contains_text', values: ['Ärger'] }],
        },
      ],
    },
  });
  it('[spec 3] include the column with the matched text while a condition searches the body', () => {
    expect(run.shownColumns(asking(false), withHits).map(({ id }) => id)).toEqual(['a', 'hit']);
    expect(run.shownColumns(query, withHits).map(({ id }) => id)).toEqual(['a']);
    expect(run.shownColumns(asking(false), config).map(({ id }) => id)).toEqual(['a']);
    const bare = { ...asking(false), columns: [column('hit', 0), column('a', 1)] };
    expect(run.shownColumns(bare, withHits).map(({ id }) => id)).toEqual(['hit', 'a']);
  });
  it('highlight search terms, but not those of negated conditions', () => {
    expect(soughtIn(asking(false).filter, withHits)).toEqual([{ terms: ['arger'], columns: ['hit', 'b'] }]);
    expect(soughtIn(asking(true).filter, withHits)).toEqual([]);
  });
});

describe('layouts', () => {
  const report = { ...query, reportColumns: [column('c', 0)] };
  it('are separate for a query and its report, before and after the first save', () => {
    const keys = [null, 'saved'].flatMap((savedId) =>
      [false, true].map((asReport) => run.layoutKey({ id: 'draft', savedId, query: report, asReport })),
    );
    expect(new Set(keys).size).toBe(4);
    expect(keys).toEqual([
      ...Object.values(run.layoutKeysOf('draft')),
      ...Object.values(run.layoutKeysOf('saved')),
    ]);
  });
  it('are shared if the query has no report', () => {
    expect(run.layoutKey({ id: 'draft', savedId: 'saved', query, asReport: true })).toBe('saved');
  });
});

describe('the sort', () => {
  it('is the analyst’s, else the query’s, else the service’s', () => {
    const asc = [{ dbId: 'db_c', direction: 'asc' as const }];
    expect(run.sortOf(query, config, null)).toEqual(config.sort);
    expect(run.sortOf({ ...query, sort: asc }, config, null)).toEqual(asc);
    expect(run.sortOf(query, config, { columns: [], sort: asc })).toEqual(asc);
  });
  it('[spec 3] is left to the service only if it can sort by the field', () => {
    expect(run.isServiceSort([{ dbId: 'db_a', direction: 'asc' }], config)).toBe(true);
    expect(run.isServiceSort([{ dbId: 'db_b', direction: 'asc' }], config)).toBe(false);
    // The specification has no `sortable`, so a field without it counts as sortable.
    const plain = { ...config, fields: [field('c', { sortable: undefined })] };
    expect(run.isServiceSort([{ dbId: 'db_c', direction: 'asc' }], plain)).toBe(true);
    expect(run.localSort([{ dbId: 'db_b', direction: 'asc' }], config)).toEqual([
      { dbId: 'b', direction: 'asc' },
    ]);
  });
});

describe('the payload', () => {
  const tree = {
    operator: 'and' as const,
    conditions: [
      { field: 'a', operator: 'is', values: ['x'] },
      { field: 'b', operator: 'is', values: ['y'], disabled: true },
    ],
  };
  const payload = run.runPayload({ query: { ...query, filter: tree } }, ['a'], []);
  it('[spec 3, spec 7] leaves out disabled conditions, and covers all apps if none is named', () => {
    expect(payload.condition.conditions).toEqual([tree.conditions[0]]);
    expect(payload).toMatchObject({ query_domain: 'email', saas_id: 'all', include_copies: false });
  });
  it('[spec 7] for the count is the same for any columns and sort', () =>
    expect(run.countPayload(payload)).toEqual(
      run.countPayload(run.runPayload({ query: { ...query, filter: tree } }, ['c'], config.sort ?? [])),
    ));
});

describe('verdict fields', () => {
  it.each([
    [field('v', { allowedValues: words('found', 'clean', 'unknown') }), true, false],
    [field('s', { multiValues: true, allowedValues: words('te:found', 'te:clean') }), false, true],
    [field('state', { allowedValues: words('Inbox', 'clean') }), false, false],
    [field('plain'), false, false],
  ])('%#', (name, verdict, stack) => {
    expect(run.isVerdictField(name)).toBe(verdict);
    expect(run.isStackField(name)).toBe(stack);
  });
});

describe('the actions of a query', () => {
  const config = {
    operators: [],
    fields: [],
    columns: [],
    conditions: [],
    actions: ['quarantine', 'restore', 'tag'].map((id) => ({ id, label: id.toUpperCase() })),
  };
  const offered = (actionsList: string[] | null) =>
    run.actionsOf({ actionsList }, config).map(({ action, missing }) => [action.label, missing]);

  it('are all of the service’s if the query has no list', () => {
    for (const list of [null, []])
      expect(offered(list)).toEqual([
        ['QUARANTINE', false],
        ['RESTORE', false],
        ['TAG', false],
      ]);
  });

  it('[spec 3] are those of its own list, in order; one that the service lacks is listed as missing', () => {
    expect(offered(['tag', 'old_action', 'quarantine', 'tag'])).toEqual([
      ['TAG', false],
      ['Old action', true],
      ['QUARANTINE', false],
    ]);
  });
});

describe('the draft of the rows', () => {
  const queryOf = (value: string): NewQuery => ({
    ...query,
    filter: { operator: 'and', conditions: [{ field: 'a', operator: 'is', values: [value] }] },
  });
  const draft: Draft = {
    id: 'd',
    connectionId: 'c',
    query: queryOf('invoice'),
    savedId: null,
    saved: null,
    updatedAt: 0,
  };
  const rows = { ...draft, ran: run.takenBy(draft) };
  it('keeps the conditions of the run while others are in the builder', () =>
    expect(run.draftOfRun({ ...rows, query: queryOf('payroll') }).query.filter).toEqual(draft.query.filter));
  it('keeps the kind of rows, so that actions of another kind are never offered over them', () => {
    const edited = { ...rows, query: { ...query, domain: 'file', entityType: 'file' } };
    expect(run.draftOfRun(edited).query).toEqual(draft.query);
  });
  it('keeps whether the run included copies', () =>
    expect(run.draftOfRun({ ...rows, includeCopies: true }).includeCopies).toBeUndefined());
  it('is the draft itself while the question is the same', () => {
    const named = { ...rows, query: { ...draft.query, name: 'Invoices' } };
    expect(run.draftOfRun(named)).toBe(named);
  });
});
