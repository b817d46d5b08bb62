/** The dropdown of the map and the reads behind each of its choices (product.md, section 1). */
import type { ReadRequest } from '#renderer/bridge/use-read.ts';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';

/** All successful and all failed: every SaaS once. One SaaS: both of its outcomes. */
export type Choice = 'successful' | 'failed' | { module: string };

export interface Saas {
  module: string;
  label: string;
}

export interface Layer {
  module: string;
  failed: boolean;
}

export const layersOf = (choice: Choice, apps: readonly Saas[]): Layer[] =>
  typeof choice === 'object'
    ? [false, true].map((failed) => ({ module: choice.module, failed }))
    : apps.map(({ module }) => ({ module, failed: choice === 'failed' }));

export const requestOf = ({ module, failed }: Layer, page: number): ReadRequest<'logins.heat-map'> => ({
  query: { module, fail: failed, ...(page > 0 ? { page } : {}) },
});

/** 200 000 rows of one layer: what the map is measured with. */
export const PAGES_MOST = 40;

/** Pages that a layer has by its first answer; 1 where the service does not tell. */
export const pagesOf = (total: number | null | undefined): number =>
  Math.min(PAGES_MOST, Math.max(1, Math.ceil((total ?? 0) / HEAT_MAP_PAGE_MAX)));

export const sameChoice = (a: Choice, b: Choice): boolean =>
  typeof a === 'object' && typeof b === 'object' ? a.module === b.module : a === b;
