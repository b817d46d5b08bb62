import { Fragment, type JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { type ScreenName, screenIcon } from '#renderer/commands/screen-icons.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { isActiveJob, useJobs } from '#renderer/state/jobs.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { activateTab, SCREEN_TITLES, useTabs } from '#renderer/state/tabs.ts';
import { tip } from '#renderer/ui/tips.ts';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { Tab } from '#shared/bridge/workspace.ts';
import { exact } from '#shared/model/format.ts';

export interface Section {
  screen: ScreenName;
  label: string;
  /** Alt and this digit open the section, whichever other sections exist. */
  digit: number;
  count?: number;
  busy?: boolean;
  go: () => void;
}

const SECTION_OF: Partial<Record<ScreenName, ScreenName>> = {
  query: 'queries',
  file: 'email',
  person: 'email',
};
const sectionOf = (screen: ScreenName): ScreenName => SECTION_OF[screen] ?? screen;
const isProfile = ({ route }: Tab) => sectionOf(route.screen) === 'email';

function goToProfile(): void {
  const { tabs, recent } = useTabs.getState();
  const profiles = tabs.filter(isProfile);
  const last = recent.find((id) => profiles.some((tab) => tab.id === id)) ?? profiles.at(-1)?.id;
  if (last) activateTab(last);
}

const toSection = (
  screen: Parameters<typeof openScreen>[0],
  digit: number,
  more: Pick<Section, 'count' | 'busy'> = {},
): Section => ({ screen, label: SCREEN_TITLES[screen], digit, go: () => openScreen(screen), ...more });

/** The sections that exist now, in rail order; Settings, the last, stands apart. */
export function useSections(): Section[] {
  const profiles = useTabs((store) => store.tabs.filter(isProfile).length);
  const jobs = useJobs().filter(isActiveJob).length;
  const queries = useRead('query.list', { query: {} });
  const isEvidence = useConnection().connection?.kind === 'evidence';
  return [
    toSection('home', 1),
    toSection('queries', 2, queries.data && !queries.error ? { count: queries.data.queries.length } : {}),
    ...(profiles > 0
      ? [{ screen: 'email' as const, label: 'Profiles', digit: 3, count: profiles, go: goToProfile }]
      : []),
    toSection('stack', 4),
    // A folder of mail has no allow and block lists; only there do rules of the analyst apply.
    isEvidence ? toSection('rules', 9) : toSection('exceptions', 5),
    toSection('login-map', 6),
    toSection('activity', 7, jobs > 0 ? { count: jobs, busy: true } : {}),
    toSection('settings', 8),
  ];
}

function RailItem({
  section,
  wide,
  isActive,
}: {
  section: Section;
  wide: boolean;
  isActive: boolean;
}): JSX.Element {
  const Icon = screenIcon(section.screen);
  return (
    <button
      type="button"
      className={`pp-rail-item${isActive ? ' pp-rail-active' : ''}`}
      aria-label={section.label}
      aria-current={isActive ? 'page' : undefined}
      {...(wide ? {} : tip(section.label, `Alt ${section.digit}`, 'right'))}
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
}

/** The sections at the left: icons, or icons with labels and counts on wide windows. */
export function Rail({ sections }: { sections: readonly Section[] }): JSX.Element {
  const { wide } = useBreakpoint();
  const screen = useTabs((store) => store.tabs.find(({ id }) => id === store.active)?.route.screen);
  const active = screen === undefined ? undefined : sectionOf(screen);
  return (
    <nav className="pp-rail" aria-label="Sections">
      {sections.map((section) => (
        <Fragment key={section.screen}>
          {section.screen === 'settings' ? <span className="pp-spacer" /> : null}
          <RailItem section={section} wide={wide} isActive={section.screen === active} />
        </Fragment>
      ))}
    </nav>
  );
}
