/** State of updates; a version found in the background is announced once. */
import { useEffect, useState } from 'react';
import { showToast } from '#renderer/ui/toaster.ts';
import type { UpdateState } from '#shared/bridge/operations.ts';
import { onAppEvent } from './app-events.ts';
import { openScreen } from './navigation.ts';
import { activeTab } from './tabs.ts';
import { windowBridge } from './window-bridge.ts';

/** The update state, kept current while mounted, or null if not known yet. */
export function useUpdates(): UpdateState | null {
  const [state, setState] = useState<UpdateState | null>(null);
  useEffect(() => {
    const off = onAppEvent('updates', (event) => setState(event.state));
    windowBridge()
      .call('updates.state', {})
      .then(setState, () => undefined);
    return off;
  }, []);
  return state;
}

/** Failures are not announced, as users know when they have no network. Settings show the last one. */
export function startUpdateNews(): void {
  let version: string | null = null;
  onAppEvent('updates', ({ state: { newest, on } }) => {
    if (!on || newest === null || newest.version === version) return;
    version = newest.version;
    if (activeTab()?.route.screen === 'settings') return;
    showToast({
      intent: 'info',
      title: `Version ${newest.version} is available`,
      detail: 'Settings lists what’s new.',
      action: { label: 'Show', run: () => void openScreen('settings') },
      stays: true,
    });
  });
}
