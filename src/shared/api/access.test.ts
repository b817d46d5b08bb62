import { describe, expect, it } from 'vitest';
import { callRefusal } from './access.ts';

const role = { role_id: 'desk', role_name: 'Desk' };
const mine = { createdBy: 'ann' };
const theirs = { createdBy: 'bob' };

describe('the permission a call needs', () => {
  it("refuses nothing while the caller's permissions are unknown", () => {
    expect(callRefusal(undefined, 'query.delete', { query: theirs })).toBeNull();
    expect(callRefusal({ role, permissions: null }, 'query.import')).toBeNull();
  });

  it('names the role and the missing permission', () => {
    const nobody = { id: 'ann', role, permissions: [] };
    expect(callRefusal(nobody, 'query.import')).toBe('Your role, Desk, may not save queries.');
    expect(callRefusal(nobody, 'policies.send-result')).toBe(
      'Your role, Desk, may not send results by email.',
    );
    expect(callRefusal(nobody, 'query.list')).toBeNull();
  });

  it("allows changes of own queries, and of others' with the permission", () => {
    const desk = { id: 'ann', role, permissions: ['own-queries'] };
    expect(callRefusal(desk, 'query.update', { query: mine })).toBeNull();
    expect(callRefusal(desk, 'query.delete', { query: theirs })).toBe(
      'Your role, Desk, may not change or remove queries of others.',
    );
    expect(callRefusal(desk, 'query.export', { query: theirs })).toMatch(/export queries of others/);
    const reader = { id: 'ann', role, permissions: ['export-results'] };
    expect(callRefusal(reader, 'query.export', { query: mine })).toBeNull();
    expect(callRefusal(reader, 'query.update', { query: mine })).not.toBeNull();
    // A caller without a name owns no query, not even one without an owner.
    expect(callRefusal({ ...desk, id: null }, 'query.update', { query: { createdBy: null } })).not.toBeNull();
  });

  it("requires each action's own permission", () => {
    const desk = { role, permissions: ['answer-requests', 'rescan'] };
    expect(callRefusal(desk, 'query.action', { action: 'restore' })).toBeNull();
    expect(callRefusal(desk, 'query.action', { action: 'rescan' })).toBeNull();
    expect(callRefusal(desk, 'query.action', { action: 'quarantine' })).not.toBeNull();
    expect(callRefusal(desk, 'query.action', { action: 'unshare' })).not.toBeNull();
  });
});
