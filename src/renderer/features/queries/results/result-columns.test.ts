import { expect, it } from 'vitest';
import type { QueryConfig } from '#shared/model/entities.ts';
import { gridColumns, type ResultRow } from './result-columns.tsx';

const COLUMNS = [
  { id: 'verdict', label: 'Verdict', type: 'enum', multiValues: false },
  { id: 'verdict_code', label: 'Verdict code', type: 'text', multiValues: false },
];
const CONFIG = {
  fields: [
    {
      id: 'verdict',
      dbId: 'verdict',
      label: 'Verdict',
      type: 'enum',
      operators: ['is'],
      allowedValues: [
        { value: 'found', label: 'Found' },
        { value: 'clean', label: 'Clean' },
      ],
    },
  ],
  operators: [],
} as unknown as QueryConfig;

it.each([
  ['not-scanned', 'error', { verdict: 'not-scanned', error: true }],
  ['found', 'hphsh', { verdict: 'found', code: 'hphsh' }],
  ['clean', 'clean', { verdict: 'clean', code: null }],
])(
  'a row with verdict %s and code %s shows %j: a failed tool is a badge, not a cut-off word',
  (verdict, code, shown) => {
    const [column] = gridColumns(COLUMNS, CONFIG, [], new Set(['verdict']), 'UTC');
    const row = { cells: [verdict, code] } as unknown as ResultRow;
    expect(column?.value(row)).toEqual(shown);
  },
);
