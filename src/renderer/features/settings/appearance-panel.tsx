import { type JSX, useId } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { setPreferences, usePreferences } from '#renderer/state/preferences.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { Select } from '#renderer/ui/form/field.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import type { Preferences } from '#shared/bridge/workspace.ts';
import { profileTime, zoneName, zoneNames } from '#shared/model/clock.ts';
import { THEME_OPTIONS } from './labels.ts';

export function AppearancePanel(): JSX.Element {
  const { theme, clock, tenantZone } = usePreferences();
  const { connection } = useConnection();
  const zoneId = useId();
  const setting = useClock();
  const now = useNow('second');
  const zone = tenantZone ?? connection?.timezone ?? null;
  const clocks: { value: Preferences['clock']; label: string; disabled?: boolean }[] = [
    { value: 'utc', label: 'UTC' },
    { value: 'local', label: 'This machine' },
    { value: 'tenant', label: 'Tenant', disabled: zone === null },
  ];
  return (
    <Panel title="Appearance and time zone">
      <div className="pp-setting">
        <span>Theme</span>
        <Segmented
          label="Theme"
          options={THEME_OPTIONS}
          value={theme}
          onChange={(value) => setPreferences({ theme: value })}
        />
      </div>
      <div className="pp-setting">
        <span>Clock</span>
        <Segmented
          label="Clock"
          options={clocks}
          value={clock}
          onChange={(value) => setPreferences({ clock: value })}
        />
      </div>
      <div className="pp-setting">
        <label htmlFor={zoneId}>Tenant time zone</label>
        <Select
          id={zoneId}
          value={tenantZone === null ? '' : zoneName(tenantZone)}
          options={[
            {
              value: '',
              label: connection?.timezone ? `The connection's: ${connection.timezone}` : 'Not set',
            },
            ...zoneNames(tenantZone),
          ]}
          onChange={(name) => setPreferences({ tenantZone: name || null })}
        />
      </div>
      <p className="pp-setting-note">
        Used in grids, timelines and exports. Now:{' '}
        <span className="pp-mono">{profileTime(now, setting)}</span>
      </p>
    </Panel>
  );
}
