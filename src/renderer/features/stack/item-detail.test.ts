import { expect, it, test } from 'vitest';
import type { FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { flaggedBy, optionFacts } from './item-detail.tsx';

const field = (id: string, operators: string[], values: string[]) =>
  ({
    id,
    operators,
    allowedValues: values.map((value) => ({ value, label: value })),
  }) as unknown as FieldConfig;
const config = (...fields: FieldConfig[]) => ({ fields }) as unknown as QueryConfig;

it('the query for a tool lists its verdicts that flag something', () => {
  const values = ['te:found', 'te:suspicious', 'te:clean', 'te:not-scanned', 'te:hidden', 'te2:found'];
  expect(flaggedBy(config(field('tools', ['contains_any'], values)), 'te')).toEqual({
    field: 'tools',
    operator: 'contains_any',
    values: ['te:found', 'te:suspicious'],
  });
  // No field, no operator for several values, or nothing that flags: no query instead of a wrong one.
  expect(flaggedBy(config(field('tools', ['is'], values)), 'te')).toBeNull();
  expect(flaggedBy(config(field('tools', ['in_list'], ['te:clean'])), 'te')).toBeNull();
  expect(flaggedBy(config(), 'te')).toBeNull();
});

test('options of a tool have readable labels', () => {
  expect(
    optionFacts({
      mode: 'prevent',
      learns_from_reports: true,
      warn_only: false,
      policies: ['Payment cards', 'Personal data'],
      timeout_minutes: 10,
      nested: { a: 1 },
    }),
  ).toEqual([
    { label: 'Mode', value: 'Prevent' },
    { label: 'Learns from reports', value: 'On' },
    { label: 'Warn only', value: 'Off' },
    { label: 'Policies', value: 'Payment cards, Personal data' },
    { label: 'Timeout minutes', value: '10' },
    { label: 'Nested', value: '{"a":1}' },
  ]);
  expect(optionFacts(undefined)).toEqual([]);
});
