import { BlueprintProvider } from '@blueprintjs/core';
import { type JSX, useEffect, useState } from 'react';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { WINDOW } from '#renderer/commands/window-commands.ts';
import { EntityMenuHost } from '#renderer/entity/entity-menu.tsx';
import { onAppEvent, onWireLost } from '#renderer/state/app-events.ts';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { useEntityActions } from '#renderer/state/entity-actions.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { useClockSetting, usePreferences } from '#renderer/state/preferences.ts';
import { useWireHealth } from '#renderer/state/wire-health.ts';
import { ClockContext } from '#renderer/ui/clock-context.ts';
import { EntityActionsContext } from '#renderer/ui/entity-value.tsx';
import { applyTheme } from '#renderer/ui/theme.ts';
import { Toasts } from '#renderer/ui/toasts.tsx';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { dictionary } from '#shared/dictionary.ts';
import { LostWire, WaitingForHost } from './failure.tsx';
import { Shell } from './shell.tsx';

const COMMANDS: Readonly<Record<string, () => unknown>> = dictionary({
  palette: WINDOW.palette.run,
  print: WINDOW.print.run,
  keys: WINDOW.shortcuts.run,
  guide: WINDOW.guide.run,
  settings: () => openScreen('settings'),
  home: () => openScreen('home'),
  queries: () => openScreen('queries'),
  activity: () => openScreen('activity'),
  'new-query': WINDOW.newQuery.run,
  'close-tab': WINDOW.closeTab.run,
  'next-tab': WINDOW.nextTab.run,
  'previous-tab': WINDOW.previousTab.run,
});

/** Runs a command by name; one this version does not know is ignored. */
function runCommand(command: string): void {
  COMMANDS[command]?.();
}

const DARK = '(prefers-color-scheme: dark)';

function useTheme(): void {
  const { theme } = usePreferences();
  useEffect(() => {
    const system = matchMedia(DARK);
    const apply = () => applyTheme(theme === 'system' ? (system.matches ? 'dark' : 'light') : theme);
    apply();
    if (theme !== 'system') return undefined;
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [theme]);
}

function useWireLost(): BridgeError | null {
  const [lost, setLost] = useState<BridgeError | null>(null);
  useEffect(() => onWireLost(setLost), []);
  return lost;
}

/** The window title distinguishes two open Parapet windows. */
function useWindowTitle(): void {
  const product = useAppInfo()?.branding.productName ?? 'Parapet';
  const name = useConnection().connection?.name;
  useEffect(() => {
    document.title = name ? `${name} – ${product}` : product;
  }, [name, product]);
}

export function App({ bridge }: { bridge: Bridge }): JSX.Element {
  useTheme();
  useWindowTitle();
  const lost = useWireLost();
  const health = useWireHealth();
  const actions = useEntityActions();
  const clock = useClockSetting();
  useEffect(() => onAppEvent('command', ({ command }) => runCommand(command)), []);
  return (
    <BridgeProvider bridge={bridge}>
      <BlueprintProvider>
        <ClockContext value={clock}>
          <EntityActionsContext value={actions}>
            <EntityMenuHost>
              <Shell />
              <Toasts />
              {lost ? (
                <LostWire error={lost} />
              ) : health.phase === 'lost' ? (
                <WaitingForHost {...health} />
              ) : null}
            </EntityMenuHost>
          </EntityActionsContext>
        </ClockContext>
      </BlueprintProvider>
    </BridgeProvider>
  );
}
