import { describe, expect, it } from 'vitest';
import type { EmailProfile } from '#shared/model/entities.ts';
import { RESPONSE_KINDS } from '#shared/model/responses.ts';
import { lifecycleOf } from './lifecycle.ts';
import { mainKinds, stateRefusal } from './response.tsx';

const profile = (more: Partial<EmailProfile> = {}) => more as EmailProfile;
const held = { quarantine_info: { quarantined: true, by: 'policy' } };
const asked = { ...held, restore_info: { requested: true, restored: false } };

describe('lifecycleOf', () => {
  it('takes the restore service over the profile, and the plain profile where it fails', () => {
    expect(lifecycleOf(undefined, {})).toBeNull();
    // The fallback of section 8 is an answer without fields.
    expect(lifecycleOf(profile(asked), {})).toMatchObject({ held: true, state: 'requested' });
    expect(
      lifecycleOf(profile(asked), { data: { ...asked, decline_info: { declined: true } } }),
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
    // The state in one word, without the flags.
    expect(lifecycleOf(profile(held), { data: { restore_state: 'requested' } })?.state).toBe('requested');
    expect(lifecycleOf(profile(asked), { data: { restore_state: 'Declined' } })?.state).toBe('declined');
    // Kept from before the quarantine; the restore service has failed since.
    const before = { data: { quarantine_info: { quarantined: false } }, error: { code: 'server' } };
    expect(lifecycleOf(profile(held), before)).toMatchObject({ held: true });
    expect(lifecycleOf(undefined, before)).toMatchObject({ held: false });
    expect(
      lifecycleOf(profile({ pending_actions: [{ action: 'delete', time: '2026-11-21T00:00:00Z' }] }), {})
        ?.pending,
    ).toHaveLength(1);
  });
});

describe('what can be done', () => {
  const refused = (fields: Partial<EmailProfile>, more = {}) =>
    RESPONSE_KINDS.filter((kind) => stateRefusal(kind, lifecycleOf(profile(fields), {}), more) !== null);

  it('follows the state of the email', () => {
    expect(refused({})).toEqual(['restore', 'decline', 'request_restore']);
    expect(refused(held)).toEqual(['quarantine', 'decline']);
    expect(refused(asked)).toEqual(['quarantine', 'request_restore']);
    expect(refused({ ...asked, decline_info: { declined: true } })).toEqual(['quarantine', 'decline']);
    expect(refused({}, { direction: 'outgoing', deleted: true })).toContain('delete');
    expect(refused({}, { direction: 'outgoing' })).toContain('quarantine');
    expect(refused(held, { restorable: 'It has gone.' })).toContain('restore');
    // Not known is no refusal: the service has the last word.
    expect(RESPONSE_KINDS.map((kind) => stateRefusal(kind, null, {})).every((why) => why === null)).toBe(
      true,
    );
  });

  it('puts the answer to a request first', () => {
    expect(mainKinds({ lifecycle: null })).toEqual(['quarantine']);
    expect(mainKinds({ lifecycle: lifecycleOf(profile(held), {}) })).toEqual(['restore']);
    expect(mainKinds({ lifecycle: lifecycleOf(profile(asked), {}) })).toEqual(['restore', 'decline']);
  });
});
