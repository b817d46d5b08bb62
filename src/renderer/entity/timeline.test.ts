import { expect, test } from 'vitest';
import type { EntityEvent } from '#shared/model/entities.ts';
import { timelineOfEvents } from './timeline.ts';

const branding = { product: 'guard', name: 'Parapet' };
const event = (
  time: string,
  type: string,
  summary: string,
  more: Partial<EntityEvent> = {},
): EntityEvent => ({ time: `2026-11-21T08:${time}Z`, type, summary, ...more });
/** In the service's order: newest first. */
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

test('lists oldest first, merges consecutive scans, and shows unknown types as sent', () => {
  const lines = timelineOfEvents(EVENTS, branding);
  expect(lines.map(({ title }) => title)).toEqual([
    'Received',
    'Scanned by 2 tools',
    'Re-evaluated',
    'Quarantined',
    'Something new',
  ]);
  expect(lines[1]).toMatchObject({ detail: 'Anti-phishing: suspicious', danger: false });
  expect(lines[2]).toMatchObject({
    danger: true,
    detail: 'Anti-phishing: Verdict changed from clean to found',
  });
  expect(lines[3]?.detail).toBe('by l.brandt (Admin), phish');
  expect(lines[4]?.kind).toBe('other');
});

test('a single scan names its tool and its result', () => {
  const [line] = timelineOfEvents(
    [event('10:02', 'scanned', 'After a change', { actor: 'checkpoint_te' })],
    branding,
  );
  expect(line).toMatchObject({ kind: 'scan', title: 'After a change', detail: 'by Sandbox' });
});

test('a tool that the summary names is not named again', () => {
  const scan = event('10:02', 'scanned', 'Sandbox: failed', { actor: 'checkpoint_te', detail: 'Timed out' });
  expect(timelineOfEvents([scan], branding)[0]?.detail).toBe('Timed out');
});

test('a link in the detail is defanged, the address of who clicked it is not', () => {
  const [line] = timelineOfEvents(
    [
      event('10:02', 'clicked', 'Clicked a link', {
        actor: 'ann@home.example',
        actor_label: 'end_user',
        detail: 'https://evil.example/pay?for=bob@home.example',
      }),
    ],
    branding,
  );
  expect(line?.detail).toMatch(/^by ann@home\.example \(End User\), hxxps:\/\/evil\[\.\]example\/pay/);
});
