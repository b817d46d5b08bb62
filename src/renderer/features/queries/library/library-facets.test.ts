import { describe, expect, it } from 'vitest';
import type { Query } from '#shared/model/entities.ts';
import { type LibraryMarks, NO_FILTER, readLibrary, scheduleWords } from './library-facets.ts';

const query = (id: string, more: Partial<Query> = {}): Query => ({
  id,
  type: 'query',
  domain: 'email',
  entityType: 'email',
  name: id,
  columns: [],
  status: 'saved',
  ...more,
});
const weekly = { emails: [], format: 'csv', frequency: 'weekly', day: 1, time: '07:30' };
const queries = [
  query('a', {
    status: 'running',
    filter: { operator: 'and', conditions: [{ field: 'subject', operator: 'is', values: ['Invoice'] }] },
  }),
  query('b', {
    subType: 'report',
    scheduledExport: weekly,
    severity: 'high',
    saas: 'office365_emails',
    createdBy: 'a.keane@aldermoor.example',
  }),
  query('c', { subType: 'template', domain: 'file', description: 'Files made public' }),
  query('d', { status: 'pause', domain: 'printer' }),
];
const marks = (more: Partial<LibraryMarks> = {}): LibraryMarks => ({
  favourites: new Set(),
  recent: new Set(),
  appLabel: (saas) => (saas === 'all' ? 'All apps' : saas),
  ...more,
});
const ids = (filter: Partial<typeof NO_FILTER>, marked = marks()) =>
  readLibrary(queries, { ...NO_FILTER, ...filter }, marked).shown.map(({ id }) => id);
const counts = (list: { value: string; count: number }[]) =>
  Object.fromEntries(list.filter(({ count }) => count > 0).map(({ value, count }) => [value, count]));

describe('the library', () => {
  it.each([
    ['everything', {}, ['a', 'b', 'c', 'd']],
    ['a kind', { kind: 'query' }, ['a', 'd']],
    ['an entity', { entity: ['file', 'printer'] }, ['c', 'd']],
    ['a status, the legacy word included', { status: ['paused'] }, ['d']],
    ['a severity by its word', { severity: ['4'] }, ['b']],
    ['an app', { saas: ['office365_emails'] }, ['b']],
    ['who created it', { createdBy: ['a.keane@aldermoor.example'] }, ['b']],
    ['what is scheduled', { scheduled: true }, ['b']],
    ['a value of a condition', { text: 'invoice' }, ['a']],
    ['words of name and description', { text: 'public FILES' }, ['c']],
  ])('shows %s', (_, filter, expected) => expect(ids(filter)).toEqual(expected));

  it('shows favourites and recently run queries', () => {
    expect(ids({ kind: 'favourite' }, marks({ favourites: new Set(['b']) }))).toEqual(['b']);
    expect(ids({ kind: 'recent' }, marks({ recent: new Set(['c']) }))).toEqual(['c']);
  });

  it('each facet counts the queries that match the other facets', () => {
    const { facets } = readLibrary(queries, { ...NO_FILTER, entity: ['email'] }, marks());
    expect(counts(facets.kinds)).toEqual({ '': 2, query: 1, report: 1 });
    expect(counts(facets.entity)).toEqual({ email: 2, file: 1, printer: 1 });
    expect(counts(facets.status)).toEqual({ running: 1, saved: 1 });
    expect(counts(facets.severity)).toEqual({ 4: 1, '': 1 });
    expect(counts(facets.saas)).toEqual({ all: 1, office365_emails: 1 });
    expect(facets.createdBy.map(({ label }) => label)).toEqual(['Unknown', 'a.keane@aldermoor.example']);
    expect(facets.scheduled).toBe(1);
  });
});

describe('a schedule in words', () => {
  it.each([
    [weekly, 'Weekly Mon 07:30'],
    [{ ...weekly, frequency: 'monthly', week: 1 }, 'Monthly 1st Mon 07:30'],
    [{ ...weekly, frequency: 'daily' }, 'Daily 07:30'],
    [{ ...weekly, frequency: 'hourly' }, 'Hourly 07:30'],
    [null, null],
  ])('%j', (schedule, expected) => expect(scheduleWords(schedule)).toBe(expected));
});
