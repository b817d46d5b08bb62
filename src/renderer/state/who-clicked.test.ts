import { expect, it } from 'vitest';
import type { QueryConfig } from '#shared/model/entities.ts';
import { whoClickedQuery } from './who-clicked.ts';

const field = (id: string, operators: string[]) => ({
  id,
  dbId: `k.${id}`,
  label: id,
  type: 'text',
  operators,
});
const config: QueryConfig = {
  operators: [],
  fields: [
    field('click_time', ['before']),
    field('user', ['is']),
    field('blocked', ['is_true']),
    field('sign_in_risk', ['is']),
    field('url', ['is', 'in_list']),
    field('email_id', ['is', 'in_list']),
  ],
  columns: [],
  conditions: [],
  actions: [],
};

it('[promise] lists user, time, block and risk, newest first', () => {
  const query = whoClickedQuery({ kind: 'emails', entityIds: ['a', 'b'] }, config);
  expect(query?.domain).toBe('click');
  expect(query?.name).toBe('Who clicked in 2 emails');
  expect(query?.columns.map(({ id }) => id)).toEqual(['user', 'click_time', 'blocked', 'sign_in_risk']);
  expect(query?.sort).toEqual([{ dbId: 'k.click_time', direction: 'desc' }]);
  expect(query?.filter?.conditions).toEqual([{ field: 'email_id', operator: 'in_list', values: ['a', 'b'] }]);
});

it('queries for a single link; a service without a field for it gets no query', () => {
  expect(whoClickedQuery({ kind: 'link', url: 'https://a.example/x' }, config)?.filter?.conditions).toEqual([
    { field: 'url', operator: 'is', values: ['https://a.example/x'] },
  ]);
  expect(whoClickedQuery({ kind: 'host', host: 'a.example' }, config)).toBeNull();
});
