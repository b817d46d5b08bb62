import { expect, test } from 'vitest';
import type { EntityEvent } from '#shared/model/entities.ts';
import { eventsIn, filtersOf, groupOf, labelOf } from './events.ts';

const event = (type: string, more: Partial<EntityEvent> = {}): EntityEvent => ({
  time: '2026-11-19T08:00:00Z',
  type,
  summary: type,
  ...more,
});
const events = [
  event('re_evaluated', { re_evaluated: true, actor: 'checkpoint_te' }),
  event('downloaded', { actor: 'k.abel@aldermoor.example', detail: 'From 203.0.113.7' }),
  event('scanned'),
  event('teleported'),
];

test.each([
  ['re_evaluated', 'scan', 'Re-evaluated'],
  ['QUARANTINED', 'response', 'Quarantined'],
  ['shared', 'sharing', 'Shared'],
  ['teleported', 'other', 'teleported'],
  ['constructor', 'other', 'constructor'],
  ['', 'other', 'Unknown'],
])('%j is of %s and reads %s', (type, group, label) =>
  expect([groupOf({ type }), labelOf({ type })]).toEqual([group, label]),
);

test.each([
  ['all', '', [0, 1, 2, 3]],
  ['re-evaluated', '', [0]],
  ['scan', '', [0, 2]],
  ['mail', '', []],
  ['all', '203.0.113.7 abel', [1]],
  ['scan', 'abel', []],
] as const)('filter %s with %j', (filter, text, expected) =>
  expect(eventsIn(events, filter, text).map((one) => events.indexOf(one))).toEqual(expected),
);

test('only filters that find something are offered', () => {
  expect(filtersOf(events).map(({ value, count }) => [value, count])).toEqual([
    ['all', 4],
    ['re-evaluated', 1],
    ['access', 1],
    ['scan', 2],
    ['other', 1],
  ]);
  expect(filtersOf([])).toEqual([{ value: 'all', label: 'All events', count: 0 }]);
});
