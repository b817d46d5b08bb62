/** Navigation functions for all features. */
import type { Draft, Route } from '#shared/bridge/workspace.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { createDraft, currentDraft, type DraftOptions, updateDraft } from './drafts.ts';
import type { Neighbour } from './neighbours.ts';
import { activateTab, activeTab, openTab, useTabs } from './tabs.ts';

interface Where {
  background?: boolean;
}

export const openEmail = (saas: string, entityId: string, title?: string, where: Where = {}): string =>
  openTab(
    { screen: 'email', saas, entityId, ...(title ? { title } : {}) },
    { ...where, ...(title ? { title } : {}) },
  );

export const openCampaign = (campaignId: string, title: string): string =>
  openTab({ screen: 'campaign', campaignId, title }, { title });

export function profileRoute({ kind, saas, entityId, title }: Neighbour): Route {
  const of = { saas, entityId, ...(title ? { title } : {}) };
  if (kind === 'file') return { screen: 'file', ...of };
  if (kind === 'user' || kind === 'group')
    return { screen: 'person', ...(kind === 'group' ? { entityType: 'group' as const } : {}), ...of };
  return { screen: 'email', ...(kind === 'message' ? { entityType: 'message' as const } : {}), ...of };
}

export const openProfile = (profile: Neighbour): string =>
  openTab(profileRoute(profile), profile.title ? { title: profile.title } : {});

const isDraft = (what: Query | NewQuery | Draft): what is Draft => 'query' in what && 'savedId' in what;

/** The open draft of a saved query, which reopening the query returns to. */
function openDraftOf(what: Query | NewQuery, options: DraftOptions): Draft | null {
  if (!what.id || options.copy || what.subType === 'template') return null;
  for (const { route } of useTabs.getState().tabs) {
    const draft = route.screen === 'query' ? currentDraft(route.draftId) : null;
    if (draft?.savedId === what.id) return draft;
  }
  return null;
}

/** Opens a saved query, a template (as a new query), a new query's content, or a draft. */
export function openQuery(what?: Query | NewQuery | Draft, options: DraftOptions & Where = {}): string {
  const draft =
    what === undefined
      ? createDraft(undefined, options)
      : isDraft(what)
        ? what
        : (openDraftOf(what, options) ?? createDraft(what, options));
  const title = draft.query.name || 'New query';
  return openTab(
    { screen: 'query', draftId: draft.id },
    { title, ...(options.background ? { background: true } : {}) },
  );
}

const sameQuestion = (a: NewQuery, b: NewQuery): boolean =>
  JSON.stringify([a.domain, a.saas, a.name, a.filter]) ===
  JSON.stringify([b.domain, b.saas, b.name, b.filter]);

/**
 * Opens a query derived from a value, figure or email and runs it at once. An already open one is activated. Both link
 * back to the latest origin.
 */
export function openPivot(query: NewQuery): string {
  const from = activeTab();
  const origin = from && { route: from.route, title: from.title };
  for (const { id, route } of useTabs.getState().tabs) {
    const draft = route.screen === 'query' ? currentDraft(route.draftId) : null;
    if (draft?.origin === undefined || !sameQuestion(draft.query, query)) continue;
    if (id !== from?.id) updateDraft(draft.id, { origin });
    activateTab(id);
    return id;
  }
  return openQuery(query, { origin });
}

/** The singleton screens: their route is nothing but its name. */
type PlainScreen = {
  [S in Route['screen']]: { screen: S } extends Extract<Route, { screen: S }> ? S : never;
}[Route['screen']];

export const openScreen = (screen: PlainScreen): string => openTab({ screen });
