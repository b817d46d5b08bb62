/** Queries being edited: each is a draft in the workspace, so that a crash loses nothing. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { Draft, Tab } from '#shared/bridge/workspace.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { severityToServer } from '#shared/model/severity.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { currentConnection } from './connection.ts';
import { setTabDirty, useTabs } from './tabs.ts';
import { loadValue, loadValues, saveValue } from './workspace.ts';

type Known = Draft | 'missing';
const useStore = create<{ drafts: ReadonlyMap<string, Known> }>(() => ({ drafts: new Map() }));

const store = (id: string, draft: Known) =>
  useStore.setState(({ drafts }) => ({ drafts: new Map(drafts).set(id, draft) }));

/** A query without conditions over a domain, in all apps. */
export const blankQuery = (domain = 'email'): NewQuery => ({
  type: 'query',
  domain,
  entityType: domain,
  name: '',
  saas: null,
  severity: severityToServer(3),
  filter: emptyGroup(),
  columns: [],
  sort: [],
});

export interface DraftOptions {
  /** Start a new query from this one instead of editing it: templates, duplicates. */
  copy?: boolean;
  includeCopies?: boolean;
  origin?: Draft['origin'];
}

/** Makes a draft of a saved query, of a template (always a copy), or of a new query. */
export function createDraft(query: Query | NewQuery = blankQuery(), options: DraftOptions = {}): Draft {
  const fresh = options.copy === true || query.subType === 'template' || !query.id;
  const { id: _, ...rest } = query;
  const content: NewQuery = fresh
    ? { ...rest, subType: query.subType === 'template' ? null : query.subType, status: 'saved' }
    : { ...query };
  const draft: Draft = {
    id: crypto.randomUUID(),
    connectionId: currentConnection()?.id ?? '',
    query: structuredClone(content),
    savedId: fresh ? null : (query.id ?? null),
    saved: fresh ? null : structuredClone(content),
    updatedAt: Date.now(),
    ...(options.includeCopies === undefined ? {} : { includeCopies: options.includeCopies }),
    ...(options.origin === undefined ? {} : { origin: options.origin }),
    resultId: null,
  };
  store(draft.id, draft);
  saveValue('draft', draft.id, draft);
  return draft;
}

/** Changes a draft; unknown ids are ignored. */
export function updateDraft(
  id: string,
  change: Partial<Omit<Draft, 'id'>> | ((draft: Draft) => Draft),
): void {
  const draft = useStore.getState().drafts.get(id);
  if (!draft || draft === 'missing') return;
  const changed = typeof change === 'function' ? change(draft) : { ...draft, ...change };
  const next = { ...changed, id, updatedAt: Date.now() };
  store(id, next);
  saveValue('draft', id, next);
}

/** Moves this window's drafts to the new id of a connection. Previous results no longer exist. */
export function moveDrafts(from: string, to: string): void {
  for (const draft of useStore.getState().drafts.values())
    if (draft !== 'missing' && draft.connectionId === from)
      updateDraft(draft.id, { connectionId: to, resultId: null });
}

function removeDraft(id: string): void {
  store(id, 'missing');
  saveValue('draft', id, null);
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long edits that no tab shows are kept, ms; a draft without edits is kept for a day. */
export const DRAFT_KEPT_MS = 30 * DAY_MS;
/** Newest drafts with edits that are kept whatever their age, so that a wrong clock does not delete anyone's work. */
export const DRAFTS_KEPT = 50;

/** Whether to keep a draft that no tab shows: not if it is old or its connection is gone. */
export const keepsDraft = (draft: Draft, now: number, connections: ReadonlySet<string>): boolean =>
  connections.has(draft.connectionId) &&
  now - draft.updatedAt < (isDraftDirty(draft) ? DRAFT_KEPT_MS : DAY_MS);

/** The drafts that a tab of any window shows. */
async function openDrafts(): Promise<Set<string>> {
  const strips = await loadValues('tabs');
  return new Set(
    [...strips.values()].flatMap(({ tabs }) =>
      tabs.flatMap(({ route }) => (route.screen === 'query' ? [route.draftId] : [])),
    ),
  );
}

/** The draft, or a copy of it if a tab of another window shows it: two windows would overwrite each other's edits. */
export async function draftForHere(draft: Draft, tabsHere: readonly Tab[]): Promise<Draft> {
  const isHere = tabsHere.some(({ route }) => route.screen === 'query' && route.draftId === draft.id);
  if (isHere || !(await openDrafts()).has(draft.id)) return draft;
  const copy = { ...structuredClone(draft), id: crypto.randomUUID() };
  store(copy.id, copy);
  saveValue('draft', copy.id, copy);
  return copy;
}

/** Removes abandoned drafts, once at start. `connections` are existing connection ids. */
export async function pruneDrafts(connections: ReadonlySet<string>): Promise<void> {
  const [drafts, open] = await Promise.all([loadValues('draft'), openDrafts()]);
  const newest = [...drafts.values()]
    .filter((draft) => connections.has(draft.connectionId) && isDraftDirty(draft))
    .sort((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, DRAFTS_KEPT);
  const ids = new Set(newest.map(({ id }) => id));
  for (const [id, draft] of drafts) {
    // A draft opened meanwhile is already in the window's store.
    if (open.has(id) || ids.has(id) || useStore.getState().drafts.has(id)) continue;
    if (!keepsDraft(draft, Date.now(), connections)) removeDraft(id);
  }
}

/** Marks the tabs with unsaved changes, also those whose screens are not drawn yet, as after a reload. */
export async function markUnsaved(): Promise<void> {
  await Promise.all(
    useTabs.getState().tabs.map(async ({ id, route }) => {
      if (route.screen !== 'query') return;
      const { drafts } = useStore.getState();
      const draft = drafts.has(route.draftId)
        ? currentDraft(route.draftId)
        : await loadValue('draft', route.draftId).catch(() => null);
      if (draft === null) return;
      if (!useStore.getState().drafts.has(draft.id)) store(draft.id, draft);
      if (isDraftDirty(currentDraft(draft.id) ?? draft)) setTabDirty(id, true);
    }),
  );
}

/** Removes the drafts of deleted queries, except those that a tab shows, here (`open`) or in another window. */
export async function removeDraftsOf(
  queryIds: ReadonlySet<string>,
  open: ReadonlySet<string>,
): Promise<void> {
  const [drafts, elsewhere] = await Promise.all([loadValues('draft'), openDrafts()]);
  for (const [id, draft] of drafts)
    if (!open.has(id) && !elsewhere.has(id) && draft.savedId !== null && queryIds.has(draft.savedId))
      removeDraft(id);
}

export const currentDraft = (id: string): Draft | null => {
  const draft = useStore.getState().drafts.get(id);
  return draft && draft !== 'missing' ? draft : null;
};

/** A draft by id, loaded from the workspace when the window does not have it yet. */
export function useDraft(id: string): { draft: Draft | null; missing: boolean } {
  const existingDraft = useStore(({ drafts }) => drafts.get(id));
  useEffect(() => {
    if (existingDraft !== undefined) return;
    loadValue('draft', id).then(
      (draft) => store(id, draft ?? 'missing'),
      () => store(id, 'missing'),
    );
  }, [id, existingDraft]);
  return existingDraft === 'missing' || existingDraft === undefined
    ? { draft: null, missing: existingDraft === 'missing' }
    : { draft: existingDraft, missing: false };
}

const stable = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([, value]) => value !== undefined && value !== null)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  );

/** Whether a draft differs from the query it came from; a new one does as soon as it has any condition. */
export function isDraftDirty(draft: Draft): boolean {
  if (draft.saved) return stable(draft.query) !== stable(draft.saved);
  return (draft.query.filter?.conditions.length ?? 0) > 0;
}
