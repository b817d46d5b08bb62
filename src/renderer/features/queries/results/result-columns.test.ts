import { expect, it } from 'vitest';
import type { CellContext } from '#renderer/ui/grid/cells.tsx';
import { toColDef } from '#renderer/ui/grid/grid-columns.tsx';
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
    const [column] = gridColumns(COLUMNS, CONFIG, {
      declared: [],
      visible: new Set(['verdict']),
      zone: 'UTC',
    });
    const row = { cells: [verdict, code] } as unknown as ResultRow;
    expect(column?.value(row)).toEqual(shown);
  },
);

it('a received time ahead of the clock is marked, and says so in its tooltip', () => {
  const received = { id: 'received', label: 'Received', type: 'date', multiValues: false };
  const [column] = gridColumns([received], CONFIG, {
    declared: [],
    visible: new Set(['received']),
    zone: 'UTC',
  });
  const context: CellContext = { clock: 'utc', ownDomains: new Set() };
  const { cellClass, tooltipValueGetter } = toColDef(column!, () => context, []);
  const shown = (time: number) => {
    const value = new Date(time).toISOString();
    const cell = { value, data: { id: 'e', cells: [value] } };
    if (typeof cellClass !== 'function') throw new Error('no class');
    return [cellClass(cell as never), tooltipValueGetter?.(cell as never)];
  };
  const [marked, why] = shown(Date.now() + 2 * 86_400_000);
  expect(marked).toContain('pp-caution');
  expect(why).toMatch(/UTC\nImplausible: ahead of this machine’s clock, unless that is wrong$/);
  const [plain, time] = shown(Date.now());
  expect(plain).not.toContain('pp-caution');
  expect(time).not.toContain('Implausible');
});

it.each([
  ['saved with the query, at its default', true, true, { width: 260 }],
  ['saved with the query, in a narrow window', true, false, { flex: 1, minWidth: 182 }],
  ['the default of the service', false, true, { flex: 1, minWidth: 160 }],
] as const)('a width %s: pixels in a wide window, a share of a narrow one', (_, isSaved, full, size) => {
  const subject = { id: 'subject', label: 'Subject', type: 'text', multiValues: false };
  const config = {
    fields: [{ ...subject, dbId: 'subject', operators: [], width: 260 }],
    operators: [],
  } as unknown as QueryConfig;
  const [column] = gridColumns([subject], config, {
    declared: [{ id: 'subject', label: 'Subject', order: 0, width: 260 }],
    visible: new Set(['subject']),
    saved: new Map(isSaved ? [['subject', 260]] : []),
    full,
    zone: 'UTC',
  });
  const { width, flex, minWidth } = column!;
  expect(JSON.parse(JSON.stringify({ width, flex, minWidth }))).toEqual(size);
});
