/** Labels of the security stack. */
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
