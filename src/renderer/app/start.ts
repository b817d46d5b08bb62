import { startAppEvents } from '#renderer/state/app-events.ts';
import { startAppInfo } from '#renderer/state/app-info.ts';
import { knownConnections, onConnectionChange, startConnections } from '#renderer/state/connection.ts';
import { pruneDrafts } from '#renderer/state/drafts.ts';
import { startJobs } from '#renderer/state/jobs.ts';
import { startPreferences } from '#renderer/state/preferences.ts';
import { startRecent } from '#renderer/state/recent.ts';
import { startResults } from '#renderer/state/results.ts';
import { loadTabs, useTabs } from '#renderer/state/tabs.ts';
import { startVisits } from '#renderer/state/visits.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { flushOnLeave } from '#renderer/state/workspace.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';

/** Fills the window's stores before the first paint, so that nothing shifts after it. */
export async function startState(bridge: Bridge): Promise<void> {
  setWindowBridge(bridge);
  startAppEvents(bridge);
  startResults();
  await Promise.all([
    startAppInfo(),
    startConnections(),
    startPreferences(),
    startJobs().catch(() => undefined),
  ]);
  startRecent();
  startVisits();
  flushOnLeave();
  // Not awaited; drafts that cannot be removed now are removed at the next start.
  void pruneDrafts(knownConnections()).catch(() => undefined);
  await new Promise<void>((resolve) => {
    onConnectionChange((id) => {
      void loadTabs(id).then(() => {
        if (useTabs.getState().connectionId !== undefined) resolve();
      });
    });
  });
}
