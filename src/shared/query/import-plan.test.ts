import { expect, it } from 'vitest';
import type { NewQuery, Query } from '../model/entities.ts';
import { actsByItself, importPlanner, queryFieldLabel } from './import-plan.ts';

const SCHEDULE = { emails: ['a@b.example'], format: 'csv', frequency: 'daily', time: '07:30' };
const saved: Query = {
  id: 'q-1',
  type: 'query',
  domain: 'email',
  entityType: 'email',
  name: 'Overdue',
  columns: [{ id: 'subject', label: 'Subject', order: 0, width: 200 }],
  filter: { operator: 'and', conditions: [{ field: 'subject', operator: 'is', values: ['a'] }] },
  sort: null,
  severity: 'high',
  createdBy: 'm.okafor@aldermoor.example',
  createTime: '2026-01-01T00:00:00Z',
  status: 'running',
  scheduledExport: { ...SCHEDULE, has_password: true },
};
const plan = (change: Partial<NewQuery>) => importPlanner([saved])({ ...structuredClone(saved), ...change });

it.each<[string, Partial<NewQuery>]>([
  ['as it was', {}],
  ['of another service, by name', { id: 'other' }],
  ['stamps aside', { createTime: null, createdBy: 'x', updateTime: 'now' }],
  [
    'nothing for nothing',
    { description: null, sort: [], subType: '', reportCondition: null, actionsList: [] },
  ],
  ['passwords aside', { scheduledExport: { ...SCHEDULE, password: 'secret', has_password: false } }],
  ['columns numbered anew', { columns: [{ id: 'subject', label: 'Subject', order: 7, width: 200 }] }],
])('is the same: %s', (_, change) =>
  expect(plan(change)).toMatchObject({ state: 'same', match: { id: 'q-1' } }),
);

it('says in words what would change', () => {
  const other: NewQuery['filter'] = {
    operator: 'and',
    conditions: [{ field: 'subject', operator: 'is', values: ['b'] }],
  };
  expect(plan({ filter: other, severity: 5, novel: { a: 1 } })).toEqual({
    state: 'changed',
    match: { id: 'q-1', name: 'Overdue' },
    changes: [
      { field: 'filter', before: 'subject is "a"', after: 'subject is "b"' },
      { field: 'severity', before: 'High', after: 'Critical' },
      { field: 'novel', before: 'none', after: '{"a":1}' },
    ],
  });
});

it('reports a disabled part, which the words omit', () => {
  const conditions = [
    ...(saved.filter?.conditions ?? []),
    { field: 'x', operator: 'is', values: ['y'], disabled: true },
  ];
  const { changes } = plan({ filter: { operator: 'and', conditions } });
  expect(changes[0]?.after).toContain('"disabled":true');
});

it('is new under another name or domain, or if another query has already matched', () => {
  expect(plan({ id: null, name: 'Other' }).state).toBe('new');
  expect(plan({ domain: 'file' }).state).toBe('new');
  const planned = importPlanner([saved]);
  expect([saved, saved].map((query) => planned(structuredClone(query)).state)).toEqual(['same', 'new']);
  expect(plan({ name: 'Renamed' })).toMatchObject({ state: 'changed', match: { id: 'q-1' } });
});

it('is changed when it differs in the status alone, which acts by itself', () => {
  expect(plan({ status: 'stopped' })).toMatchObject({
    state: 'changed',
    changes: [{ field: 'status', before: 'Running', after: 'Stopped' }],
  });
  expect(actsByItself(saved)).toEqual({
    running: true,
    words: 'In the file: Running. Schedule: daily 07:30, csv to a@b.example',
  });
  expect(queryFieldLabel('status')).toBe('Status');
  expect(plan({ status: null, scheduledExport: null }).changes.map(({ field }) => field)).toEqual([
    'scheduledExport',
  ]);
  expect(plan({ status: null }).changes).toEqual([{ field: 'status', before: 'Running', after: 'Stopped' }]);
  expect(actsByItself({ ...saved, status: null })?.words).toContain('No status, so it arrives stopped.');
  expect(actsByItself({ ...saved, status: 'saved', scheduledExport: null })).toBeNull();
});
