import type { Connected } from '#renderer/bridge/connect.ts';
import { guardUnsaved } from '#renderer/features/queries/query-actions.ts';
import { startActionWatch } from '#renderer/state/action-watch.ts';
import { startAppEvents } from '#renderer/state/app-events.ts';
import { appInfo, startAppInfo } from '#renderer/state/app-info.ts';
import { BrowserHistory } from '#renderer/state/browser-history.ts';
import {
  earlierIdOf,
  knownConnections,
  onConnectionChange,
  startConnections,
} from '#renderer/state/connection.ts';
import { markUnsaved, moveDrafts, pruneDrafts } from '#renderer/state/drafts.ts';
import { startOffers } from '#renderer/state/dropped-files.ts';
import { startJobs } from '#renderer/state/jobs.ts';
import { startLayouts } from '#renderer/state/layout.ts';
import { Arrivals } from '#renderer/state/open-requests.ts';
import { startPreferences } from '#renderer/state/preferences.ts';
import { startRecent } from '#renderer/state/recent.ts';
import { startResults } from '#renderer/state/results.ts';
import { loadTabs, useTabs } from '#renderer/state/tabs.ts';
import { startUpdateNews } from '#renderer/state/updates.ts';
import { startVisits } from '#renderer/state/visits.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { claimWindow } from '#renderer/state/window-slot.ts';
import { startWireHealth } from '#renderer/state/wire-health.ts';
import { flushOnLeave } from '#renderer/state/workspace.ts';

/** Fills the window's stores before the first paint, so that nothing shifts after it. */
export async function startState(connected: Connected): Promise<void> {
  const { bridge, wire } = connected;
  setWindowBridge(bridge);
  startAppEvents(bridge, wire !== null);
  startWireHealth(connected);
  startOffers();
  startResults();
  await Promise.all([startAppInfo(), startConnections(), startPreferences(), startJobs(), claimWindow()]);
  startActionWatch();
  startRecent();
  startLayouts();
  startVisits();
  startUpdateNews();
  flushOnLeave();
  guardUnsaved();
  // Not awaited; drafts that cannot be removed now are removed at the next start.
  void pruneDrafts(knownConnections()).catch(() => undefined);
  await new Promise<void>((resolve) => {
    onConnectionChange((id) => {
      const earlier = earlierIdOf(id);
      if (id !== null && earlier !== null) moveDrafts(earlier, id);
      void loadTabs(id, earlier).then(() => {
        void markUnsaved();
        if (useTabs.getState().connectionId !== undefined) resolve();
      });
    });
  });
  new Arrivals().start();
  // A desktop window has no Back button.
  if (appInfo()?.host === 'browser') new BrowserHistory(window).start();
}
