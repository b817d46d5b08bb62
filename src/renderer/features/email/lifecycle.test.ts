import { describe, expect, it } from 'vitest';
import type { EmailProfile } from '#shared/model/entities.ts';
import { RESPONSE_KINDS } from '#shared/model/responses.ts';
import { lifecycleOf } from './lifecycle.ts';
import { mainKinds, stateRefusal } from './response.tsx';

const profile = (more: Partial<EmailProfile> = {}) => more as EmailProfile;
const held = { quarantine_info: { quarantined: true, by: 'policy' } };
const requested = { ...held, restore_info: { requested: true, restored: false } };

describe('lifecycleOf', () => {
  it('[spec 4] prefers the restore service, and falls back to the plain profile if it fails', () => {
    expect(lifecycleOf(undefined, {})).toBeNull();
    // The fallback of section 8 is a response without fields.
    expect(lifecycleOf(profile(requested), {})).toMatchObject({ held: true, state: 'requested' });
    expect(
      lifecycleOf(profile(requested), { data: { ...requested, decline_info: { declined: true } } }),
    ).toMatchObject({
      state: 'declined',
      conflict: false,
    });
    expect(
      lifecycleOf(profile(), {
        data: {
          restore_info: { requested: true, restored: true },
          decline_info: { declined: true },
        },
      }),
    ).toMatchObject({ state: 'declined', conflict: true });
    // Some services send the state as one word, without the flags.
    expect(lifecycleOf(profile(held), { data: { restore_state: 'requested' } })?.state).toBe('requested');
    expect(lifecycleOf(profile(requested), { data: { restore_state: 'Declined' } })?.state).toBe('declined');
    // Cached before the quarantine; the restore service has failed since.
    const before = { data: { quarantine_info: { quarantined: false } }, error: { code: 'server' } };
    expect(lifecycleOf(profile(held), before)).toMatchObject({ held: true });
    expect(lifecycleOf(undefined, before)).toMatchObject({ held: false });
    expect(
      lifecycleOf(profile({ pending_actions: [{ action: 'delete', time: '2026-11-21T00:00:00Z' }] }), {})
        ?.pending,
    ).toHaveLength(1);
  });
});

describe('the possible responses', () => {
  const refused = (fields: Partial<EmailProfile>, more = {}) =>
    RESPONSE_KINDS.filter((kind) => stateRefusal(kind, lifecycleOf(profile(fields), {}), more) !== null);

  it('[spec 7] depend on the state of the email', () => {
    expect(refused({})).toEqual(['restore', 'decline', 'request_restore']);
    expect(refused(held)).toEqual(['quarantine', 'decline']);
    expect(refused(requested)).toEqual(['quarantine', 'request_restore']);
    expect(refused({ ...requested, decline_info: { declined: true } })).toEqual(['quarantine', 'decline']);
    expect(refused({}, { direction: 'outgoing', deleted: true })).toContain('delete');
    expect(refused({}, { direction: 'outgoing' })).toContain('quarantine');
    expect(refused(held, { restorable: 'It has gone.' })).toContain('restore');
    // An unknown state rules nothing out: the service decides.
    expect(RESPONSE_KINDS.map((kind) => stateRefusal(kind, null, {})).every((why) => why === null)).toBe(
      true,
    );
  });

  it('start with the answer to a release request', () => {
    expect(mainKinds({ lifecycle: null })).toEqual(['quarantine']);
    expect(mainKinds({ lifecycle: lifecycleOf(profile(held), {}) })).toEqual(['restore']);
    expect(mainKinds({ lifecycle: lifecycleOf(profile(requested), {}) })).toEqual(['restore', 'decline']);
  });
});
