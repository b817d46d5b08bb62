/** The modules of the screens, below `features`. */
import { type ComponentType, startTransition, useEffect, useState } from 'react';
import type { ScreenName } from '#renderer/commands/screen-icons.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';

const FILES: Readonly<Record<ScreenName, string>> = {
  home: 'home/home-screen',
  queries: 'queries/library-screen',
  query: 'queries/query-screen',
  email: 'email/email-screen',
  file: 'file/file-screen',
  person: 'people/person-screen',
  campaign: 'campaign/campaign-screen',
  stack: 'stack/stack-screen',
  exceptions: 'exceptions/exceptions-screen',
  'login-map': 'login-map/login-map-screen',
  activity: 'activity/activity-screen',
  settings: 'settings/settings-screen',
  guide: 'guide/guide-screen',
  kept: 'kept/kept-screen',
  rules: 'rules/rules-screen',
};

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
  const load = modules[`../features/${FILES[name]}.tsx`];
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
