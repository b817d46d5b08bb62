/** Labels of the security stack. */

import type { Read } from '#renderer/bridge/use-read.ts';
import { EVERYWHERE, hint, STACK } from '#renderer/commands/keys.ts';
import type { FacetName } from './catalogue.ts';
import type { StatisticsWindow } from './use-catalogue.ts';

export const FACET_LABELS: Readonly<Record<FacetName, string>> = {
  state: 'State',
  licence: 'Licence',
  category: 'Category',
  family: 'Family',
};

export const WINDOW_OPTIONS: { value: StatisticsWindow; label: string }[] = [
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];

export const FIGURES = [
  { id: 'scanned', label: 'Scanned', tone: 'neutral' },
  { id: 'found', label: 'Found', tone: 'found' },
  { id: 'suspicious', label: 'Suspicious', tone: 'suspicious' },
  { id: 'spam', label: 'Spam', tone: 'spam' },
] as const;

/** Why an app or tool has no counts. */
export const noCounts = ({ data, loading }: Pick<Read<'apps.statistics'>, 'data' | 'loading'>): string =>
  data !== undefined
    ? 'No data: the service has no counts for it.'
    : loading
      ? 'Loading counts'
      : 'Counts unknown: they could not be loaded.';

export const HINTS = [
  hint('move', STACK.next, STACK.previous),
  { keys: 'Alt ↑ ↓', text: 'reorder' },
  hint('search', EVERYWHERE.search),
];
