/** What a tab can show: the screen's module by its route, its icon, and its place in the rail. */
import {
  Application,
  Cog,
  Document,
  Envelope,
  Filter,
  Globe,
  Home,
  Pulse,
  SearchText,
  Shield,
} from '@blueprintjs/icons';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Route } from '#shared/bridge/workspace.ts';
import type { ScreenProps } from '../state/tab-context.ts';

export type ScreenName = Route['screen'];
type Icon = ComponentType<{ size?: number }>;

export const SCREEN_ICONS: Readonly<Record<ScreenName, Icon>> = {
  home: Home,
  queries: Application,
  query: SearchText,
  email: Envelope,
  file: Document,
  stack: Shield,
  exceptions: Filter,
  'login-map': Globe,
  activity: Pulse,
  settings: Cog,
};

type Screen = ComponentType<ScreenProps>;
type Modules = Record<string, () => Promise<{ default: Screen }>>;

/** One module per screen, by a name that the tool chain can see; a screen of a later version is simply absent. */
const modules = import.meta.glob('../features/*/*-screen.tsx') as Modules;
const FILES: Readonly<Partial<Record<ScreenName, string>>> = {
  home: 'home/home-screen',
  queries: 'queries/library-screen',
  query: 'queries/query-screen',
  email: 'email/email-screen',
  file: 'file/file-screen',
  stack: 'stack/stack-screen',
  exceptions: 'exceptions/exceptions-screen',
  'login-map': 'login-map/login-map-screen',
  activity: 'activity/activity-screen',
  settings: 'settings/settings-screen',
};

/** Screens of this version; a route without one says so in its tab. */
export const SCREENS: Readonly<Partial<Record<ScreenName, LazyExoticComponent<Screen>>>> = Object.fromEntries(
  Object.entries(FILES).flatMap(([screen, file]) => {
    const load = modules[`../features/${file}.tsx`];
    return load ? [[screen, lazy(load)]] : [];
  }),
);
