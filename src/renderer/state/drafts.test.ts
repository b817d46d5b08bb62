import { describe, expect, it } from 'vitest';
import type { Query } from '#shared/model/entities.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import {
  createDraft,
  currentDraft,
  DRAFT_KEPT_MS,
  DRAFTS_KEPT,
  draftForHere,
  isDraftDirty,
  keepsDraft,
  markUnsaved,
  pruneDrafts,
  removeDraftsOf,
  updateDraft,
} from './drafts.ts';
import { useTabs } from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';
import { flushWorkspace } from './workspace.ts';

setWindowBridge(fakeBridge({ call: () => Promise.resolve({}) }));

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
  it('of a new query has its severity as the server’s word', () => {
    expect(createDraft().query.severity).toBe('medium');
  });

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

describe('a draft opened again', () => {
  const draft = createDraft(saved);
  const tab = {
    id: 't',
    title: 'Query',
    connectionId: 'c',
    route: { screen: 'query' as const, draftId: draft.id },
  };
  const strips = (...tabs: (typeof tab)[]) =>
    setWindowBridge(
      fakeBridge({
        call: async () => ({ values: [{ key: 'tabs:c', value: { tabs, active: null } }] }),
      }),
    );

  it('is a copy if a tab of another window shows it, as they would overwrite each other', async () => {
    strips(tab);
    const copy = await draftForHere(draft, []);
    expect(copy).toEqual({ ...draft, id: expect.any(String) });
    expect(copy.id).not.toBe(draft.id);
    expect(currentDraft(copy.id)).toEqual(copy);
  });

  it('is the draft itself if a tab here shows it, or none', async () => {
    strips(tab);
    expect(await draftForHere(draft, [tab])).toBe(draft);
    strips();
    expect(await draftForHere(draft, [])).toBe(draft);
  });
});

describe('drafts that no tab shows', () => {
  const connections = new Set(['c']);
  const day = 24 * 60 * 60 * 1_000;
  const put: string[] = [];
  const stored = (values: Record<string, unknown>) =>
    setWindowBridge(
      fakeBridge({
        call: async (name: string, input: { prefix?: string; key?: string; value?: unknown }) => {
          if (name === 'workspace.put' && input.value === null) put.push(input.key ?? '');
          const drafts = Object.entries(values).filter(([key]) => key.startsWith(input.prefix ?? ''));
          return { values: drafts.map(([key, value]) => ({ key, value })) };
        },
      }),
    );
  const draftOf = (id: string, change: object = {}) => ({
    id,
    connectionId: 'c',
    query: { ...saved, name: 'Edited' },
    savedId: 'q1',
    saved,
    updatedAt: Date.now(),
    ...change,
  });

  it.each([
    ['edited just now', {}, true],
    ['edited a day short of a month ago', { updatedAt: Date.now() - 29 * day }, true],
    ['edited a month ago', { updatedAt: Date.now() - DRAFT_KEPT_MS }, false],
    ['not edited, of today', { query: saved }, true],
    ['not edited, of yesterday', { query: saved, updatedAt: Date.now() - day }, false],
    ['of a connection that is gone', { connectionId: 'another' }, false],
  ])('%s', (_, change, expected) =>
    expect(keepsDraft(draftOf('d', change), Date.now(), connections)).toBe(expected),
  );

  it('are removed at the start; those of tabs, also of other connections, stay', async () => {
    const tab = (draftId: string) => ({
      id: `t-${draftId}`,
      title: 'Query',
      connectionId: 'c',
      route: { screen: 'query', draftId },
    });
    const old = { query: saved, updatedAt: 0 };
    stored({
      'draft:shown': draftOf('shown', old),
      'draft:elsewhere': draftOf('elsewhere', old),
      'draft:left': draftOf('left', old),
      'draft:edited': draftOf('edited'),
      'tabs:c': { tabs: [tab('shown')], active: null },
      'tabs:other': { tabs: [tab('elsewhere')], active: null },
    });
    put.length = 0;
    await pruneDrafts(connections);
    await flushWorkspace();
    expect(put).toEqual(['draft:left']);
  });

  it('[limit 30 days] stay if they have edits and are among the newest, as the clock may have been wrong', async () => {
    const drafts = Array.from({ length: DRAFTS_KEPT + 2 }, (_, n) => draftOf(`d${n}`, { updatedAt: n }));
    stored({
      ...Object.fromEntries(drafts.map((draft) => [`draft:${draft.id}`, draft])),
      'draft:plain': draftOf('plain', { query: saved, updatedAt: 1e6 }),
    });
    put.length = 0;
    await pruneDrafts(connections);
    await flushWorkspace();
    expect(put.toSorted()).toEqual(['draft:d0', 'draft:d1', 'draft:plain']);
  });

  it('go with their query, unless a tab shows them', async () => {
    stored({ 'draft:a': draftOf('a'), 'draft:b': draftOf('b'), 'draft:c': draftOf('c', { savedId: 'q2' }) });
    put.length = 0;
    await removeDraftsOf(new Set(['q1']), new Set(['b']));
    await flushWorkspace();
    expect(put).toEqual(['draft:a']);
  });
});

it('after a reload, tabs whose screens are not drawn yet are marked as unsaved, too', async () => {
  const draft = createDraft(saved);
  const edited = { ...draft, id: 'edited', query: { ...draft.query, name: 'Renamed' } };
  const stored = new Map<unknown, unknown>([
    ['draft:edited', edited],
    ['draft:plain', { ...draft, id: 'plain' }],
  ]);
  const call = (_: string, { key }: { key?: unknown }) => Promise.resolve({ value: stored.get(key) ?? null });
  setWindowBridge(fakeBridge({ call }));
  const tabs = ['edited', 'plain', 'gone'].map((draftId) => ({
    id: draftId,
    route: { screen: 'query' as const, draftId },
    title: '',
    connectionId: 'c',
  }));
  useTabs.setState({ tabs, dirty: new Set() });
  await markUnsaved();
  expect([...useTabs.getState().dirty]).toEqual(['edited']);
  // Closing it is reported with its draft.
  expect(currentDraft('edited')).toMatchObject({ query: { name: 'Renamed' } });
});
