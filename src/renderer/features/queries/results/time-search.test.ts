import { expect, it } from 'vitest';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { operatorsForType } from '#shared/query/operators.ts';
import { spansOf, timeCondition } from './time-search.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const BERLIN: ClockSetting = { tenant: 'Europe/Berlin' };

it.each<[string, ClockSetting, string[]]>([
  ['11-18 20:37:05', 'utc', ['2026-11-18T20:37:05.000Z 2026-11-18T20:37:05.999Z']],
  [' 11-18 20:37 ', 'utc', ['2026-11-18T20:37:00.000Z 2026-11-18T20:37:59.999Z']],
  ['11-18', BERLIN, ['2026-11-17T23:00:00.000Z 2026-11-18T22:59:59.999Z']],
  ['2026-11-18 21:37:05 UTC+01:00', BERLIN, ['2026-11-18T20:37:05.000Z 2026-11-18T20:37:05.999Z']],
  ['2026-11-18 21:37:05 UTC', BERLIN, []],
  // A grid shows both without their year.
  [
    '03-10',
    'utc',
    [
      '2026-03-10T00:00:00.000Z 2026-03-10T23:59:59.999Z',
      '2027-03-10T00:00:00.000Z 2027-03-10T23:59:59.999Z',
    ],
  ],
  ['1999-03-10', 'utc', ['1999-03-10T00:00:00.000Z 1999-03-10T23:59:59.999Z']],
  ['02-30', 'utc', []],
  ['2026-13-01', 'utc', []],
  ['invoice 11-18', 'utc', []],
])('%j on the clock %j', (text, clock, spans) =>
  expect(
    spansOf(text, clock, NOW).map((span) => span.map((item) => new Date(item).toISOString()).join(' ')),
  ).toEqual(spans),
);

it('finds rows with the time or with the text', () => {
  const field = (id: string, type: string) => ({ id, type, operators: operatorsForType(type) });
  const config = { fields: [field('received', 'date'), field('subject', 'text'), field('size', 'bytes')] };
  const condition = timeCondition('2026-11-18', config as unknown as QueryConfig, 'utc');
  expect(condition).toEqual({
    operator: 'or',
    conditions: [
      {
        field: 'received',
        operator: 'between',
        values: ['2026-11-18T00:00:00.000Z', '2026-11-18T23:59:59.999Z'],
      },
      { field: 'subject', operator: 'contains_text', values: ['2026-11-18'] },
    ],
  });
  expect(timeCondition('invoice', config as unknown as QueryConfig, 'utc')).toBeNull();
});
