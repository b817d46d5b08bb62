/** The dropdown of the map and the reads behind each of its choices (product.md, section 1). */
import type { ReadRequest } from '#renderer/bridge/use-read.ts';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';

/** All successful and all failed: every SaaS once. Not said: every SaaS that has such. One SaaS: all its outcomes. */
export type Choice = 'successful' | 'failed' | 'unknown' | { module: string };

export interface Saas {
  module: string;
  label: string;
}

export interface Layer {
  module: string;
  /** null: the outcome is not said. */
  failed: boolean | null;
}

export const sameLayer = (a: Layer, b: Layer): boolean => a.module === b.module && a.failed === b.failed;

export const outcomeWord = (failed: boolean | null): 'failed' | 'successful' | 'unknown' =>
  failed === null ? 'unknown' : failed ? 'failed' : 'successful';

/** `withUnknown`: modules that have logins whose outcome is not said. */
export function layersOf(choice: Choice, apps: readonly Saas[], withUnknown: ReadonlySet<string>): Layer[] {
  const not = (module: string): Layer[] => (withUnknown.has(module) ? [{ module, failed: null }] : []);
  if (typeof choice === 'object')
    return [...[false, true].map((failed) => ({ module: choice.module, failed })), ...not(choice.module)];
  return choice === 'unknown'
    ? apps.flatMap(({ module }) => not(module))
    : apps.map(({ module }) => ({ module, failed: choice === 'failed' }));
}

export const requestOf = ({ module, failed }: Layer, page: number): ReadRequest<'logins.heat-map'> => ({
  query: { module, fail: failed ?? 'unknown', ...(page > 0 ? { page } : {}) },
});

/** The choice in force: 'unknown' falls back when no app has unknown outcomes any more. */
export const choiceAmong = (choice: Choice, withUnknown: ReadonlySet<string>): Choice =>
  choice === 'unknown' && withUnknown.size === 0 ? 'successful' : choice;

/** 200 000 rows of one layer: what the map is measured with. */
const PAGES_MOST = 40;

/** Pages that a layer has by its first answer; 1 where the service does not tell. */
export const pagesOf = (total: number | null | undefined): number =>
  Math.min(PAGES_MOST, Math.max(1, Math.ceil((total ?? 0) / HEAT_MAP_PAGE_MAX)));

export const sameChoice = (a: Choice, b: Choice): boolean =>
  typeof a === 'object' && typeof b === 'object' ? a.module === b.module : a === b;
