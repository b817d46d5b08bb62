import { expect, it } from 'vitest';
import type { FieldConfig } from '#shared/model/entities.ts';
import { foundFields } from './field-picker.tsx';

const field = (id: string, label: string, group: string): FieldConfig => ({
  id,
  dbId: id,
  label,
  group,
  type: 'text',
  operators: [],
});
const fields = [
  field('from_email', 'From', 'Sender and recipients'),
  field('recipients', 'All recipients', 'Sender and recipients'),
  field('recipients_count', 'Recipients count', 'Sender and recipients'),
  field('subject', 'Subject', 'Message'),
];
const idsFor = (query: string) => foundFields(query, fields).map(({ id }) => id);

it('a match in the field’s name ranks above a match in its group', () => {
  expect(idsFor('recip')).toEqual(['recipients_count', 'recipients', 'from_email']);
  expect(idsFor('COUNT recip')).toEqual(['recipients_count']);
  expect(idsFor('from_em')).toEqual(['from_email']);
  expect(idsFor('')).toHaveLength(4);
  expect(idsFor('nothing')).toEqual([]);
});
