import { expect, it } from 'vitest';
import { callRefusal } from '#shared/api/access.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { actionChoices, byRole } from './act-menu.tsx';
import { EVERYTHING, NOTHING, type Selection, withRows } from './selection.ts';
import type { Browse } from './use-browse.ts';

const FILTER = { text: 'x', facets: {} };
const choices = (options: {
  result?: Partial<ResultSet>;
  selection?: Selection;
  focused?: string;
  filtering?: boolean;
  total?: number;
}) => {
  const result = { loaded: 10, total: 10, atLeast: false, ...options.result };
  const selection = options.selection ?? NOTHING;
  const here = options.filtering ? (options.total ?? 4) : result.loaded;
  return actionChoices({
    result,
    rows: { filter: FILTER },
    filtering: options.filtering ?? false,
    selection: { selection },
    selected: selection.mode === 'all' ? here - selection.ids.size : selection.ids.size,
    total: options.total ?? (options.filtering ? 4 : result.total),
    grid: {
      current: { focusedRow: () => (options.focused ? { id: options.focused, cells: [] } : undefined) },
    },
  } as unknown as Browse).map(({ label, count, scope }) => [label, count, scope.kind]);
};

it('all rows loaded: one way to mean all of them', () =>
  expect(choices({})).toEqual([['All matching', 10, 'matching']]));

it('the row under the cursor is meant where nothing is selected, the selection otherwise', () => {
  expect(choices({ focused: 'a' })[0]).toEqual(['This row', 1, 'selected']);
  expect(choices({ focused: 'a', selection: withRows(NOTHING, ['b', 'c'], true, 10) })[0]).toEqual([
    'Selected',
    2,
    'selected',
  ]);
});

it('all but some is a selection of its own', () =>
  expect(choices({ selection: withRows(EVERYTHING, ['a'], false, 10) })[0]).toEqual([
    'Selected',
    9,
    'loaded',
  ]));

it('rows not loaded yet: what is loaded and what matches are told apart', () =>
  expect(choices({ result: { total: 50 } })).toEqual([
    ['All loaded', 10, 'loaded'],
    ['All matching', 50, 'matching'],
  ]));

it('a total that is only a lower bound, or a filter over rows not loaded, has no count', () => {
  expect(choices({ result: { atLeast: true } }).at(-1)).toEqual(['All matching', null, 'matching']);
  expect(choices({ result: { total: 50 }, filtering: true })).toEqual([
    ['All loaded', 4, 'loaded'],
    ['All matching the filter', null, 'matching'],
  ]);
});

it('a filter over loaded rows is about these rows, and nothing is offered for none', () => {
  expect(choices({ filtering: true })).toEqual([['All matching the filter', 4, 'loaded']]);
  expect(choices({ filtering: true, total: 0 })).toEqual([]);
});

it('what the role may not do is named and not offered', () => {
  const caller = {
    role: { role_id: 'help_desk', role_name: 'Help desk' },
    permissions: ['answer-requests', 'rescan'],
  };
  const offered = ['quarantine', 'restore', 'rescan', 'tag'].map((id) => ({
    action: { id, label: id },
    missing: false,
  }));
  const { own, refused, why } = byRole(offered, (action) => callRefusal(caller, 'query.action', { action }));
  expect(own.map(({ action }) => action.id)).toEqual(['restore', 'rescan']);
  expect(refused.map(({ action }) => action.id)).toEqual(['quarantine', 'tag']);
  expect(why).toBe('Your role, Help desk, may not quarantine or delete.');
  expect(byRole(offered, () => null).refused).toEqual([]);
});
