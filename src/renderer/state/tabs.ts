/** Tabs, one strip per connection; they survive a restart. */
import { create } from 'zustand';
import type { Route, Tab, WorkspaceValue } from '#shared/bridge/workspace.ts';
import { ofThisWindow } from './window-slot.ts';
import { loadValue, saveValue } from './workspace.ts';

/** Two tabs beside each other; the active one is one of them. */
type Split = NonNullable<WorkspaceValue<'tabs'>['split']>;
const HALF = 0.5;

interface Store {
  /** The connection these tabs belong to; undefined until loaded. */
  connectionId: string | null | undefined;
  tabs: Tab[];
  active: string | null;
  split: Split | null;
  /** Tab ids with unsaved changes. */
  dirty: ReadonlySet<string>;
  /** Tab ids, most recently active first: what stays mounted. */
  recent: string[];
  /** Closed tabs with their positions, the latest last. */
  closed: readonly { tab: Tab; at: number }[];
}

const NO_DIRTY: ReadonlySet<string> = new Set();
export const useTabs = create<Store>(() => ({
  connectionId: undefined,
  tabs: [],
  active: null,
  split: null,
  dirty: NO_DIRTY,
  recent: [],
  closed: [],
}));
const MOST_CLOSED = 30;

export const SCREEN_TITLES: Readonly<Record<Route['screen'], string>> = {
  home: 'Home',
  queries: 'Queries',
  query: 'New query',
  email: 'Email',
  file: 'File',
  person: 'User',
  campaign: 'Campaign',
  stack: 'Security stack',
  exceptions: 'Exceptions',
  'login-map': 'Login map',
  activity: 'Activity',
  settings: 'Settings',
  guide: 'Guide',
  kept: 'Saved for offline',
  rules: 'Rules',
};

/** Two routes with the same identity share a tab. */
function routeIdentity(route: Route): string {
  if (route.screen === 'query') return `query ${route.draftId}`;
  if (route.screen === 'campaign') return `campaign ${route.campaignId}`;
  if (route.screen === 'email' || route.screen === 'file' || route.screen === 'person') {
    return `${route.screen} ${route.saas} ${route.entityId}`;
  }
  return route.screen;
}

const titleOf = (route: Route, title: string | undefined) =>
  title ||
  ('title' in route && route.title) ||
  (route.screen === 'email' && route.entityType === 'message' && 'Message') ||
  SCREEN_TITLES[route.screen] ||
  route.screen;

const newTab = (route: Route, title: string | undefined, connectionId: string | null): Tab => ({
  id: crypto.randomUUID(),
  route,
  title: titleOf(route, title),
  connectionId,
});

const stripOf = (connectionId: string | null) => ofThisWindow(connectionId ?? 'none');

function update(change: Partial<Store>): void {
  useTabs.setState(change);
  const { connectionId, tabs, active, split } = useTabs.getState();
  if (connectionId !== undefined) saveValue('tabs', stripOf(connectionId), { tabs, active, split });
}

let target: string | null | undefined;
/** Tabs opened while those of another connection are being loaded: they belong to it. */
let late: { tab: Tab; background: boolean }[] | null = null;

/** Tabs of previously active connections, by connection id. */
const strips = new Map<string, Pick<Store, 'tabs' | 'active' | 'split' | 'dirty'>>();

/** This window's tabs of a connection whose id has changed. */
function carried(from: string | null, to: string | null) {
  const strip = from === null ? undefined : strips.get(from);
  if (from === null || !strip) return null;
  strips.delete(from);
  return { ...strip, tabs: strip.tabs.map((tab) => ({ ...tab, connectionId: to })) };
}

/**
 * Shows the saved tabs of a connection; Home on the first visit. A later call wins over a late answer.
 * `earlier` is its id before Parapet was restarted, as a session may not have saved any tabs.
 */
export async function loadTabs(connectionId: string | null, earlier: string | null = null): Promise<void> {
  target = connectionId;
  late ??= [];
  const { connectionId: previous, tabs: leaving, active: front, split, dirty } = useTabs.getState();
  if (previous) strips.set(previous, { tabs: leaving, active: front, split, dirty });
  const existingTab = carried(earlier, connectionId);
  const saved = existingTab ?? (await loadValue('tabs', stripOf(connectionId)).catch(() => null));
  if (target !== connectionId) return;
  const tabs = saved?.tabs.length ? saved.tabs : [newTab({ screen: 'home' }, undefined, connectionId)];
  const active = tabs.some(({ id }) => id === saved?.active)
    ? (saved?.active ?? null)
    : (tabs[0]?.id ?? null);
  const sides = saved?.split ? [saved.split.left, saved.split.right] : [];
  const isSplit =
    new Set(sides).size === 2 &&
    sides.every((side) => tabs.some(({ id }) => id === side)) &&
    sides.includes(active ?? '');
  useTabs.setState({
    connectionId,
    tabs,
    active,
    split: isSplit ? (saved?.split ?? null) : null,
    dirty: existingTab?.dirty ?? NO_DIRTY,
    recent: active === null ? [] : [active],
    closed: [],
  });
  if (existingTab) update({});
  const opened = late ?? [];
  late = null;
  for (const { tab, background } of opened) showTab({ ...tab, connectionId }, background);
}

export function activateTab(id: string): void {
  const { tabs, active, recent, split } = useTabs.getState();
  if (!tabs.some((tab) => tab.id === id)) return;
  const isShown = split === null || split.left === id || split.right === id;
  update({
    active: id,
    recent: [id, ...recent.filter((other) => other !== id)],
    // The new tab replaces the active side of the split view.
    ...(isShown ? {} : { split: { ...split, [split.left === active ? 'left' : 'right']: id } }),
  });
}

/** Toggles split view: the active tab to the right of the previously active one. False if there is only one tab. */
export function toggleSplit(): boolean {
  const { tabs, active, recent, split } = useTabs.getState();
  if (split !== null) {
    update({ split: null });
    return true;
  }
  const left = recent.find((id) => id !== active) ?? tabs.find(({ id }) => id !== active)?.id;
  if (active === null || left === undefined) return false;
  update({ split: { left, right: active, share: HALF } });
  return true;
}

/** Share of the width for the left tab, or null for half. */
export function setSplitShare(share: number | null): void {
  const { split } = useTabs.getState();
  if (split !== null) update({ split: { ...split, share: share ?? HALF } });
}

/** Opens a route, or goes to the tab that shows it. Returns the tab's id. */
export function openTab(route: Route, options: { background?: boolean; title?: string } = {}): string {
  const tab = newTab(route, options.title, useTabs.getState().connectionId ?? null);
  const background = options.background ?? false;
  if (late === null) return showTab(tab, background);
  late.push({ tab, background });
  return tab.id;
}

function showTab(tab: Tab, background: boolean): string {
  const { tabs, active } = useTabs.getState();
  const identity = routeIdentity(tab.route);
  const openTab = tabs.find(({ route }) => routeIdentity(route) === identity);
  if (!openTab) {
    const position = tabs.findIndex(({ id }) => id === active) + 1;
    update({ tabs: [...tabs.slice(0, position), tab, ...tabs.slice(position)] });
  }
  const { id } = openTab ?? tab;
  if (!background) activateTab(id);
  return id;
}

/** Closes tabs and activates the most recent one. Closing the last tab opens Home. */
function closeTabs(ids: ReadonlySet<string>): void {
  const { tabs, active, recent, dirty, closed, connectionId, split } = useTabs.getState();
  const gone = tabs.flatMap((tab, index) => (ids.has(tab.id) ? [{ tab, at: index }] : []));
  if (gone.length === 0) return;
  const position = tabs.findIndex(({ id }) => id === active);
  const remaining = tabs.filter(({ id }) => !ids.has(id));
  if (remaining.length === 0) remaining.push(newTab({ screen: 'home' }, undefined, connectionId ?? null));
  const history = recent.filter((id) => remaining.some((tab) => tab.id === id));
  const stays = remaining.some(({ id }) => id === active);
  const sides = split === null ? [] : [split.left, split.right].filter((id) => !ids.has(id));
  const next = stays
    ? active
    : (sides[0] ?? history[0] ?? remaining[Math.min(position, remaining.length - 1)]?.id ?? null);
  update({
    tabs: remaining,
    active: next,
    // A tab beside a closed one gets the full width again.
    ...(sides.length < 2 ? { split: null } : {}),
    dirty: new Set([...dirty].filter((id) => !ids.has(id))),
    recent: next === null ? history : [next, ...history.filter((id) => id !== next)],
    // Tabs closed together reopen in their original order, so that each returns to its position.
    closed: [...closed, ...gone.toReversed()].slice(-MOST_CLOSED),
  });
}

export const closeTab = (id: string): void => closeTabs(new Set([id]));

export function closeOtherTabs(): void {
  const { tabs, active } = useTabs.getState();
  closeTabs(new Set(tabs.flatMap(({ id }) => (id === active ? [] : [id]))));
}

/** Reopens the last closed tab, or the one with this id, at its position. False if there is none. */
export function reopenTab(id?: string): boolean {
  const { tabs, closed } = useTabs.getState();
  const foundEntry = closed.findLast(({ tab }) => id === undefined || tab.id === id);
  if (!foundEntry) return false;
  const rest = closed.filter((entry) => entry !== foundEntry);
  const openTab = tabs.find((tab) => routeIdentity(tab.route) === routeIdentity(foundEntry.tab.route));
  update({ closed: rest, tabs: openTab ? tabs : tabs.toSpliced(foundEntry.at, 0, foundEntry.tab) });
  activateTab((openTab ?? foundEntry.tab).id);
  return true;
}

/** Activates the previous or next tab, wrapping around. */
export function stepTab(step: 1 | -1): void {
  const { tabs, active } = useTabs.getState();
  const index = tabs.findIndex(({ id }) => id === active);
  const next = tabs[(index + step + tabs.length) % tabs.length];
  if (next) activateTab(next.id);
}

export function moveTab(id: string, to: number): void {
  const { tabs } = useTabs.getState();
  const tab = tabs.find((tab) => tab.id === id);
  if (!tab) return;
  const others = tabs.filter((tab) => tab.id !== id);
  const position = Math.max(0, Math.min(others.length, to));
  update({ tabs: [...others.slice(0, position), tab, ...others.slice(position)] });
}

export function setTabTitle(id: string, title: string): void {
  const { tabs } = useTabs.getState();
  if (!title || tabs.find((tab) => tab.id === id)?.title === title) return;
  update({ tabs: tabs.map((tab) => (tab.id === id ? { ...tab, title } : tab)) });
}

export function setTabRoute(id: string, route: Route, title?: string): void {
  const { tabs } = useTabs.getState();
  update({
    tabs: tabs.map((tab) => (tab.id === id ? { ...tab, route, title: titleOf(route, title) } : tab)),
  });
}

/** The part of the screen that a tab shows; it survives J, K and a restart. */
export function setTabPart(id: string, part: string): void {
  const { tabs } = useTabs.getState();
  if (tabs.find((tab) => tab.id === id)?.part === part) return;
  update({ tabs: tabs.map((tab) => (tab.id === id ? { ...tab, part } : tab)) });
}

/** The part that a tab shows, when it is one of `parts`; else the first. */
export function useTabPart<P extends string>(id: string, parts: readonly [P, ...P[]]): P {
  const part = useTabs(({ tabs }) => tabs.find((tab) => tab.id === id)?.part);
  return parts.find((candidate) => candidate === part) ?? parts[0];
}

export function setTabDirty(id: string, isDirty: boolean): void {
  const { dirty } = useTabs.getState();
  if (dirty.has(id) === isDirty) return;
  const next = new Set(dirty);
  if (isDirty) next.add(id);
  else next.delete(id);
  useTabs.setState({ dirty: next });
}

export const activeTab = (): Tab | null => {
  const { tabs, active } = useTabs.getState();
  return tabs.find(({ id }) => id === active) ?? null;
};
