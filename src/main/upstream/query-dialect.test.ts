import { expect, it } from 'vitest';
import { QueryDialect } from './query-dialect.ts';

const SORT = { dbId: 'received', direction: 'desc' };
const SAVED = {
  name: 'Q',
  sort: [SORT],
  scheduledExport: { emails: ['a@b.example', 'c@d.example'], format: 'csv' },
};

it('leaves a query unchanged for a service whose form is unknown', () => {
  const dialect = new QueryDialect();
  expect(dialect.bodyOf('query.update', SAVED)).toEqual(SAVED);
  dialect.learn('query.list', { queries: [{ sort: [SORT], scheduledExport: { emails: [] } }, { sort: {} }] });
  expect(dialect.bodyOf('query.save', SAVED)).toEqual(SAVED);
});

it.each([
  ['query.list', [{ sort: SORT }]],
  ['query.list', { queries: [{ sort: SORT }] }],
  ['query.get', { sort: SORT }],
] as const)('writes a single sort if the service does: %s', (endpoint, answer) => {
  const dialect = new QueryDialect();
  dialect.learn(endpoint, answer);
  expect(dialect.bodyOf('query.save', SAVED)).toMatchObject({ sort: SORT });
  expect(dialect.bodyOf('query.save', { ...SAVED, sort: [] })).toMatchObject({ sort: null });
  expect(dialect.bodyOf('query.execute', { sort_by: [SORT] })).toEqual({ sort_by: [SORT] });
});

it.each([
  ['emailList', ['x@y.example'], SAVED.scheduledExport.emails],
  ['email_list', [], SAVED.scheduledExport.emails],
  ['email', 'x@y.example', 'a@b.example, c@d.example'],
  ['emails', 'x@y.example', 'a@b.example, c@d.example'],
] as const)('writes recipients as %s if the service does', (name, theirs, mine) => {
  const dialect = new QueryDialect();
  dialect.learn('query.get', { sort: null, scheduledExport: { [name]: theirs } });
  dialect.learn('query.get', { scheduledExport: null });
  // The query as read still has the service's own field.
  const edited = { ...SAVED, scheduledExport: { [name]: theirs, ...SAVED.scheduledExport } };
  expect(dialect.bodyOf('query.update', edited)).toEqual({
    ...SAVED,
    scheduledExport: { format: 'csv', [name]: mine },
  });
});
