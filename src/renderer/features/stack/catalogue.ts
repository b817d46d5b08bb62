/** The catalogue of apps and security tools: its two orders, its filters and their counts. Pure. */

import type { FacetValue } from '#renderer/ui/facet-group.tsx';
import {
  APP_STATE_LABELS,
  compareApps,
  compareStates,
  LICENCE_LABELS,
  parseAppState,
  parseLicence,
} from '#shared/model/app-order.ts';
import type { App } from '#shared/model/entities.ts';
import { familyLabel } from '#shared/model/labels.ts';
import { appLabel, type Branding, canonicalTool } from '#shared/model/white-label.ts';
import { foldText } from '#shared/query/text.ts';

/** The app store lists everything; the security stack lists tools, and the analyst may put them in another order. */
export type OrderName = 'store' | 'stack';

export const FACETS = ['state', 'licence', 'category', 'family'] as const;
export type FacetName = (typeof FACETS)[number];
export interface CatalogueFilter extends Readonly<Record<FacetName, readonly string[]>> {
  text: string;
}
export const NO_FILTER: CatalogueFilter = { text: '', state: [], licence: [], category: [], family: [] };

export interface Item {
  app: App;
  /** White-labelled. */
  label: string;
  /** The specification's id of a tool; an app's name. */
  id: string;
  words: Readonly<Record<FacetName, { value: string; label: string }>>;
}

const NONE = { value: '', label: 'Not recorded' };
const asSent = (word: string | null | undefined) => (word ? { value: word, label: word } : NONE);

export function itemOf(app: App, branding: Branding): Item {
  const state = parseAppState(app.state);
  const licence = parseLicence(app.license_info);
  return {
    app,
    id: app.is_saas ? app.name : canonicalTool(app.name, branding.product),
    label: appLabel(app, branding),
    words: {
      state: state ? { value: state, label: APP_STATE_LABELS[state] } : asSent(app.state),
      licence: licence ? { value: licence, label: LICENCE_LABELS[licence] } : asSent(app.license_info),
      category: asSent(app.category),
      family: !app.is_saas
        ? { value: '-', label: 'Security tools' }
        : app.family
          ? { value: app.family, label: familyLabel(app.family) }
          : NONE,
    },
  };
}

const positionOf = (app: App, order: OrderName) =>
  (order === 'store' ? app.app_store_order : app.security_stack_order) ?? Number.MAX_SAFE_INTEGER;

/**
 * State first, then licence (specification section 4), then the service's position. In the security stack a
 * personal order takes precedence; tools it lacks follow in the service's order.
 */
export function inOrder(items: readonly Item[], order: OrderName, personal: readonly string[]): Item[] {
  const ranks = new Map(order === 'stack' ? personal.map((name, index) => [name, index]) : []);
  const ownPosition = ({ app }: Item) => ranks.get(app.name) ?? ranks.size;
  return items
    .filter(({ app }) => order === 'store' || !app.is_saas)
    .sort(
      (a, b) =>
        ownPosition(a) - ownPosition(b) ||
        compareStates(a.app, b.app) ||
        positionOf(a.app, order) - positionOf(b.app, order) ||
        compareApps(a.app, b.app),
    );
}

/** The names with one moved before another, or to the end for null. */
export function moved(names: readonly string[], name: string, before: string | null): string[] {
  const others = names.filter((other) => other !== name);
  const position = before === null ? -1 : others.indexOf(before);
  return position < 0 ? [...others, name] : [...others.slice(0, position), name, ...others.slice(position)];
}

/** The names with one moved a step towards the start or the end. */
export function stepped(names: readonly string[], name: string, step: -1 | 1): string[] {
  const position = names.indexOf(name);
  const to = position + step;
  if (position < 0 || to < 0 || to >= names.length) return [...names];
  const others = names.filter((other) => other !== name);
  return [...others.slice(0, to), name, ...others.slice(to)];
}

function fits(item: Item, filter: CatalogueFilter, leaveOut: FacetName | null): boolean {
  const text = foldText(filter.text.trim());
  const { name, category, family } = item.app;
  const statedText = foldText([item.label, name, item.id, category, family].join('\n'));
  if (!statedText.includes(text)) return false;
  return FACETS.every(
    (facet) =>
      facet === leaveOut || filter[facet].length === 0 || filter[facet].includes(item.words[facet].value),
  );
}

export const shown = (items: readonly Item[], filter: CatalogueFilter): Item[] =>
  items.filter((item) => fits(item, filter, null));

/** Values of each facet with counts under the other parts of the filter, in the order they appear. */
export function facetsOf(items: readonly Item[], filter: CatalogueFilter): Record<FacetName, FacetValue[]> {
  const count = (facet: FacetName) => {
    const values = new Map<string, FacetValue>();
    for (const item of items) {
      const { value, label } = item.words[facet];
      const existingFacet = values.get(value) ?? { value, label, count: 0 };
      values.set(value, {
        ...existingFacet,
        count: existingFacet.count + (fits(item, filter, facet) ? 1 : 0),
      });
    }
    return [...values.values()];
  };
  return {
    state: count('state'),
    licence: count('licence'),
    category: count('category'),
    family: count('family'),
  };
}
