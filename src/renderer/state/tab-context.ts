import { createContext, useContext, useEffect, useRef } from 'react';
import { create } from 'zustand';
import type { Hint } from '#renderer/ui/kbd.tsx';
import type { Route } from '#shared/bridge/workspace.ts';

/** The props of every screen; features export their screen as default. */
export interface ScreenProps<S extends Route['screen'] = Route['screen']> {
  route: Extract<Route, { screen: S }>;
  tabId: string;
}

interface TabPlace {
  tabId: string;
  /** The tab is in front: its keys work. */
  isActive: boolean;
  /** The tab is visible, in front or in split view: charts may measure, rows are kept up to date. */
  isShown: boolean;
}

export const TabContext = createContext<TabPlace>({ tabId: '', isActive: true, isShown: true });
export const useTab = (): TabPlace => useContext(TabContext);

/** The value while the tab is visible; while it is hidden, the value from when it was last visible. */
export function useWhileShown<T>(value: T): T {
  const { isShown } = useTab();
  const drawn = useRef(value);
  if (isShown) drawn.current = value;
  return drawn.current;
}

interface TabStatus {
  /** A few words for the status bar, e.g. "148 queries". */
  message?: string;
  hints?: readonly Hint[];
}

const useStatuses = create<{ statuses: ReadonlyMap<string, TabStatus> }>(() => ({ statuses: new Map() }));

/** The status bar text while this screen is in front. `hints` is compared by identity, so it must be constant. */
export function useTabStatus({ message, hints }: TabStatus): void {
  const { tabId } = useTab();
  useEffect(() => {
    const status: TabStatus = { ...(message ? { message } : {}), ...(hints ? { hints } : {}) };
    useStatuses.setState(({ statuses }) => ({ statuses: new Map(statuses).set(tabId, status) }));
  }, [tabId, message, hints]);
}

export const useStatusOf = (tabId: string | null): TabStatus =>
  useStatuses(({ statuses }) => statuses.get(tabId ?? '')) ?? NO_STATUS;
const NO_STATUS: TabStatus = {};
