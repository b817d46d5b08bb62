import { Tooltip } from '@blueprintjs/core';
import { Cog } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { isActiveJob, useJobs } from '#renderer/state/jobs.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { activateTab, useTabs } from '#renderer/state/tabs.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Tab } from '#shared/bridge/workspace.ts';
import { exact } from '#shared/model/format.ts';
import { SCREEN_ICONS, type ScreenName } from './screens.tsx';

export interface Section {
  screen: ScreenName;
  label: string;
  count?: number;
  /** Something runs here. */
  busy?: boolean;
  go: () => void;
}

const isProfile = ({ route }: Tab) => route.screen === 'email' || route.screen === 'file';

/** Goes to the profile seen last; nothing without one. */
function goToProfile(): void {
  const { tabs, recent } = useTabs.getState();
  const profiles = tabs.filter(isProfile);
  const last = recent.find((id) => profiles.some((tab) => tab.id === id)) ?? profiles.at(-1)?.id;
  if (last) activateTab(last);
}

/** The sections that exist now, in rail order; Settings stands apart at the end. */
export function useSections(): Section[] {
  const profiles = useTabs((store) => store.tabs.filter(isProfile).length);
  const jobs = useJobs().filter(isActiveJob).length;
  const queries = useRead('query.list', { query: {} });
  return [
    { screen: 'home', label: 'Home', go: () => openScreen('home') },
    {
      screen: 'queries',
      label: 'Queries',
      ...(queries.data && !queries.error ? { count: queries.data.queries.length } : {}),
      go: () => openScreen('queries'),
    },
    ...(profiles > 0
      ? [{ screen: 'email' as const, label: 'Profiles', count: profiles, go: goToProfile }]
      : []),
    { screen: 'stack', label: 'Security stack', go: () => openScreen('stack') },
    { screen: 'exceptions', label: 'Exceptions', go: () => openScreen('exceptions') },
    { screen: 'login-map', label: 'Login map', go: () => openScreen('login-map') },
    {
      screen: 'activity',
      label: 'Activity',
      ...(jobs > 0 ? { count: jobs, busy: true } : {}),
      go: () => openScreen('activity'),
    },
  ];
}

/** Which section a screen belongs to. */
const SECTION_OF: Partial<Record<ScreenName, ScreenName>> = { query: 'queries', file: 'email' };

function RailItem({
  section,
  wide,
  isActive,
  at,
}: {
  section: Section;
  wide: boolean;
  isActive: boolean;
  at?: number;
}): JSX.Element {
  const Icon = section.screen === 'settings' ? Cog : SCREEN_ICONS[section.screen];
  const button = (
    <button
      type="button"
      className={`pp-rail-item${isActive ? ' pp-rail-active' : ''}`}
      aria-label={section.label}
      aria-current={isActive ? 'page' : undefined}
      onClick={section.go}
    >
      <Icon size={16} />
      {wide ? <span className="pp-ellipsis pp-spacer">{section.label}</span> : null}
      {wide && section.count !== undefined ? (
        <span className="pp-rail-count">{exact(section.count)}</span>
      ) : null}
      {!wide && section.busy ? <span className="pp-rail-dot" /> : null}
    </button>
  );
  if (wide) return button;
  const hint = at === undefined ? section.label : `${section.label} (Alt ${at})`;
  return (
    <Tooltip content={hint} placement="right" hoverOpenDelay={400} compact>
      {button}
    </Tooltip>
  );
}

/** The sections at the left: icons, or icons with labels and counts on wide windows. */
export function Rail({ sections }: { sections: readonly Section[] }): JSX.Element {
  const { wide } = useBreakpoint();
  const screen = useTabs((store) => store.tabs.find(({ id }) => id === store.active)?.route.screen);
  const section = screen === undefined ? undefined : (SECTION_OF[screen] ?? screen);
  return (
    <nav className="pp-rail" aria-label="Sections" data-region>
      {sections.map((one, index) => (
        <RailItem
          key={one.screen}
          section={one}
          wide={wide}
          isActive={one.screen === section}
          at={index + 1}
        />
      ))}
      <span className="pp-spacer" />
      <RailItem
        section={{ screen: 'settings', label: 'Settings', go: () => openScreen('settings') }}
        wide={wide}
        isActive={section === 'settings'}
        at={sections.length + 1}
      />
    </nav>
  );
}
