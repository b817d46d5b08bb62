import { describe, expect, it } from 'vitest';
import { readStack } from '#renderer/entity/stack-rows.ts';
import type { EmailProfile } from '#shared/model/entities.ts';
import { profileTimeline } from './profile-timeline.ts';

const profile = (more: Partial<EmailProfile> = {}) =>
  ({ received: '2026-11-19T08:36:51Z', sent: '2026-11-19T08:36:51Z', ...more }) as EmailProfile;
const titles = (events: ReturnType<typeof profileTimeline>) => events.map(({ title }) => title);

describe('profileTimeline', () => {
  it('lists the events that the fields record, by time', () => {
    const stack = readStack(
      [
        { tool: 'a', applicable: true, status: 'clean', matches: 0, scanned_at: '2026-11-19T08:36:52Z' },
        {
          tool: 'b',
          applicable: true,
          verdict_code: 'phsh',
          re_evaluated: true,
          scanned_at: '2026-11-19T08:42:30Z',
        },
      ],
      { product: 'x', name: 'X' },
    );
    const events = profileTimeline(
      profile({
        quarantine_info: { quarantined: true, time: '2026-11-19T08:43:00Z', by: 'l.brandt' },
        restore_info: { requested: true, restored: false, time: '2026-11-19T08:44:00Z', by: 'm.okafor' },
        decline_info: { declined: true, time: '2026-11-19T08:44:18Z', by: 'l.brandt', reason: 'phishing' },
        report_phishing_info: { reported: true, time: null, by: ['a', 'b'], comment: 'is this real?' },
      }),
      stack,
      'mx1.example',
    );
    expect(titles(events)).toEqual([
      'Received',
      'Scanned by 1 tool',
      'Re-evaluated',
      'Quarantined',
      'Restore requested',
      'Restore declined',
      'Reported as phishing',
    ]);
    expect(events.at(-1)).toMatchObject({ at: null, detail: 'by a and 1 more, “is this real?”' });
    expect(events[2]).toMatchObject({ danger: true });
    expect(events[5]?.detail).toBe('by l.brandt, “phishing”');
  });

  it('is empty if nothing is recorded', () => {
    expect(profileTimeline({} as EmailProfile, null, null)).toEqual([]);
    expect(titles(profileTimeline(profile({ quarantine_info: { quarantined: false } }), null, null))).toEqual(
      ['Received'],
    );
  });
});
