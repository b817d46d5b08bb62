import {
  Application,
  Cog,
  Contrast,
  Envelope,
  FolderOpen,
  Home,
  KeyCommand,
  Office,
  Plus,
  Pulse,
  Shield,
  Time,
} from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { goOffline, openEvidence, switchTo } from '#renderer/state/connection-actions.ts';
import { openQuery, openScreen } from '#renderer/state/navigation.ts';
import { openConnectionForm, showKeys } from '#renderer/state/overlays.ts';
import { setPreferences } from '#renderer/state/preferences.ts';
import { activateTab } from '#renderer/state/tabs.ts';
import { DomainIcon } from '#renderer/ui/domain-icon.tsx';
import { GlyphCloudOff } from '#renderer/ui/glyphs.tsx';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { Connection, ConnectionState } from '#shared/bridge/operations.ts';
import type { Tab } from '#shared/bridge/workspace.ts';
import type { Query } from '#shared/model/entities.ts';
import { foldText } from '#shared/query/text.ts';

export interface PaletteItem {
  id: string;
  group: 'Email' | 'Actions' | 'Go to' | 'Search';
  icon: JSX.Element;
  text: string;
  detail?: string;
  /** After the text: a verdict chip. */
  extra?: ReactNode;
  keys?: string;
  /** Words that find it beside its text. */
  also?: string;
  run: () => void;
}

const screens: readonly PaletteItem[] = [
  { id: 'home', group: 'Go to', icon: <Home size={14} />, text: 'Home', run: () => openScreen('home') },
  {
    id: 'queries',
    group: 'Go to',
    icon: <Application size={14} />,
    text: 'Queries',
    also: 'library templates reports',
    run: () => openScreen('queries'),
  },
  {
    id: 'stack',
    group: 'Go to',
    icon: <Shield size={14} />,
    text: 'Security stack',
    also: 'app store tools apps licence',
    run: () => openScreen('stack'),
  },
  {
    id: 'activity',
    group: 'Go to',
    icon: <Pulse size={14} />,
    text: 'Activity',
    also: 'jobs exports',
    run: () => openScreen('activity'),
  },
  {
    id: 'settings',
    group: 'Go to',
    icon: <Cog size={14} />,
    text: 'Settings',
    also: 'connections cache clock appearance',
    run: () => openScreen('settings'),
  },
];

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
      text: 'New query',
      keys: 'Alt N',
      run: () => openQuery(),
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
      id: 'keys',
      group: 'Actions',
      icon: <KeyCommand size={14} />,
      text: 'Keyboard shortcuts',
      keys: '?',
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
  return [
    ...tabs
      .filter(({ route }) => route.screen === 'query' || route.screen === 'email')
      .map(
        (tab): PaletteItem => ({
          id: `tab-${tab.id}`,
          group: 'Go to',
          icon: tab.route.screen === 'email' ? <Envelope size={14} /> : <Application size={14} />,
          text: tab.title,
          detail: 'open tab',
          run: () => activateTab(tab.id),
        }),
      ),
    ...screens,
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
