import {
  AddColumnRight,
  Application,
  Cog,
  Contrast,
  Document,
  Envelope,
  Filter,
  Flag,
  Flash,
  FolderOpen,
  Globe,
  Help,
  Home,
  KeyCommand,
  Office,
  Pin,
  Plus,
  Pulse,
  SearchText,
  Shield,
  Time,
} from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { cap, capOf, EVERYWHERE } from '#renderer/commands/keys.ts';
import { goOffline, openEvidence, switchTo } from '#renderer/state/connection-actions.ts';
import { GUIDE_PAGES, openGuide } from '#renderer/state/guide.ts';
import { commandsNow } from '#renderer/state/hotkeys.ts';
import { openQuery, openScreen } from '#renderer/state/navigation.ts';
import { openConnectionForm, showDiagnostics, showKeys } from '#renderer/state/overlays.ts';
import { setPreferences } from '#renderer/state/preferences.ts';
import { splitTabs } from '#renderer/state/split.ts';
import { activateTab, useTabs } from '#renderer/state/tabs.ts';
import { DomainIcon } from '#renderer/ui/domain-icon.tsx';
import { GlyphCloudOff } from '#renderer/ui/glyphs.tsx';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { Connection, ConnectionState } from '#shared/bridge/operations.ts';
import type { Tab } from '#shared/bridge/workspace.ts';
import type { Query } from '#shared/model/entities.ts';
import { foldText } from '#shared/query/text.ts';
import { guidePage } from './labels.ts';

export interface PaletteItem {
  id: string;
  group: 'Found' | 'Search' | 'People and files' | 'Actions' | 'Go to';
  icon: JSX.Element;
  text: string;
  detail?: string;
  count?: string;
  /** Shown after the text: a verdict chip. */
  extra?: ReactNode;
  keys?: string;
  also?: string;
  run: () => void;
}

/** All screens, searchable by name, synonyms and content. */
const screens: readonly PaletteItem[] = (
  [
    ['home', 'Home', <Home key="i" size={14} />, 'start overview dashboard detections figures'],
    [
      'queries',
      'Queries',
      <Application key="i" size={14} />,
      'library templates reports saved searches hunts schedules',
    ],
    [
      'stack',
      'Security stack',
      <Shield key="i" size={14} />,
      'app store catalogue policies tools apps scanners engines licence products',
    ],
    [
      'exceptions',
      'Exceptions',
      <Filter key="i" size={14} />,
      'allow list block list allowlist blocklist whitelist blacklist rules senders',
    ],
    [
      'rules',
      'Rules',
      <Flag key="i" size={14} />,
      'detections yara mql sublime indicators iocs lists custom findings false positives',
    ],
    [
      'login-map',
      'Login map',
      <Globe key="i" size={14} />,
      'heat map heatmap active users sign-ins signins logins logons locations countries travel world geography',
    ],
    [
      'activity',
      'Activity',
      <Pulse key="i" size={14} />,
      'jobs exports journal audit log history actions changes verify',
    ],
    [
      'kept',
      'Saved for offline',
      <Pin key="i" size={14} />,
      'pinned kept available cached profiles emails bodies search',
    ],
    [
      'settings',
      'Settings',
      <Cog key="i" size={14} />,
      'preferences options connections tenants cache clock appearance theme secrets passphrase feature flags about version',
    ],
  ] as const
).map(([screen, text, icon, also]) => ({
  id: screen,
  group: 'Go to',
  icon,
  text,
  also,
  run: () => openScreen(screen),
}));
const guide: readonly PaletteItem[] = GUIDE_PAGES.map(({ id, label, also }) => ({
  id: `guide-${id}`,
  group: 'Go to',
  icon: <Help size={14} />,
  text: guidePage(label),
  also: `help manual documentation ${also}`,
  ...(id === 'start' ? { keys: cap(EVERYWHERE.guide) } : {}),
  run: () => openGuide(id),
}));
const ONCE: ReadonlySet<string> = new Set([...screens.map(({ id }) => id), 'guide']);

const TAB_ICONS: Readonly<Partial<Record<Tab['route']['screen'], JSX.Element>>> = {
  email: <Envelope size={14} />,
  file: <Document size={14} />,
};

/** Actions that the current screen offers for its selection. */
export const commandItems = (): PaletteItem[] =>
  commandsNow().map(({ text, chord, run }) => ({
    id: `command-${text}`,
    group: 'Actions',
    icon: <Flash size={14} />,
    text,
    keys: capOf(chord),
    run,
  }));

export function actionItems(bridge: Bridge, state: ConnectionState): PaletteItem[] {
  const offline = state.phase === 'offline-user' || state.phase === 'offline-auto';
  const theme = (value: 'dark' | 'light' | 'system', text: string): PaletteItem => ({
    id: `theme-${value}`,
    group: 'Actions',
    icon: <Contrast size={14} />,
    text,
    also: 'theme appearance colour',
    run: () => setPreferences({ theme: value }),
  });
  const clock = (value: 'utc' | 'local', text: string): PaletteItem => ({
    id: `clock-${value}`,
    group: 'Actions',
    icon: <Time size={14} />,
    text,
    also: 'clock zone time',
    run: () => setPreferences({ clock: value }),
  });
  return [
    {
      id: 'new-query',
      group: 'Actions',
      icon: <Plus size={14} />,
      text: EVERYWHERE.newQuery.text,
      keys: cap(EVERYWHERE.newQuery),
      run: () => openQuery(),
    },
    {
      id: 'split',
      group: 'Actions',
      icon: <AddColumnRight size={14} />,
      text: useTabs.getState().split === null ? 'Split view' : 'End split view',
      also: 'split view side by side compare pane',
      keys: cap(EVERYWHERE.split),
      run: splitTabs,
    },
    ...(state.connectionId === null
      ? []
      : [
          {
            id: 'offline',
            group: 'Actions' as const,
            icon: <GlyphCloudOff size={14} />,
            text: offline ? 'Go online' : 'Go offline',
            run: () => goOffline(!offline),
          },
        ]),
    {
      id: 'evidence',
      group: 'Actions',
      icon: <FolderOpen size={14} />,
      text: 'Open a folder of mail',
      also: 'evidence eml mbox',
      run: () => void openEvidence(bridge, 'evidence-folder'),
    },
    {
      id: 'tenant',
      group: 'Actions',
      icon: <Office size={14} />,
      text: 'Add a tenant',
      also: 'connection',
      run: () => openConnectionForm({ id: null, kind: 'tenant' }),
    },
    theme('dark', 'Use dark theme'),
    theme('light', 'Use light theme'),
    theme('system', 'Use system theme'),
    clock('utc', 'Show times in UTC'),
    clock('local', 'Show times in local time'),
    {
      id: 'diagnostics',
      group: 'Actions',
      icon: <Pulse size={14} />,
      text: 'Save diagnostics…',
      also: 'support bug report log crash troubleshoot',
      run: () => showDiagnostics(true),
    },
    {
      id: 'keys',
      group: 'Actions',
      icon: <KeyCommand size={14} />,
      text: EVERYWHERE.shortcuts.text,
      keys: cap(EVERYWHERE.shortcuts),
      run: () => showKeys(true),
    },
  ];
}

interface Places {
  tabs: readonly Tab[];
  queries: readonly Query[];
  connections: readonly Connection[];
  activeConnection: string | null;
}

export function placeItems({ tabs, queries, connections, activeConnection }: Places): PaletteItem[] {
  const isEvidence = connections.find(({ id }) => id === activeConnection)?.kind === 'evidence';
  return [
    ...tabs
      // Singleton screens are found by their own items.
      .filter(({ route }) => !ONCE.has(route.screen))
      .map(
        (tab): PaletteItem => ({
          id: `tab-${tab.id}`,
          group: 'Go to',
          icon: TAB_ICONS[tab.route.screen] ?? <SearchText size={14} />,
          text: tab.title,
          detail: 'open tab',
          run: () => activateTab(tab.id),
        }),
      ),
    // A folder of mail has no allow and block lists.
    ...screens.filter(({ id }) => id !== (isEvidence ? 'exceptions' : 'rules')),
    ...guide,
    ...queries.map(
      (query): PaletteItem => ({
        id: `query-${query.id}`,
        group: 'Go to',
        icon: <DomainIcon domain={query.domain} />,
        text: query.name,
        detail: query.subType || 'query',
        also: query.description ?? '',
        run: () => void openQuery(query),
      }),
    ),
    ...connections
      .filter(({ id }) => id !== activeConnection)
      .map(
        (connection): PaletteItem => ({
          id: `connection-${connection.id}`,
          group: 'Go to',
          icon: <Office size={14} />,
          text: connection.name,
          detail: `${connection.kind} connection`,
          run: () => switchTo(connection.id),
        }),
      ),
  ];
}

/** Items that match every word, those that start with the first word first. */
export function matching(items: readonly PaletteItem[], text: string, most: number): PaletteItem[] {
  const words = foldText(text).split(/\s+/).filter(Boolean);
  const hits = items.filter((item) => {
    const hay = foldText(`${item.text} ${item.detail ?? ''} ${item.also ?? ''}`);
    return words.every((word) => hay.includes(word));
  });
  const first = words[0] ?? '';
  const begins = (item: PaletteItem) => Number(first !== '' && foldText(item.text).startsWith(first));
  return hits.sort((a, b) => begins(b) - begins(a)).slice(0, most);
}
