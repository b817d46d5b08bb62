import { Contrast, Flash, Office, Pulse, Time } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { type Command, drawn, type Icon } from '#renderer/commands/command.tsx';
import { cap, capOf } from '#renderer/commands/keys.ts';
import { iconOf, screenIcon } from '#renderer/commands/screen-icons.ts';
import { offlineCommand, sourceCommands, splitNow, WINDOW } from '#renderer/commands/window-commands.ts';
import { switchTo } from '#renderer/state/connection-actions.ts';
import { GUIDE_PAGES, openGuide } from '#renderer/state/guide.ts';
import { commandsNow } from '#renderer/state/hotkeys.ts';
import { openQuery, openScreen } from '#renderer/state/navigation.ts';
import { showDiagnostics } from '#renderer/state/overlays.ts';
import { setPreferences } from '#renderer/state/preferences.ts';
import { activateTab, SCREEN_TITLES } from '#renderer/state/tabs.ts';
import { DomainIcon } from '#renderer/ui/domain-icon.tsx';
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

/** One item a line: an icon of Blueprint or an element, its text, and what else it has. */
export const itemOf = (
  group: PaletteItem['group'],
  id: string,
  icon: Icon,
  text: string,
  run: () => void,
  more: Pick<PaletteItem, 'detail' | 'count' | 'keys' | 'also'> = {},
): PaletteItem => ({
  id,
  group,
  icon: drawn(icon),
  text,
  run,
  ...more,
});

const screens: readonly PaletteItem[] = (
  [
    ['home', 'start overview dashboard detections figures'],
    ['queries', 'library templates reports saved searches hunts schedules'],
    ['stack', 'app store catalogue policies tools apps scanners engines licence products'],
    ['exceptions', 'allow list block list allowlist blocklist whitelist blacklist rules senders'],
    ['rules', 'detections yara mql sublime indicators iocs lists custom findings false positives'],
    [
      'login-map',
      'heat map heatmap active users sign-ins signins logins logons locations countries travel world geography',
    ],
    ['activity', 'jobs exports journal audit log history actions changes verify'],
    ['kept', 'pinned kept available cached profiles emails bodies search'],
    [
      'settings',
      'preferences options connections tenants cache clock appearance theme secrets passphrase feature flags about version',
    ],
  ] as const
).map(([screen, also]) =>
  itemOf('Go to', screen, screenIcon(screen), SCREEN_TITLES[screen], () => openScreen(screen), { also }),
);
const guide: readonly PaletteItem[] = GUIDE_PAGES.map(({ id, label, also }) =>
  itemOf('Go to', `guide-${id}`, screenIcon('guide'), guidePage(label), () => openGuide(id), {
    also: `help manual documentation ${also}`,
    ...(id === 'start' ? { keys: cap(WINDOW.guide) } : {}),
  }),
);
const ONCE: ReadonlySet<string> = new Set([...screens.map(({ id }) => id), 'guide']);

/** Actions that the current screen offers for its selection. */
export const commandItems = (): PaletteItem[] =>
  commandsNow().map(({ text, chord, run }) =>
    itemOf('Actions', `command-${text}`, Flash, text, run, { keys: capOf(chord) }),
  );

/** `also` is what else it is found by. */
const actionOf = (id: string, command: Command, also = ''): PaletteItem => {
  const { text, label = text, icon = Flash, keys, run } = command;
  return itemOf('Actions', id, icon, label, () => void run(), { also, ...(keys && { keys: cap({ keys }) }) });
};

export function actionItems(bridge: Bridge, state: ConnectionState): PaletteItem[] {
  const offline = state.phase === 'offline-user' || state.phase === 'offline-auto';
  const action = itemOf.bind(null, 'Actions');
  const theme = (value: 'dark' | 'light' | 'system', text: string): PaletteItem =>
    action(`theme-${value}`, Contrast, text, () => setPreferences({ theme: value }), {
      also: 'theme appearance colour',
    });
  const clock = (value: 'utc' | 'local', text: string): PaletteItem =>
    action(`clock-${value}`, Time, text, () => setPreferences({ clock: value }), { also: 'clock zone time' });
  const { folder, tenant } = sourceCommands(bridge);
  return [
    actionOf('new-query', WINDOW.newQuery),
    actionOf('split', splitNow(), 'split view side by side compare pane'),
    ...(state.connectionId === null ? [] : [actionOf('offline', offlineCommand(offline))]),
    actionOf('evidence', folder, 'evidence eml mbox'),
    actionOf('tenant', tenant, 'connection'),
    theme('dark', 'Use dark theme'),
    theme('light', 'Use light theme'),
    theme('system', 'Use system theme'),
    clock('utc', 'Show times in UTC'),
    clock('local', 'Show times in local time'),
    action('diagnostics', Pulse, 'Save diagnostics…', () => showDiagnostics(true), {
      also: 'support bug report log crash troubleshoot',
    }),
    actionOf('keys', WINDOW.shortcuts),
  ];
}

interface Places {
  tabs: readonly Tab[];
  queries: readonly Query[];
  connections: readonly Connection[];
  activeConnection: string | null;
}

export function placeItems({ tabs, queries, connections, activeConnection }: Places): PaletteItem[] {
  const goTo = itemOf.bind(null, 'Go to');
  const isEvidence = connections.find(({ id }) => id === activeConnection)?.kind === 'evidence';
  return [
    ...tabs
      // Singleton screens are found by their own items.
      .filter(({ route }) => !ONCE.has(route.screen))
      .map(({ id, route, title }) =>
        goTo(`tab-${id}`, iconOf(route), title, () => activateTab(id), {
          detail: 'open tab',
        }),
      ),
    // A folder of mail has no allow and block lists.
    ...screens.filter(({ id }) => id !== (isEvidence ? 'exceptions' : 'rules')),
    ...guide,
    ...queries.map((query) =>
      goTo(
        `query-${query.id}`,
        <DomainIcon domain={query.domain} />,
        query.name,
        () => void openQuery(query),
        {
          detail: query.subType || 'query',
          also: query.description ?? '',
        },
      ),
    ),
    ...connections
      .filter(({ id }) => id !== activeConnection)
      .map(({ id, name, kind }) =>
        goTo(`connection-${id}`, Office, name, () => switchTo(id), { detail: `${kind} connection` }),
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
