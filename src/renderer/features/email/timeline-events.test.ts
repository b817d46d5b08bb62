import { describe, expect, it } from 'vitest';
import type { EntityEvent } from '#shared/model/entities.ts';
import { actorWords, detailWords, filterEvents, kindOf, timelineOfEvents } from './timeline-events.ts';

const branding = { product: 'guard', name: 'Parapet' };
const event = (
  time: string,
  type: string,
  summary: string,
  more: Partial<EntityEvent> = {},
): EntityEvent => ({
  time: `2026-11-21T08:${time}Z`,
  type,
  summary,
  ...more,
});
/** As the service answers: newest first. */
const EVENTS = [
  event('40:00', 'teleported', 'Something new'),
  event('30:00', 'quarantined', 'Quarantined', { actor: 'l.brandt', actor_label: 'admin', detail: 'phish' }),
  event('20:00', 're_evaluated', 'Verdict changed from clean to found', {
    actor: 'ap_guard',
    re_evaluated: true,
  }),
  event('10:02', 'scanned', 'Sandbox: clean', { actor: 'checkpoint_te' }),
  event('10:01', 'scanned', 'Anti-phishing: suspicious', { actor: 'ap_guard' }),
  event('10:00', 'received', 'Received'),
];

describe('the timeline of events', () => {
  it('tells oldest first, scans together, unknown kinds as they are', () => {
    const told = timelineOfEvents(EVENTS, branding);
    expect(told.map(({ title }) => title)).toEqual([
      'Received',
      'Scanned by 2 tools',
      'Re-evaluated',
      'Quarantined',
      'Something new',
    ]);
    expect(told[1]).toMatchObject({ detail: 'Anti-phishing: suspicious', danger: false });
    expect(told[2]).toMatchObject({ danger: true });
    expect(told[3]?.detail).toBe('by l.brandt (Admin), phish');
    expect(told[4]?.kind).toBe('other');
  });

  it('names tools by their labels, never by ids of vendors', () => {
    const scan = event('00:00', 'scanned', 'Sandbox: clean', { actor: 'checkpoint_te' });
    expect(actorWords(scan, branding)).not.toMatch(/checkpoint/i);
    const rescan = event('00:00', 'rescan_requested', 'Rescan', { detail: 'checkpoint_te, ap_guard' });
    expect(detailWords(rescan, branding)).not.toMatch(/checkpoint|ap_/i);
    expect(detailWords({ ...rescan, type: 'quarantined', detail: 'a, b' }, branding)).toBe('a, b');
  });

  it('filters by kinds and words', () => {
    const none: ReadonlySet<never> = new Set();
    expect(filterEvents(EVENTS, none, '', branding)).toHaveLength(6);
    expect(filterEvents(EVENTS, new Set(['scanned']), '', branding)).toHaveLength(2);
    expect(filterEvents(EVENTS, none, 'BRANDT phish', branding).map(kindOf)).toEqual(['quarantined']);
    expect(filterEvents(EVENTS, new Set(['received']), 'brandt', branding)).toEqual([]);
  });
});
