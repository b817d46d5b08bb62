/** The dropdown of the map and the reads behind each of its choices (product.md, section 1). */
import type { ReadRequest } from '#renderer/bridge/use-read.ts';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';

/**
 * All successful and all failed: every SaaS once. Unknown: every SaaS that has such logins. One SaaS: all its
 * outcomes.
 */
export type Choice = 'successful' | 'failed' | 'unknown' | { module: string };

export interface Saas {
  module: string;
  label: string;
}

export interface Layer {
  module: string;
  /** null: the outcome is unknown. */
  failed: boolean | null;
}

export const sameLayer = (a: Layer, b: Layer): boolean => a.module === b.module && a.failed === b.failed;

export const outcomeWord = (failed: boolean | null): 'failed' | 'successful' | 'unknown' =>
  failed === null ? 'unknown' : failed ? 'failed' : 'successful';

/** `withUnknown`: modules that have logins with an unknown outcome. */
export function layersOf(choice: Choice, apps: readonly Saas[], withUnknown: ReadonlySet<string>): Layer[] {
  const not = (module: string): Layer[] => (withUnknown.has(module) ? [{ module, failed: null }] : []);
  if (typeof choice === 'object')
    return [...[false, true].map((failed) => ({ module: choice.module, failed })), ...not(choice.module)];
  return choice === 'unknown'
    ? apps.flatMap(({ module }) => not(module))
    : apps.map(({ module }) => ({ module, failed: choice === 'failed' }));
}

/** A page of a layer: by its number, or by the key that the page before it gave; `0`: the first. */
export type PageOf = number | string;

export const requestOf = ({ module, failed }: Layer, page: PageOf): ReadRequest<'logins.heat-map'> => ({
  query: {
    module,
    fail: failed ?? 'unknown',
    ...(typeof page === 'string' ? { after: page } : page > 0 ? { page } : {}),
  },
});

/** The choice in force: 'unknown' falls back when no app has unknown outcomes any more. */
export const choiceAmong = (choice: Choice, withUnknown: ReadonlySet<string>): Choice =>
  choice === 'unknown' && withUnknown.size === 0 ? 'successful' : choice;

/** A million rows of one layer. */
const PAGES_MOST = 200;

/** Number of pages according to the first answer; 1 if the service does not report a total. */
export const pagesOf = (total: number | null | undefined): number =>
  Math.min(PAGES_MOST, Math.max(1, Math.ceil((total ?? 0) / HEAT_MAP_PAGE_MAX)));

/**
 * The further pages of a layer that are known so far. If a page names the key of the next one, that page is known once
 * its answer has arrived, so that rows added meanwhile cause neither duplicates nor gaps. Otherwise pages are numbered.
 */
export function furtherPages(
  first: { total_rows?: number | null | undefined; next?: string | null | undefined } | undefined,
  answerAt: (page: string) => { next?: string | null | undefined } | undefined,
): PageOf[] {
  if (first?.next === undefined)
    return Array.from({ length: pagesOf(first?.total_rows) - 1 }, (_, page) => page + 1);
  const pages: string[] = [];
  for (
    let next: string | null | undefined = first.next;
    next != null && pages.length < PAGES_MOST - 1;
    next = answerAt(next)?.next
  ) {
    // Guards against a service that repeats page keys.
    if (pages.includes(next)) break;
    pages.push(next);
  }
  return pages;
}

export const sameChoice = (a: Choice, b: Choice): boolean =>
  typeof a === 'object' && typeof b === 'object' ? a.module === b.module : a === b;
