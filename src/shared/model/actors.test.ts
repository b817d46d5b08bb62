import { describe, expect, it } from 'vitest';
import { actorLabel, roleRefusal } from './actors.ts';

describe('actors and roles', () => {
  it("uses the specification's labels, and shows others unchanged", () => {
    expect(
      ['provider_analyst', 'admin', 'microsoft', 'end_user', 'robot', 'constructor', '', null].map(
        actorLabel,
      ),
    ).toEqual(['Provider analyst', 'Admin', 'Microsoft', 'End User', 'robot', 'constructor', null, null]);
  });

  it('refuses only what the service forbids', () => {
    const role = { role_id: 'read_only', role_name: 'Read only' };
    expect(roleRefusal({ role, permissions: [] }, 'act')).toBe(
      'Your role, Read only, may not quarantine or delete.',
    );
    expect(roleRefusal({ permissions: [] }, 'train-users')).toBe('Your role may not train users.');
    expect(roleRefusal({ role, permissions: ['act'] }, 'act')).toBeNull();
    expect(roleRefusal({ role, permissions: null }, 'act')).toBeNull();
    expect(roleRefusal({}, 'act')).toBeNull();
  });
});
