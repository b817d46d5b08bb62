/** Tabs, one strip per connection; they survive a restart. */
import { create } from 'zustand';
import type { Route, Tab } from '#shared/bridge/workspace.ts';
import { loadValue, saveValue } from './workspace.ts';

interface Store {
  /** Whose tabs these are; undefined until the first are loaded. */
  connectionId: string | null | undefined;
  tabs: Tab[];
  active: string | null;
  /** Tab ids with unsaved changes. */
  dirty: ReadonlySet<string>;
  /** Tab ids, most recently active first: what stays mounted. */
  recent: string[];
}

const NO_DIRTY: ReadonlySet<string> = new Set();
export const useTabs = create<Store>(() => ({
  connectionId: undefined,
  tabs: [],
  active: null,
  dirty: NO_DIRTY,
  recent: [],
}));

const TITLES: Partial<Record<Route['screen'], string>> = {
  home: 'Home',
  queries: 'Queries',
  query: 'New query',
  email: 'Email',
  file: 'File',
  stack: 'Security stack',
  exceptions: 'Exceptions',
  'login-map': 'Login map',
  activity: 'Activity',
  settings: 'Settings',
};

/** Two routes with the same identity share a tab. */
function routeIdentity(route: Route): string {
  if (route.screen === 'query') return `query ${route.draftId}`;
  if (route.screen === 'email' || route.screen === 'file') {
    return `${route.screen} ${route.saas} ${route.entityId}`;
  }
  return route.screen;
}

const titleOf = (route: Route, title: string | undefined) =>
  title || ('title' in route && route.title) || TITLES[route.screen] || route.screen;

const newTab = (route: Route, title: string | undefined, connectionId: string | null): Tab => ({
  id: crypto.randomUUID(),
  route,
  title: titleOf(route, title),
  connectionId,
});

function update(change: Partial<Store>): void {
  useTabs.setState(change);
  const { connectionId, tabs, active } = useTabs.getState();
  if (connectionId !== undefined) saveValue('tabs', connectionId ?? 'none', { tabs, active });
}

let wanted: string | null | undefined;

/** Shows the tabs that a connection had; Home on a first visit. A later call wins over an answer that comes late. */
export async function loadTabs(connectionId: string | null): Promise<void> {
  wanted = connectionId;
  const saved = await loadValue('tabs', connectionId ?? 'none').catch(() => null);
  if (wanted !== connectionId) return;
  const tabs = saved?.tabs.length ? saved.tabs : [newTab({ screen: 'home' }, undefined, connectionId)];
  const active = tabs.some(({ id }) => id === saved?.active)
    ? (saved?.active ?? null)
    : (tabs[0]?.id ?? null);
  useTabs.setState({ connectionId, tabs, active, dirty: NO_DIRTY, recent: active === null ? [] : [active] });
}

export function activateTab(id: string): void {
  const { tabs, recent } = useTabs.getState();
  if (!tabs.some((tab) => tab.id === id)) return;
  update({ active: id, recent: [id, ...recent.filter((other) => other !== id)] });
}

/** Opens a route, or goes to the tab that shows it. Returns the tab's id. */
export function openTab(route: Route, options: { background?: boolean; title?: string } = {}): string {
  const { tabs, active, connectionId } = useTabs.getState();
  const identity = routeIdentity(route);
  const known = tabs.find((tab) => routeIdentity(tab.route) === identity);
  const tab = known ?? newTab(route, options.title, connectionId ?? null);
  if (!known) {
    const at = tabs.findIndex(({ id }) => id === active) + 1;
    update({ tabs: [...tabs.slice(0, at), tab, ...tabs.slice(at)] });
  }
  if (!options.background) activateTab(tab.id);
  return tab.id;
}

/** Closes a tab; its neighbour comes forward. The last one gives way to Home. */
export function closeTab(id: string): void {
  const { tabs, active, recent, dirty, connectionId } = useTabs.getState();
  const at = tabs.findIndex((tab) => tab.id === id);
  if (at < 0) return;
  const left = tabs.filter((tab) => tab.id !== id);
  if (left.length === 0) left.push(newTab({ screen: 'home' }, undefined, connectionId ?? null));
  const history = recent.filter((other) => other !== id && left.some((tab) => tab.id === other));
  const next = active === id ? (history[0] ?? left[Math.min(at, left.length - 1)]?.id ?? null) : active;
  const clean = new Set([...dirty].filter((other) => other !== id));
  update({
    tabs: left,
    active: next,
    dirty: clean,
    recent: next === null ? history : [next, ...history.filter((other) => other !== next)],
  });
}

/** Moves to the tab before or after the active one, around the end. */
export function stepTab(step: 1 | -1): void {
  const { tabs, active } = useTabs.getState();
  const at = tabs.findIndex(({ id }) => id === active);
  const next = tabs[(at + step + tabs.length) % tabs.length];
  if (next) activateTab(next.id);
}

/** Moves a tab to another place in the strip. */
export function moveTab(id: string, to: number): void {
  const { tabs } = useTabs.getState();
  const tab = tabs.find((one) => one.id === id);
  if (!tab) return;
  const others = tabs.filter((one) => one.id !== id);
  const at = Math.max(0, Math.min(others.length, to));
  update({ tabs: [...others.slice(0, at), tab, ...others.slice(at)] });
}

export function setTabTitle(id: string, title: string): void {
  const { tabs } = useTabs.getState();
  if (!title || tabs.find((tab) => tab.id === id)?.title === title) return;
  update({ tabs: tabs.map((tab) => (tab.id === id ? { ...tab, title } : tab)) });
}

/** Shows another route in a tab that stays where it is. */
export function setTabRoute(id: string, route: Route, title?: string): void {
  const { tabs } = useTabs.getState();
  update({
    tabs: tabs.map((tab) => (tab.id === id ? { ...tab, route, title: titleOf(route, title) } : tab)),
  });
}

/** Which part of its screen a tab shows; it stays through J, K and a restart. */
export function setTabPart(id: string, part: string): void {
  const { tabs } = useTabs.getState();
  update({ tabs: tabs.map((tab) => (tab.id === id ? { ...tab, part } : tab)) });
}

/** The part that a tab shows, when it is one of `parts`; else the first. */
export function useTabPart<P extends string>(id: string, parts: readonly [P, ...P[]]): P {
  const part = useTabs(({ tabs }) => tabs.find((tab) => tab.id === id)?.part);
  return parts.find((one) => one === part) ?? parts[0];
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
