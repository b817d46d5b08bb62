import { Menu, MenuItem, PopupKind } from '@blueprintjs/core';
import { Cross, Minus, Refresh, Search, Square, Time } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { cap } from '#renderer/commands/keys.ts';
import { WINDOW } from '#renderer/commands/window-commands.ts';
import { JobsTray } from '#renderer/features/activity/jobs-tray.tsx';
import { ConnectionSwitcher } from '#renderer/features/connections/connection-switcher.tsx';
import { PLACEHOLDER } from '#renderer/features/palette/labels.ts';
import { useAppInfo } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { isActiveJob, useJobs } from '#renderer/state/jobs.ts';
import { setPreferences, useMachineClock, usePreferences } from '#renderer/state/preferences.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { GlyphPause, ParapetMark } from '#renderer/ui/glyphs.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import type { InputOf } from '#shared/bridge/operations.ts';
import { timeOfDay, zoneAt, zoneLabel } from '#shared/model/clock.ts';
import { plural } from '#shared/model/format.ts';

function Omnibox(): JSX.Element {
  return (
    <button type="button" className="pp-omnibox" onClick={WINDOW.palette.run} aria-keyshortcuts="Control+K">
      <Search size={14} />
      <span className="pp-ellipsis pp-spacer">{PLACEHOLDER}</span>
      <Kbd keys={cap(WINDOW.palette)} />
    </button>
  );
}

function JobsButton(): JSX.Element | null {
  const jobs = useJobs();
  const { reach } = useConnection();
  const active = jobs.filter(isActiveJob);
  if (jobs.length === 0) return null;
  const waiting = reach === 'offline' && active.length > 0;
  const count = plural(active.length, 'job');
  return (
    <MenuPopover content={<JobsTray />} popupKind={PopupKind.DIALOG} placement="bottom-end">
      <button type="button" className={`pp-bar-button${active.length > 0 ? ' pp-bar-busy' : ''}`}>
        {waiting ? <GlyphPause size={12} /> : <Refresh size={14} />}
        {active.length === 0 ? 'Jobs' : waiting ? `${count} waiting` : count}
      </button>
    </MenuPopover>
  );
}

function ClockButton(): JSX.Element {
  const clock = useClock();
  const now = useNow('second');
  const { connection } = useConnection();
  const preferences = usePreferences();
  const machine = useMachineClock();
  const zone = preferences.tenantZone ?? connection?.timezone ?? null;
  const choice = (value: 'utc' | 'local' | 'tenant', text: string, label: string) => (
    <MenuItem
      key={value}
      text={text}
      label={label}
      roleStructure="listoption"
      selected={preferences.clock === value}
      disabled={value === 'tenant' && zone === null}
      onClick={() => setPreferences({ clock: value })}
    />
  );
  const menu = (
    <Menu aria-label="Time zone">
      {choice('utc', 'UTC', '')}
      {choice('local', 'This machine', zoneLabel(machine))}
      {choice('tenant', 'Tenant', zone ?? 'not set')}
    </Menu>
  );
  return (
    <MenuPopover content={menu} placement="bottom-end">
      <button
        type="button"
        className="pp-bar-button pp-bar-clock"
        title="Time zone of grids, timelines and exports"
      >
        <Time size={14} />
        <span>
          {timeOfDay(now, clock)} {zoneAt(now, clock)}
        </span>
      </button>
    </MenuPopover>
  );
}

function WindowButtons(): JSX.Element {
  const bridge = useBridge();
  const control = (action: InputOf<'window.control'>['action']) => () =>
    void bridge.call('window.control', { action }).catch(() => undefined);
  return (
    <div className="pp-window-buttons">
      <button type="button" aria-label="Minimise" tabIndex={-1} onClick={control('minimise')}>
        <Minus size={12} />
      </button>
      <button type="button" aria-label="Maximise" tabIndex={-1} onClick={control('maximise')}>
        <Square size={12} />
      </button>
      <button type="button" aria-label="Close window" tabIndex={-1} onClick={control('close')}>
        <Cross size={14} />
      </button>
    </div>
  );
}

export function TitleBar(): JSX.Element {
  const info = useAppInfo();
  const ownButtons = info?.host === 'electron' && info.platform !== 'darwin';
  return (
    <header className="pp-title-bar" data-host={info?.host}>
      <div className="pp-title-start">
        <span className="pp-brand">
          <ParapetMark size={18} />
          <b>{info?.branding.productName ?? 'Parapet'}</b>
        </span>
        <ConnectionSwitcher />
      </div>
      <Omnibox />
      <div className="pp-title-end">
        <JobsButton />
        <ClockButton />
        {ownButtons ? <WindowButtons /> : null}
      </div>
    </header>
  );
}
