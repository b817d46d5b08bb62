import { describe, expect, it } from 'vitest';
import type { FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { commonDomains } from '#shared/model/indicators.ts';
import { peopleOf, peopleQuery, personFields, suggestsPeople } from './people.tsx';

const field = (id: string, type: string, operators: string[]): FieldConfig => ({
  id,
  dbId: id,
  label: id,
  type,
  operators,
});
const config: QueryConfig = {
  operators: [],
  fields: [
    field('note', 'text', ['is']),
    field('name', 'text', ['is', 'contains_text']),
    field('mail', 'email', ['is', 'contains_text']),
  ],
  columns: [
    { id: 'name', label: 'Name', order: 0 },
    { id: 'mail', label: 'Mail', order: 1 },
  ],
  conditions: [],
  actions: [],
};

describe('users and groups behind values', () => {
  it('are suggested for fields that contain people', () => {
    expect(
      ['user', 'group', 'email', 'domain', 'text'].map((type) => suggestsPeople(field('f', type, []))),
    ).toEqual([true, true, true, false, false]);
    expect(suggestsPeople(undefined)).toBe(false);
  });
  it('are identified by the config’s field types, not by field names', () => {
    const fields = personFields(config);
    expect([fields?.address.id, fields?.name?.id]).toEqual(['mail', 'name']);
    expect(personFields({ ...config, fields: config.fields.slice(0, 2) })).toBeNull();
    expect(fields && peopleQuery('user', fields, [], 3)).toMatchObject({
      query_domain: 'user',
      columns: ['mail', 'name'],
      size: 3,
    });
  });
  it('without a name keep their address, and without an address are left out', () => {
    const fields = personFields(config);
    const rows = [
      { mail: 'a@x.example', name: 'Ada' },
      { mail: 'b@x.example', name: null },
      { mail: null, name: 'Nobody' },
    ];
    expect(fields && peopleOf(rows, fields)).toEqual([
      ['a@x.example', 'Ada'],
      ['b@x.example', null],
    ]);
  });
});

it('domains of at least a fifth of the users count as our own', () => {
  const users = [
    ...Array.from({ length: 6 }, (_, index) => `u${index}@Own.example`),
    ...Array.from({ length: 3 }, (_, index) => `u${index}@second.example`),
    'guest@elsewhere.example',
  ];
  expect(commonDomains(users)).toEqual(new Set(['own.example', 'second.example']));
  expect(commonDomains([])).toEqual(new Set());
  expect(commonDomains(['nobody', '@none'])).toEqual(new Set());
});
