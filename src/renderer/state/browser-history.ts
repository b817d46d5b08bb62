/**
 * Keeps the browser's Back and Forward inside the window: one history entry per activated tab and per profile
 * that a tab navigated to. Leaving asks for confirmation if work would be lost.
 */
import { z } from 'zod';
import type { Route, Tab } from '#shared/bridge/workspace.ts';
import { activateTab, activeTab, openTab, reopenTab, setTabRoute, useTabs } from './tabs.ts';

/** State of a history entry: ids only, which this window resolves. */
const entrySchema = z.object({ connectionId: z.string().nullable(), tabId: z.string(), entry: z.number() });

/** Whether unsaved work is only in this page: queries are kept as drafts. */
function wouldLose(): boolean {
  const { tabs, dirty } = useTabs.getState();
  return tabs.some(({ id, route }) => dirty.has(id) && route.screen !== 'query');
}

interface Place {
  route: Route;
  title: string;
}

export class BrowserHistory {
  /** What each entry showed, by entry number. */
  private readonly places = new Map<number, Place>();
  private at = 0;
  private shown: Tab | null = null;
  /** The current change was caused by the browser's history. */
  private going = false;
  private readonly page: Window;

  constructor(page: Window) {
    this.page = page;
  }

  /** Returns the unlisten. */
  start(): () => void {
    // After a reload, the previous entries still exist.
    this.at = entrySchema.safeParse(this.page.history.state).data?.entry ?? 0;
    this.write('replaceState');
    const unlisten = useTabs.subscribe(() => this.follow());
    const back = ({ state }: PopStateEvent) => this.go(state);
    const leave = (event: BeforeUnloadEvent) => {
      if (wouldLose()) event.preventDefault();
    };
    this.page.addEventListener('popstate', back);
    this.page.addEventListener('beforeunload', leave);
    return () => {
      unlisten();
      this.page.removeEventListener('popstate', back);
      this.page.removeEventListener('beforeunload', leave);
    };
  }

  private write(how: 'pushState' | 'replaceState'): void {
    const tab = activeTab();
    this.shown = tab;
    if (tab === null) return;
    this.places.set(this.at, { route: tab.route, title: tab.title });
    const { connectionId = null } = useTabs.getState();
    this.page.history[how]({ connectionId, tabId: tab.id, entry: this.at }, '');
  }

  private follow(): void {
    const tab = activeTab();
    if (this.going || tab === null || (tab.id === this.shown?.id && tab.route === this.shown.route)) return;
    this.at += 1;
    this.write('pushState');
  }

  /** Navigates to an entry: activates its tab, reopening it if it was closed. */
  private go(state: unknown): void {
    const { success, data } = entrySchema.safeParse(state);
    if (!success || data.connectionId !== useTabs.getState().connectionId) return;
    this.at = data.entry;
    const place = this.places.get(data.entry);
    const tab = useTabs.getState().tabs.find(({ id }) => id === data.tabId);
    this.going = true;
    if (tab) {
      if (place && place.route !== tab.route) setTabRoute(tab.id, place.route, place.title);
      activateTab(tab.id);
    } else if (!reopenTab(data.tabId) && place) openTab(place.route, { title: place.title });
    this.going = false;
    this.shown = activeTab();
  }
}
