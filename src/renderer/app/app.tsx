import { BlueprintProvider } from '@blueprintjs/core';
import { type JSX, useEffect, useState } from 'react';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { BridgeProvider } from '../bridge/bridge-context.tsx';
import { onAppEvent, onWireLost } from '../state/app-events.ts';
import { useAppInfo } from '../state/app-info.ts';
import { useConnection } from '../state/connection.ts';
import { useEntityActions } from '../state/entity-actions.ts';
import { useClockSetting, usePreferences } from '../state/preferences.ts';
import { ClockContext } from '../ui/clock-context.ts';
import { EntityMenuHost } from '../ui/entity-menu.tsx';
import { EntityActionsContext } from '../ui/entity-value.tsx';
import { applyTheme } from '../ui/theme.ts';
import { Toasts } from '../ui/toasts.tsx';
import { runCommand } from './commands.ts';
import { LostWire } from './failure.tsx';
import { Shell } from './shell.tsx';

const DARK = '(prefers-color-scheme: dark)';

/** Keeps the body's theme as chosen, or as the system has it. */
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

/** The window's name tells two open Parapets apart. */
function useWindowTitle(): void {
  const product = useAppInfo()?.branding.productName ?? 'Parapet';
  const name = useConnection().connection?.name;
  useEffect(() => {
    document.title = name ? `${name} – ${product}` : product;
  }, [name, product]);
}

/** The whole window over a connected bridge. */
export function App({ bridge }: { bridge: Bridge }): JSX.Element {
  useTheme();
  useWindowTitle();
  const lost = useWireLost();
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
              {lost ? <LostWire error={lost} /> : null}
            </EntityMenuHost>
          </EntityActionsContext>
        </ClockContext>
      </BlueprintProvider>
    </BridgeProvider>
  );
}
