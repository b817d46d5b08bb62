import { create } from 'zustand';
import { DEFAULT_PREFERENCES, type Preferences } from '#shared/bridge/workspace.ts';
import { type ClockSetting, isZone, zoneLabel } from '#shared/model/clock.ts';
import { currentConnection, useConnection } from './connection.ts';
import { onOtherWindow } from './other-windows.ts';
import { loadValue, saveValue } from './workspace.ts';

const useStore = create<Preferences>(() => DEFAULT_PREFERENCES);

/**
 * The zone of this machine by name, so that what is sent to the host does not depend on the host's zone. With a `TZ`
 * that Intl has no name for (missing, or `Etc/Unknown`) by its current offset, `+03:00`.
 */
function machineClock(): ClockSetting {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
  if (timeZone !== undefined && isZone(timeZone)) return { tenant: timeZone };
  const minutes = -new Date().getTimezoneOffset();
  const digits = (number: number) => String(Math.trunc(Math.abs(number))).padStart(2, '0');
  return minutes === 0
    ? 'utc'
    : { tenant: `${minutes < 0 ? '-' : '+'}${digits(minutes / 60)}:${digits(minutes % 60)}` };
}
/** Separate from the preferences, because it is not saved. */
const useMachine = create<{ clock: ClockSetting }>(() => ({ clock: machineClock() }));
/** The time zone of this machine, as it is now. */
export const useMachineClock = (): ClockSetting => useMachine(({ clock }) => clock);
/** A laptop that travels changes its zone while the window is open. */
const LOOK_EVERY_MS = 15_000;

function lookAtZone(): void {
  const clock = machineClock();
  if (zoneLabel(clock) !== zoneLabel(useMachine.getState().clock)) useMachine.setState({ clock });
}

export async function startPreferences(): Promise<void> {
  setInterval(lookAtZone, LOOK_EVERY_MS);
  addEventListener('focus', lookAtZone);
  onOtherWindow('preferences', (_, saved) => saved && useStore.setState(saved, true));
  const saved = await loadValue('preferences', null);
  if (saved) useStore.setState(saved, true);
}

export const usePreferences = (): Preferences => useStore();

export function setPreferences(change: Partial<Preferences>): void {
  useStore.setState(change);
  saveValue('preferences', null, useStore.getState());
}

/** The tenant clock's time zone: from the preference, else from the connection, else UTC. */
function clockOf(
  preferences: Preferences,
  connectionZone: string | null,
  machine: ClockSetting,
): ClockSetting {
  if (preferences.clock === 'utc') return 'utc';
  if (preferences.clock === 'local') return machine;
  const zone = preferences.tenantZone ?? connectionZone;
  return zone ? { tenant: zone } : 'utc';
}

/** The time zone setting for the formatters of #shared/model/clock.ts. */
export function useClockSetting(): ClockSetting {
  const { connection } = useConnection();
  const machine = useMachineClock();
  return clockOf(usePreferences(), connection?.timezone ?? null, machine);
}

export const currentClock = (): ClockSetting =>
  clockOf(useStore.getState(), currentConnection()?.timezone ?? null, useMachine.getState().clock);

/** A side panel's width in px under a name chosen by the screen, or null for the default. */
export function usePanelWidth(name: string): [number | null, (width: number | null) => void] {
  const width = useStore((store) => store.panelWidths[name] ?? null);
  const set = (next: number | null) => {
    const { [name]: _, ...others } = useStore.getState().panelWidths;
    setPreferences({ panelWidths: next === null ? others : { ...others, [name]: next } });
  };
  return [width, set];
}
