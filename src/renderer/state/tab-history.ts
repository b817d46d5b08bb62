/** Back and forward within a tab, for the lifetime of the window. */
import { create } from 'zustand';
import type { Route } from '#shared/bridge/workspace.ts';
import { type ListPlace, setListPlace } from './neighbours.ts';
import { activateTab, activeTab, setTabRoute, useTabs } from './tabs.ts';

interface HistoryEntry {
  route: Route;
  title: string;
  place: ListPlace | null;
}

interface History {
  back: readonly HistoryEntry[];
  forward: readonly HistoryEntry[];
}

const MAX_ENTRIES = 100;
const NONE: History = { back: [], forward: [] };
const useStore = create<{ tabs: ReadonlyMap<string, History> }>(() => ({ tabs: new Map() }));

export const useTabHistory = (tabId: string): History => useStore(({ tabs }) => tabs.get(tabId) ?? NONE);

function show(tabId: string, entry: HistoryEntry, history: History): void {
  useStore.setState(({ tabs }) => ({ tabs: new Map(tabs).set(tabId, history) }));
  setListPlace(tabId, entry.place);
  setTabRoute(tabId, entry.route, entry.title);
}

function current(tabId: string, place: ListPlace | null): HistoryEntry | null {
  const tab = useTabs.getState().tabs.find(({ id }) => id === tabId);
  return tab ? { route: tab.route, title: tab.title, place } : null;
}

/** Navigates within a tab; the previous content (at position `from` of its list) becomes one step back. */
export function goInTab(tabId: string, from: ListPlace | null, to: HistoryEntry): void {
  const now = current(tabId, from);
  if (!now) return;
  const { back } = useStore.getState().tabs.get(tabId) ?? NONE;
  show(tabId, to, { back: [...back, now].slice(-MAX_ENTRIES), forward: [] });
}

/** One step back or forward in a tab. False if there is none. */
export function stepInTab(tabId: string, step: 'back' | 'forward', from: ListPlace | null): boolean {
  const { back, forward } = useStore.getState().tabs.get(tabId) ?? NONE;
  const now = current(tabId, from);
  const to = step === 'back' ? back.at(-1) : forward[0];
  if (!now || !to) return false;
  show(
    tabId,
    to,
    step === 'back'
      ? { back: back.slice(0, -1), forward: [now, ...forward] }
      : { back: [...back, now], forward: forward.slice(1) },
  );
  return true;
}

/** Tabs that were left by going back, by the tab that was gone back to. */
const leftFor = new Map<string, string>();

/** Goes back to another tab, which `go` brings to the front. */
export function backToTab(go: () => void): void {
  const from = activeTab();
  go();
  const to = activeTab();
  if (from !== null && to !== null && to.id !== from.id) leftFor.set(to.id, from.id);
}

/** Returns to the tab from which the analyst went back to the one in front. False if there is none. */
export function forwardToTab(): boolean {
  const { tabs, active } = useTabs.getState();
  const id = leftFor.get(active ?? '');
  leftFor.delete(active ?? '');
  const isOpen = tabs.some((tab) => tab.id === id);
  if (id !== undefined && isOpen) activateTab(id);
  return isOpen;
}

/** Back to the list that a profile was opened from. False if it is closed. */
export function goToList(place: ListPlace | null): boolean {
  const list = useTabs.getState().tabs.find(({ id }) => id === place?.source.tabId);
  if (list) backToTab(() => activateTab(list.id));
  return list !== undefined;
}
