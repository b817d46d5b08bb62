import { describe, expect, it } from 'vitest';
import type { QueryConfig } from '#shared/model/entities.ts';
import { domainOf, type FigureRequest, figureQuery } from './figure-query.ts';

const field = (id: string, type: string, ...operators: string[]) => ({
  id,
  dbId: id,
  label: id,
  type,
  operators,
});
const config = {
  fields: [
    field('received', 'date', 'in_the_last', 'after', 'between'),
    field('verdict', 'enum', 'is', 'is_not'),
    field('quarantined', 'boolean', 'is_true'),
    field('user_reported', 'number', 'greater_than'),
    field('restore_state', 'enum', 'is', 'is_not_empty'),
  ],
} as unknown as QueryConfig;
const request = (what: FigureRequest['what']): FigureRequest => ({
  domain: 'email',
  name: 'x',
  counted: { from: '2026-11-20T08:00:00.000Z', to: '2026-11-21T08:00:00.000Z' },
  what,
});

describe('the query behind a number', () => {
  it.each<[string, FigureRequest['what'], object]>([
    ['found', { verdict: 'found' }, { field: 'verdict', operator: 'is', values: ['found'] }],
    ['quarantined', { is: 'quarantined' }, { field: 'quarantined', operator: 'is_true', values: [] }],
    ['reported', { is: 'reported' }, { field: 'user_reported', operator: 'greater_than', values: [0] }],
    ['waiting', { is: 'restore-waiting' }, { field: 'restore_state', operator: 'is', values: ['requested'] }],
  ])('has the figure’s condition and time window: %s', (_, what, condition) => {
    expect(figureQuery(config, request(what))?.filter?.conditions).toEqual([
      {
        field: 'received',
        operator: 'between',
        values: ['2026-11-20T08:00:00.001Z', '2026-11-21T08:00:00.000Z'],
      },
      condition,
    ]);
  });

  it('is not offered if the service lacks a field for it', () => {
    expect(figureQuery({ ...config, fields: [] }, request({ verdict: 'found' }))).toBeNull();
    const timeless = { ...config, fields: config.fields.filter(({ type }) => type !== 'date') };
    expect(figureQuery(timeless, request({ verdict: 'found' }))).toBeNull();
  });

  it.each([
    ['office365_emails', 'Email', 'email'],
    ['office365_onedrive', 'File sharing', 'file'],
    ['office365_teams', 'Messaging', 'message'],
    ['unheard_of', null, 'email'],
  ])('the entities of %s (%s) are of the domain %s', (name, category, domain) => {
    expect(domainOf({ name, category })).toBe(domain);
  });
});
