/** What the menu of the host asks of the window. */
import { openQuery, openScreen } from '../state/navigation.ts';
import { openPalette, showKeys } from '../state/overlays.ts';
import { activeTab, closeTab, stepTab } from '../state/tabs.ts';

const COMMANDS: Readonly<Record<string, () => unknown>> = {
  palette: () => openPalette(),
  keys: () => showKeys(true),
  settings: () => openScreen('settings'),
  home: () => openScreen('home'),
  queries: () => openScreen('queries'),
  activity: () => openScreen('activity'),
  'new-query': () => openQuery(),
  'close-tab': () => closeTab(activeTab()?.id ?? ''),
  'next-tab': () => stepTab(1),
  'previous-tab': () => stepTab(-1),
};

/** Runs a command by name; one this version does not know is ignored. */
export function runCommand(command: string): void {
  if (Object.hasOwn(COMMANDS, command)) COMMANDS[command]?.();
}
