// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { z } from 'zod';
import type { Read } from '#renderer/bridge/use-read.ts';
import { groupProfile, userProfile } from '#shared/model/entities.ts';
import { mount } from '#tests/support/mount.tsx';
import { useShaped } from './use-shaped.ts';

async function shaped<T extends z.ZodType>(
  schema: T,
  data: unknown,
): Promise<ReturnType<typeof useShaped<T>>> {
  let shaped: ReturnType<typeof useShaped<T>> | undefined;
  const read = { data, error: null } as Read<'entity.get'>;
  function Shown(): null {
    shaped = useShaped(read, schema, 'user');
    return null;
  }
  const { unmount } = await mount(<Shown />);
  await unmount();
  if (shaped === undefined) throw new Error('Nothing was drawn');
  return shaped;
}

it('other spellings of fields, numbers as text, and numbers for times and flags are accepted', async () => {
  const data = {
    entity_id: 'u',
    isAdmin: 1,
    risk: '12',
    created_at: 1795738865,
    failedLogins: '3',
    vendor: 'x',
  };
  const { profile, read } = await shaped(userProfile, data);
  expect(read.error).toBeNull();
  expect(profile).toEqual({
    entity_id: 'u',
    is_admin: true,
    risk: 12,
    created_at: '2026-11-27T00:21:05.000Z',
    failed_logins: 3,
    vendor: 'x',
  });
  // The answer is shared with other views and must not change.
  expect(data).toHaveProperty('isAdmin', 1);
});

it('values that cannot be read are kept as sent beside the other fields', async () => {
  const { profile } = await shaped(userProfile, {
    entity_id: 'u',
    name: 'Ann',
    roles: ['Admin'],
    mfa: 'perhaps',
  });
  expect(profile).toEqual({ entity_id: 'u', name: 'Ann', roles_as_sent: ['Admin'], mfa_as_sent: 'perhaps' });
});

it('security training is recognised in another spelling, so that deployments can hide it', async () => {
  const training = { status: 'completed' };
  const { profile } = await shaped(userProfile, { entity_id: 'u', securityTraining: training });
  expect(profile).toMatchObject({ security_training: training });
  expect(profile).not.toHaveProperty('securityTraining');
});

it('an answer whose address cannot be read is an error, because other panels query by it', async () => {
  const { profile, read } = await shaped(userProfile, { entity_id: 'u', email: { work: 'a@b.example' } });
  expect([profile, read.error?.code]).toEqual([null, 'wrong-shape']);
});

it('an answer without an id is an error of the read', async () => {
  const { profile, read } = await shaped(groupProfile, { name: 'x' });
  expect([profile, read.data, read.error?.code]).toEqual([null, undefined, 'wrong-shape']);
});
