import { describe, expect, it } from 'vitest';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { countOf, type ExportPlan, missingOf, type Scope } from './export-plan.ts';

const LOADED = 16_525;
const TOTAL = 60_000;
const plan = (change: Partial<ExportPlan> = {}): ExportPlan => ({
  result: { loaded: LOADED, total: TOTAL } as ResultSet,
  name: 'x',
  columns: [],
  count: TOTAL,
  filter: { text: '', facets: {} },
  sort: undefined,
  ...change,
});

describe('rows that an export promises', () => {
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
  ])('are %s', (_, scope, offline, change, wanted) => {
    const made = plan(change);
    expect({ count: countOf(made, scope, offline), missing: missingOf(made, scope) }).toEqual(wanted);
  });
});
