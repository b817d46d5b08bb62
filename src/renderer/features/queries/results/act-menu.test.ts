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

it('once all rows are loaded, there is a single choice for all', () =>
  expect(choices({})).toEqual([['All matching', 10, 'matching']]));

it('the selection comes first, or the focused row if nothing is selected', () => {
  expect(choices({ focused: 'a' })[0]).toEqual(['This row', 1, 'selected']);
  expect(choices({ focused: 'a', selection: withRows(NOTHING, ['b', 'c'], true, 10) })[0]).toEqual([
    'Selected',
    2,
    'selected',
  ]);
});

it('“all but some” is offered as the selection', () =>
  expect(choices({ selection: withRows(EVERYTHING, ['a'], false, 10) })[0]).toEqual([
    'Selected',
    9,
    'loaded',
  ]));

it('while rows are missing, “loaded” and “matching” are separate choices', () =>
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

it('a filter over fully loaded rows offers only its rows, and nothing if there are none', () => {
  expect(choices({ filtering: true })).toEqual([['All matching the filter', 4, 'loaded']]);
  expect(choices({ filtering: true, total: 0 })).toEqual([]);
});

it('[spec 6] actions that the role may not take are listed, but not offered', () => {
  const caller = {
    role: { role_id: 'help_desk', role_name: 'Help desk' },
    permissions: ['answer-requests', 'rescan'],
  };
  const offered = ['quarantine', 'restore', 'rescan', 'tag'].map((id) => ({
    action: { id, label: id },
    missing: false,
  }));
  const { permitted, refused, why } = byRole(offered, (action) =>
    callRefusal(caller, 'query.action', { action }),
  );
  expect(permitted.map(({ action }) => action.id)).toEqual(['restore', 'rescan']);
  expect(refused.map(({ action }) => action.id)).toEqual(['quarantine', 'tag']);
  expect(why).toBe('Your role, Help desk, may not quarantine or delete.');
  expect(byRole(offered, () => null).refused).toEqual([]);
});
