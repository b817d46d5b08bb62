import { expect, it } from 'vitest';
import type { FieldConfig } from '#shared/model/entities.ts';
import { fileText } from './send-dialog.tsx';

const field = (type: string, allowed: [string, string][] = []): FieldConfig => ({
  id: 'f',
  dbId: 'f',
  label: 'F',
  type,
  operators: [],
  ...(allowed.length > 0 ? { allowedValues: allowed.map(([value, label]) => ({ value, label })) } : {}),
});

it.each<[FieldConfig | undefined, unknown, string]>([
  [field('enum', [['checkpoint_te:found', 'Sandbox: Found']]), ['checkpoint_te:found'], 'Sandbox: Found'],
  [field('enum', [['office365_emails', 'Microsoft 365 Mail']]), 'office365_emails', 'Microsoft 365 Mail'],
  [field('date'), '2026-11-19T08:00:00.000Z', '11-19 08:00:00'],
  [field('bytes'), 2048, '2 KB'],
  [field('text'), ['a', 'b'], 'a; b'],
  [field('text'), null, ''],
  [undefined, 'as it is', 'as it is'],
])('the preview shows %j of %j as %s', (of, cell, words) => {
  expect(fileText(of, cell as never, 'utc')).toContain(words);
});
