import { expect, test } from 'vitest';
import type { EntityEvent } from '#shared/model/entities.ts';
import { actorWords, detailWords, type EventKind, eventsIn, kindCounts, kindOf, labelOf } from './events.ts';

const branding = { product: 'guard', name: 'Parapet' };
const event = (type: string, more: Partial<EntityEvent> = {}): EntityEvent => ({
  time: '2026-11-19T08:00:00Z',
  type,
  summary: type,
  ...more,
});
const events = [
  event('re_evaluated', { re_evaluated: true, actor: 'checkpoint_te' }),
  event('downloaded', { actor: 'k.abel@aldermoor.example', detail: 'From 203.0.113.7' }),
  event('scanned', { actor: 'checkpoint_av' }),
  event('teleported'),
];

test.each([
  ['re_evaluated', 're-evaluated', 'Re-evaluated'],
  ['QUARANTINED', 'quarantine', 'Quarantined'],
  ['declined', 'restore', 'Restore declined'],
  ['shared', 'sharing', 'Shared'],
  ['teleported', 'other', 'teleported'],
  ['constructor', 'other', 'constructor'],
  ['', 'other', 'Unknown'],
])('%j is of %s and reads %s', (type, kind, label) =>
  expect([kindOf({ type }), labelOf({ type })]).toEqual([kind, label]),
);

test('an event flagged as re-evaluated gets its own kind, whatever its type', () =>
  expect(kindOf({ type: 'scanned', re_evaluated: true })).toBe('re-evaluated'));

test.each<[EventKind[], string, number[]]>([
  [[], '', [0, 1, 2, 3]],
  [['re-evaluated'], '', [0]],
  [['scan', 're-evaluated'], '', [0, 2]],
  [['mail'], '', []],
  [[], '203.0.113.7 abel', [1]],
  [[], 'sandbox', [0]],
  [['scan'], 'abel', []],
])('kinds %j with %j', (kinds, text, expected) =>
  expect(eventsIn(events, new Set(kinds), text, branding).map((item) => events.indexOf(item))).toEqual(
    expected,
  ),
);

test('existing kinds are counted, in the order of an entity’s life', () => {
  expect([...kindCounts(events)]).toEqual([
    ['access', 1],
    ['scan', 1],
    ['re-evaluated', 1],
    ['other', 1],
  ]);
  expect(kindCounts([]).size).toBe(0);
});

test.each([
  [{ type: 'scanned', actor: 'checkpoint_te' }, 'Sandbox'],
  [{ type: 'viewed', actor: 'checkpoint_te' }, 'Sandbox'],
  [{ type: 'quarantined', actor: 'l.brandt', actor_label: 'admin' }, 'l.brandt (Admin)'],
  [{ type: 'quarantined', actor_label: 'provider_analyst' }, 'Provider analyst'],
  [{ type: 'scanned', actor: 'a.keller@aldermoor.example' }, 'a.keller@aldermoor.example'],
  [{ type: 'received' }, null],
])('[spec 6] the actor %j of an event reads %j', (name, words) =>
  expect(actorWords(name, branding)).toBe(words),
);

test('tools named by a rescan are shown with their labels', () => {
  expect(detailWords({ detail: 'checkpoint_te, ap_guard' }, branding)).toBe('Sandbox, Anti-phishing');
  expect(detailWords({ detail: 'a, b' }, branding)).toBe('a, b');
});
