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
const found = (query: string) => foundFields(query, fields).map(({ id }) => id);

it('a match in the field’s name ranks above a match in its group', () => {
  expect(found('recip')).toEqual(['recipients_count', 'recipients', 'from_email']);
  expect(found('COUNT recip')).toEqual(['recipients_count']);
  expect(found('from_em')).toEqual(['from_email']);
  expect(found('')).toHaveLength(4);
  expect(found('nothing')).toEqual([]);
});
