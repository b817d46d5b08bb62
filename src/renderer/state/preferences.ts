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

/** The tenant clock's time zone: from the preference, else from the connection, else UTC. */
function clockOf(preferences: Preferences, connectionZone: string | null): ClockSetting {
  if (preferences.clock !== 'tenant') return preferences.clock;
  const zone = preferences.tenantZone ?? connectionZone;
  return zone ? { tenant: zone } : 'utc';
}

/** The time zone setting for the formatters of #shared/model/clock.ts. */
export function useClockSetting(): ClockSetting {
  const { connection } = useConnection();
  return clockOf(usePreferences(), connection?.timezone ?? null);
}

export const currentClock = (): ClockSetting =>
  clockOf(useStore.getState(), currentConnection()?.timezone ?? null);

/** A side panel's width in px under a name chosen by the screen; null: default. */
export function usePanelWidth(name: string): [number | null, (width: number | null) => void] {
  const width = useStore((store) => store.panelWidths[name] ?? null);
  const set = (next: number | null) => {
    const { [name]: _, ...others } = useStore.getState().panelWidths;
    setPreferences({ panelWidths: next === null ? others : { ...others, [name]: next } });
  };
  return [width, set];
}
