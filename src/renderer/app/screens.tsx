/** What a tab can show: the screen's module by its route, its icon, and its place in the rail. */
import {
  Add,
  Application,
  Chat,
  Cog,
  Document,
  Envelope,
  Filter,
  Flag,
  Globe,
  Help,
  Home,
  Layers,
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

interface ScreenParts {
  icon: Icon;
  /** Its module, below `features`. */
  file: string;
}

const SCREENS: Readonly<Record<ScreenName, ScreenParts>> = {
  home: { icon: Home, file: 'home/home-screen' },
  queries: { icon: Application, file: 'queries/library-screen' },
  query: { icon: SearchText, file: 'queries/query-screen' },
  email: { icon: Envelope, file: 'email/email-screen' },
  file: { icon: Document, file: 'file/file-screen' },
  person: { icon: Person, file: 'people/person-screen' },
  campaign: { icon: Layers, file: 'campaign/campaign-screen' },
  stack: { icon: Shield, file: 'stack/stack-screen' },
  exceptions: { icon: Filter, file: 'exceptions/exceptions-screen' },
  'login-map': { icon: Globe, file: 'login-map/login-map-screen' },
  activity: { icon: Pulse, file: 'activity/activity-screen' },
  settings: { icon: Cog, file: 'settings/settings-screen' },
  guide: { icon: Help, file: 'guide/guide-screen' },
  kept: { icon: Pin, file: 'kept/kept-screen' },
  rules: { icon: Flag, file: 'rules/rules-screen' },
};
/** A tab saved by a later version may show a screen that this version does not have. */
const partsOf = (name: ScreenName): ScreenParts | undefined => SCREENS[name];

export const screenIcon = (name: ScreenName): Icon => partsOf(name)?.icon ?? Add;

export function iconOf(route: Route): Icon {
  if (route.screen === 'email' && route.entityType === 'message') return Chat;
  if (route.screen === 'person' && route.entityType === 'group') return People;
  return screenIcon(route.screen);
}

type Screen = ComponentType<ScreenProps>;
type Modules = Record<string, () => Promise<{ default: Screen }>>;

/** One module per screen, found by a glob that the bundler can resolve; a screen of a later version is simply absent. */
const modules = import.meta.glob('../features/*/*-screen.tsx') as Modules;

const loaded = new Map<ScreenName, Screen>();

/**
 * The component of a screen: null while its module loads, undefined where this version has none. Throws what the
 * loading failed with, for the boundary above; remounting retries.
 *
 * Not `lazy`: React delays suspended content by 300 ms, which would delay the first opening of every screen.
 */
export function useScreen(name: ScreenName): Screen | null | undefined {
  const load = modules[`../features/${partsOf(name)?.file}.tsx`];
  const screen = loaded.get(name) ?? null;
  const [failure, setFailure] = useState<{ reason: unknown } | null>(null);
  const [, drawAgain] = useState(0);
  useEffect(() => {
    if (screen !== null || !load) return undefined;
    let isUnmounted = false;
    // Runs after the click has been painted, and as a transition, so that typing has priority.
    const soon = setTimeout(() =>
      load().then(
        (module) => {
          loaded.set(name, module.default);
          if (!isUnmounted) startTransition(() => drawAgain((times) => times + 1));
        },
        (reason: unknown) => {
          if (!isUnmounted) setFailure({ reason });
        },
      ),
    );
    return () => {
      isUnmounted = true;
      clearTimeout(soon);
    };
  }, [name, load, screen]);
  if (!load) return undefined;
  if (failure !== null) throw failure.reason;
  return screen;
}
