import { describe, expect, it } from 'vitest';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { Query } from '#shared/model/entities.ts';
import { createDraft, currentDraft, isDraftDirty, updateDraft } from './drafts.ts';
import { setWindowBridge } from './window-bridge.ts';

setWindowBridge({ call: () => Promise.resolve({}) } as unknown as Bridge);

const saved: Query = {
  id: 'q1',
  type: 'query',
  domain: 'email',
  entityType: 'email',
  name: 'User-reported',
  columns: [],
  filter: { operator: 'and', conditions: [{ field: 'subject', operator: 'is', values: ['x'] }] },
  vendor_extra: { kept: true },
};

describe('a draft', () => {
  it('of a saved query edits it, and keeps fields it does not know', () => {
    const draft = createDraft(saved);
    expect(draft).toMatchObject({ savedId: 'q1', query: { vendor_extra: { kept: true } } });
    expect(isDraftDirty(draft)).toBe(false);
    updateDraft(draft.id, (now) => ({ ...now, query: { ...now.query, name: 'Renamed' } }));
    const changed = currentDraft(draft.id);
    expect(changed && isDraftDirty(changed)).toBe(true);
    expect(saved.name).toBe('User-reported');
  });

  it('is not dirty for a field that is null and was absent', () => {
    const draft = createDraft(saved);
    expect(isDraftDirty({ ...draft, query: { ...draft.query, severity: null } })).toBe(false);
  });

  it.each([
    ['a template', { ...saved, subType: 'template' }, {}],
    ['a copy', saved, { copy: true }],
  ])('of %s is a new query', (_, query, options) => {
    const draft = createDraft(query, options);
    expect(draft).toMatchObject({ savedId: null, saved: null });
    expect(draft.query.id ?? null).toBeNull();
    expect(draft.query.subType ?? null).toBeNull();
  });

  it('of nothing is a query over emails of every app, dirty with its first condition', () => {
    const draft = createDraft();
    expect(draft.query).toMatchObject({ domain: 'email', saas: null });
    expect(isDraftDirty(draft)).toBe(false);
    expect(
      isDraftDirty({
        ...draft,
        query: { ...draft.query, ...(saved.filter ? { filter: saved.filter } : {}) },
      }),
    ).toBe(true);
  });
});
