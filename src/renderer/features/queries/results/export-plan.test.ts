import { describe, expect, it, test } from 'vitest';
import type { ResultSet } from '#shared/bridge/operations.ts';
import {
  columnsOf,
  countOf,
  type ExportPlan,
  missingNote,
  missingOf,
  promiseOf,
  type Scope,
} from './export-plan.ts';

const LOADED = 16_525;
const TOTAL = 60_000;
const CONFIG: ExportPlan['config'] = { fields: [], columns: [], conditions: [], operators: [], actions: [] };
const plan = (change: Partial<ExportPlan> = {}): ExportPlan => ({
  result: { loaded: LOADED, total: TOTAL } as ResultSet,
  name: 'x',
  config: CONFIG,
  columns: [],
  count: TOTAL,
  filter: { text: '', facets: {} },
  sort: undefined,
  ...change,
});

describe('the row count of an export', () => {
  it.each<[string, Scope, boolean, Partial<ExportPlan>, { count: number; missing: number }]>([
    ['what can still be fetched', 'screen', false, {}, { count: TOTAL, missing: TOTAL - LOADED }],
    ['no more than are here, offline', 'screen', true, {}, { count: LOADED, missing: TOTAL - LOADED }],
    ['the same of everything', 'everything', true, {}, { count: LOADED, missing: TOTAL - LOADED }],
    [
      'those that a filter left, offline too',
      'screen',
      true,
      { count: 12, filter: { text: 'x', facets: {} } },
      { count: 12, missing: 0 },
    ],
    ['those selected, offline too', 'selection', true, { selected: 3 }, { count: 3, missing: 0 }],
    [
      'all, offline too, where all are here',
      'screen',
      true,
      { result: { loaded: TOTAL, total: TOTAL } as ResultSet },
      { count: TOTAL, missing: 0 },
    ],
  ])('are %s', (_, scope, offline, change, expected) => {
    const exportPlan = plan(change);
    expect({ count: countOf(exportPlan, scope, offline), missing: missingOf(exportPlan, scope) }).toEqual(
      expected,
    );
  });
});

const planOf = (result: Partial<ResultSet>, more: Partial<ExportPlan> = {}): ExportPlan => ({
  result: { total: 25, loaded: 25, atLeast: false, columns: [], ...result } as ResultSet,
  name: 'All mail',
  config: CONFIG,
  columns: [],
  count: Math.max(result.total ?? 25, result.loaded ?? 25),
  filter: { text: '', facets: {} },
  sort: undefined,
  ...more,
});

describe('the label of the export button', () => {
  it('states all rows if they are loaded, else “up to” the service’s total', () => {
    expect(promiseOf(planOf({}), 'screen', false)).toEqual({
      verb: 'Export 25 rows',
      label: 'rows in the file',
    });
    expect(missingNote(planOf({}), 'everything', false)).toBeNull();
    const some = planOf({ total: 26 });
    expect(promiseOf(some, 'everything', false).verb).toBe('Export up to 26 rows');
    expect(missingNote(some, 'everything', false)).toMatch(/^1 more row is fetched first/);
    expect(promiseOf(some, 'screen', true).verb).toBe('Export 25 rows, PARTIAL');
    expect(missingNote(some, 'screen', true)).toMatch(/^1 row is not on this machine/);
  });

  it.each(['screen', 'everything'] as const)(
    'states at least the loaded rows if the total is a lower bound: %s',
    (scope) => {
      // A capped total is raised to the number of loaded rows.
      const capped = planOf({ atLeast: true, total: 525, loaded: 525 });
      expect(promiseOf(capped, scope, false)).toEqual({
        verb: 'Export at least 525 rows',
        label: 'rows in the file (at least)',
      });
      expect(missingNote(capped, scope, false)).toMatch(/reports no exact total/);
      expect(promiseOf(capped, scope, true).verb).toBe('Export 525 rows, PARTIAL');
      expect(missingNote(capped, scope, true)).toMatch(/will be marked PARTIAL/);
    },
  );

  it('states the filtered or selected rows, regardless of missing ones', () => {
    const filtered = planOf({ total: 90 }, { filter: { text: 'x', facets: {} }, count: 7, selected: 3 });
    expect(promiseOf(filtered, 'screen', false).verb).toBe('Export 7 rows');
    expect(promiseOf(filtered, 'selection', false).verb).toBe('Export 3 rows');
    expect(countOf(filtered, 'everything', true)).toBe(25);
  });
});

test('a file uses the screen’s labels for all values of a column of tools or apps, and names the unit of sizes and the zone of a workbook’s dates', () => {
  const field = (id: string, values: readonly (readonly [string, string])[]) => ({
    id,
    dbId: id,
    label: id,
    type: 'enum',
    operators: [],
    allowedValues: values.map(([value, label]) => ({ value, label })),
  });
  const column = (id: string, label: string, type: string) => ({ id, label, type, multiValues: false });
  const columns = [
    column('saas', 'App', 'enum'),
    column('verdict', 'Verdict', 'enum'),
    column('state', 'State', 'enum'),
    column('size', 'Size', 'bytes'),
    column('received', 'Received', 'date'),
  ];
  const fields = [
    field('saas', [
      ['office365_emails', 'Microsoft 365 Mail'],
      ['onedrive', 'OneDrive'],
    ]),
    field('verdict', [
      ['found', 'Found'],
      ['not-scanned', 'Not scanned'],
      ['hidden', 'Not applicable'],
    ]),
    field('state', [['Inbox', 'Inbox']]),
  ];
  const exportPlan = plan({
    result: { columns } as ResultSet,
    columns: columns.map(({ id, label }) => ({ id, label })),
    config: { fields, columns: [], conditions: [], operators: [], actions: [] },
  });
  const expected = [
    { id: 'saas', label: 'App', words: { office365_emails: 'Microsoft 365 Mail', onedrive: 'OneDrive' } },
    { id: 'verdict', label: 'Verdict' },
    { id: 'state', label: 'State' },
    { id: 'size', label: 'Size (bytes)' },
    { id: 'received', label: 'Received' },
  ];
  const file = { format: 'csv', zone: 'Asia/Kathmandu' } as const;
  expect(columnsOf(exportPlan, { ...file, scope: 'screen' })).toEqual(expected);
  expect(columnsOf(exportPlan, { ...file, scope: 'everything' }).slice(1)).toEqual(expected);
  expect(columnsOf(exportPlan, { ...file, scope: 'screen', format: 'xlsx' }).at(-1)?.label).toBe(
    'Received (Asia/Kathmandu)',
  );
});
