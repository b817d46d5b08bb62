/** What a tab can show: the screen's module by its route, its icon, and its place in the rail. */
import {
  Add,
  Application,
  Chat,
  Cog,
  Document,
  Envelope,
  Filter,
  Globe,
  Help,
  Home,
  People,
  Person,
  Pin,
  Pulse,
  SearchText,
  Shield,
} from '@blueprintjs/icons';
import { type ComponentType, startTransition, useEffect, useState } from 'react';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import type { Route } from '#shared/bridge/workspace.ts';

export type ScreenName = Route['screen'];
type Icon = ComponentType<{ size?: number }>;

export const SCREEN_ICONS: Readonly<Record<ScreenName, Icon>> = {
  home: Home,
  queries: Application,
  query: SearchText,
  email: Envelope,
  file: Document,
  person: Person,
  stack: Shield,
  exceptions: Filter,
  'login-map': Globe,
  activity: Pulse,
  settings: Cog,
  guide: Help,
  kept: Pin,
};

/** The tab's icon. A tab saved by a later version may show a screen that this version does not have. */
export function iconOf(route: Route): Icon {
  if (route.screen === 'email' && route.entityType === 'message') return Chat;
  if (route.screen === 'person' && route.entityType === 'group') return People;
  return SCREEN_ICONS[route.screen] ?? Add;
}

type Screen = ComponentType<ScreenProps>;
type Modules = Record<string, () => Promise<{ default: Screen }>>;

/** One module per screen, found by a glob that the bundler can resolve; a screen of a later version is simply absent. */
const modules = import.meta.glob('../features/*/*-screen.tsx') as Modules;
const FILES: Readonly<Partial<Record<ScreenName, string>>> = {
  home: 'home/home-screen',
  queries: 'queries/library-screen',
  query: 'queries/query-screen',
  email: 'email/email-screen',
  file: 'file/file-screen',
  person: 'people/person-screen',
  stack: 'stack/stack-screen',
  exceptions: 'exceptions/exceptions-screen',
  'login-map': 'login-map/login-map-screen',
  activity: 'activity/activity-screen',
  settings: 'settings/settings-screen',
  guide: 'guide/guide-screen',
  kept: 'kept/kept-screen',
};

/** Loaded modules by screen. */
const loaded = new Map<ScreenName, Screen>();

/**
 * The component of a screen: null while its module loads, undefined where this version has none. Throws what the
 * loading failed with, for the boundary above; remounting retries.
 *
 * Not `lazy`: React delays suspended content by 300 ms, which would delay the first opening of every screen.
 */
export function useScreen(name: ScreenName): Screen | null | undefined {
  const load = modules[`../features/${FILES[name]}.tsx`];
  const screen = loaded.get(name) ?? null;
  const [failure, setFailure] = useState<{ reason: unknown } | null>(null);
  const [, drawAgain] = useState(0);
  useEffect(() => {
    if (screen !== null || !load) return undefined;
    let left = false;
    // Runs after the click has been painted, and as a transition, so that typing has priority.
    const soon = setTimeout(() =>
      load().then(
        (module) => {
          loaded.set(name, module.default);
          if (!left) startTransition(() => drawAgain((times) => times + 1));
        },
        (reason: unknown) => {
          if (!left) setFailure({ reason });
        },
      ),
    );
    return () => {
      left = true;
      clearTimeout(soon);
    };
  }, [name, load, screen]);
  if (!load) return undefined;
  if (failure !== null) throw failure.reason;
  return screen;
}
