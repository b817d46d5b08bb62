import { createContext, useContext, useEffect, useRef } from 'react';
import { create } from 'zustand';
import type { Hint } from '#renderer/ui/kbd.tsx';
import type { Route } from '#shared/bridge/workspace.ts';

/** What every screen is given; features export one as default. */
export interface ScreenProps<S extends Route['screen'] = Route['screen']> {
  route: Extract<Route, { screen: S }>;
  tabId: string;
}

interface TabPlace {
  tabId: string;
  /** The tab is in front: its keys work. */
  isActive: boolean;
  /** The tab is seen, in front or beside the one in front: its charts may measure, its rows are kept up to date. */
  isShown: boolean;
}

export const TabContext = createContext<TabPlace>({ tabId: '', isActive: true, isShown: true });
export const useTab = (): TabPlace => useContext(TabContext);

/** What a list draws: as it is while its tab is seen, as it last was while another one covers it. */
export function useWhileShown<T>(value: T): T {
  const { isShown } = useTab();
  const drawn = useRef(value);
  if (isShown) drawn.current = value;
  return drawn.current;
}

interface TabStatus {
  /** A few words for the status bar, e.g. "148 queries". */
  message?: string;
  /** Keys that work here now. */
  hints?: readonly Hint[];
}

const useStatuses = create<{ statuses: ReadonlyMap<string, TabStatus> }>(() => ({ statuses: new Map() }));

/** What the status bar says while this screen is in front. `hints` is compared by identity: keep it constant. */
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
