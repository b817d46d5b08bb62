/** The icon of each screen, in tabs, the rail and the palette. */
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
import type { ComponentType } from 'react';
import type { Route } from '#shared/bridge/workspace.ts';

export type ScreenName = Route['screen'];
type Icon = ComponentType<{ size?: number }>;

const ICONS: Readonly<Record<ScreenName, Icon>> = {
  home: Home,
  queries: Application,
  query: SearchText,
  email: Envelope,
  file: Document,
  person: Person,
  campaign: Layers,
  stack: Shield,
  exceptions: Filter,
  'login-map': Globe,
  activity: Pulse,
  settings: Cog,
  guide: Help,
  kept: Pin,
  rules: Flag,
};

/** A tab saved by a later version may show a screen that this version does not have. */
export const screenIcon = (name: ScreenName): Icon => (ICONS as Partial<typeof ICONS>)[name] ?? Add;

export function iconOf(route: Route): Icon {
  if (route.screen === 'email' && route.entityType === 'message') return Chat;
  if (route.screen === 'person' && route.entityType === 'group') return People;
  return screenIcon(route.screen);
}
