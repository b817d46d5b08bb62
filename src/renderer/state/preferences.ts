import { create } from 'zustand';
import { DEFAULT_PREFERENCES, type Preferences } from '#shared/bridge/workspace.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import { currentConnection, useConnection } from './connection.ts';
import { loadValue, saveValue } from './workspace.ts';

const useStore = create<Preferences>(() => DEFAULT_PREFERENCES);

export async function startPreferences(): Promise<void> {
  const saved = await loadValue('preferences', null);
  if (saved) useStore.setState(saved, true);
}

export const usePreferences = (): Preferences => useStore();

export function setPreferences(change: Partial<Preferences>): void {
  useStore.setState(change);
  saveValue('preferences', null, useStore.getState());
}

/** The tenant's clock needs a zone: the preference's, else the connection's; without either it is UTC. */
function clockOf(preferences: Preferences, connectionZone: string | null): ClockSetting {
  if (preferences.clock !== 'tenant') return preferences.clock;
  const zone = preferences.tenantZone ?? connectionZone;
  return zone ? { tenant: zone } : 'utc';
}

/** The one clock as the formatters of #shared/model/clock.ts take it. */
export function useClockSetting(): ClockSetting {
  const { connection } = useConnection();
  return clockOf(usePreferences(), connection?.timezone ?? null);
}

export const currentClock = (): ClockSetting =>
  clockOf(useStore.getState(), currentConnection()?.timezone ?? null);

/** A side panel's width in px by a name of the screen's choice; null is the default. */
export function usePanelWidth(name: string): [number | null, (width: number | null) => void] {
  const width = useStore((store) => store.panelWidths[name] ?? null);
  const set = (next: number | null) => {
    const { [name]: _, ...others } = useStore.getState().panelWidths;
    setPreferences({ panelWidths: next === null ? others : { ...others, [name]: next } });
  };
  return [width, set];
}
