/** The dropdown of the map and the reads behind each of its choices (product.md, section 1). */
import type { ReadRequest } from '#renderer/bridge/use-read.ts';
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import { HEAT_MAP_PAGE_MAX, HEAT_MAP_USERS_MOST } from '#shared/model/constants.ts';
import { refang } from '#shared/model/defang.ts';
import { trimPasted } from '#shared/model/pasted.ts';

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
  /** Null if the outcome is unknown. */
  failed: boolean | null;
}

export const sameLayer = (a: Layer, b: Layer): boolean => a.module === b.module && a.failed === b.failed;

export const outcomeWord = (failed: boolean | null): 'failed' | 'successful' | 'unknown' =>
  failed === null ? 'unknown' : failed ? 'failed' : 'successful';

/** `withUnknown` is modules that have logins with an unknown outcome. */
export function layersOf(choice: Choice, apps: readonly Saas[], withUnknown: ReadonlySet<string>): Layer[] {
  const not = (module: string): Layer[] => (withUnknown.has(module) ? [{ module, failed: null }] : []);
  if (typeof choice === 'object')
    return [...[false, true].map((failed) => ({ module: choice.module, failed })), ...not(choice.module)];
  return choice === 'unknown'
    ? apps.flatMap(({ module }) => not(module))
    : apps.map(({ module }) => ({ module, failed: choice === 'failed' }));
}

/** A page of a layer, by its number or by the key that the page before it gave; `0` is the first. */
export type PageOf = number | string;

/** `user` is null for everybody's logins. */
export const requestOf = (
  { module, failed }: Layer,
  page: PageOf,
  user: string | null = null,
): ReadRequest<'logins.heat-map'> => ({
  query: {
    module,
    fail: failed ?? 'unknown',
    ...(typeof page === 'string' ? { after: page } : page > 0 ? { page } : {}),
    ...(user === null ? {} : { user }),
  },
});

const isAskable = (text: string) => /^[\x20-\x7e]{1,1000}$/.test(text);

/**
 * The users whose logins are enough for a filter, or null if everybody's are needed. A name with letters beyond ASCII
 * needs all logins too, as the service only ignores the case of ASCII letters.
 */
export function usersAlone(users: readonly string[] | undefined): readonly string[] | null {
  const names = [...new Set(users?.map((user) => user.trim().toLowerCase()))].sort();
  return names.length > 0 && names.length <= HEAT_MAP_USERS_MOST && names.every(isAskable) ? names : null;
}

/** Values of one part that the service compares. */
const VALUES_MOST = 100;

/** What is known of a login besides its user, by which the service can name the users concerned. */
export type MatchAsk = Omit<NonNullable<ReadRequest<'logins.users'>['body']>, 'module' | 'fail'>;

/**
 * The parts of a filter by which the service can name the users concerned, or null if there are none, or users are
 * named already. Never a time range: rarity counts all logins of a user, and the timeline shows those beside the
 * range.
 */
export function matchAskOf({ users, ips, countries, text }: LoginFilter): MatchAsk | null {
  const words = refang(trimPasted(text ?? ''));
  const lists = [ips ?? [], countries ?? []];
  if (users?.length || lists.some((list) => list.length > VALUES_MOST || !list.every(isAskable))) return null;
  if (words !== '' && !isAskable(words)) return null;
  const ask = {
    ...(ips?.length ? { ips: [...ips] } : {}),
    ...(countries?.length ? { countries: [...countries] } : {}),
    ...(words === '' ? {} : { text: words }),
  };
  return Object.keys(ask).length === 0 ? null : ask;
}

/** The users of all layers together whose logins are enough, or null if everybody's are needed. */
export function usersOf(answers: readonly (readonly string[] | null)[]): readonly string[] | null {
  const all = answers.flatMap((users) => users ?? []);
  if (answers.includes(null) || all.some((user) => user !== user.trim())) return null;
  return all.length === 0 ? [] : usersAlone(all);
}

/** The choice in force: 'unknown' falls back when no app has unknown outcomes any more. */
export const choiceAmong = (choice: Choice, withUnknown: ReadonlySet<string>): Choice =>
  choice === 'unknown' && withUnknown.size === 0 ? 'successful' : choice;

/** A million rows of one layer. */
const PAGES_MOST = 200;

/** Number of pages according to the first answer; 1 if the service does not report a total. */
export const pagesOf = (total: number | null | undefined): number =>
  Math.min(PAGES_MOST, Math.max(1, Math.ceil((total ?? 0) / HEAT_MAP_PAGE_MAX)));

interface NextOf {
  next?: string | null | undefined;
}
interface FirstAnswer extends NextOf {
  total_rows?: number | null | undefined;
}

/**
 * The further pages of a layer that are known so far. If a page names the key of the next one, that page is known once
 * its answer has arrived, so that rows added meanwhile cause neither duplicates nor gaps. Otherwise pages are numbered.
 */
export function furtherPages(
  first: FirstAnswer | undefined,
  answerAt: (page: string) => NextOf | undefined,
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

export interface FurtherPage {
  page: PageOf;
  /** Null for everybody's logins. */
  user: string | null;
}

export interface Plan {
  /** The pages to show after the first one. */
  shown: FurtherPage[];
  /** The pages to request: those shown, and those that are not on this machine while offline. */
  requested: FurtherPage[];
  /** The users whose logins alone are loaded, or null for everybody's. */
  users: readonly string[] | null;
  /** A page that was read names a further one, which is not read: there are too many, or it was read before. */
  isOpen: boolean;
  /** The first page's count is not the layer's total; the end was found by requesting further pages. */
  isUncounted?: boolean;
  /** A request for a possible further page is pending. */
  isAsking?: boolean;
}

/** What is known of a page; `missing` if it is not on this machine while offline. */
export type PageState = (NextOf & { missing?: false }) | { missing: true; next?: undefined } | undefined;

/** Result of requesting a page by number: new rows, no new rows, no response yet, or a failure. */
export type Numbered = 'more' | 'none' | 'waiting' | 'failed';

/**
 * The pages after a first one that looks complete, because some services count only the rows of a page, or none. Each
 * page is requested once the previous one had new rows.
 */
function numberedPlan(numberedAt: (page: number) => Numbered): Plan {
  const shown: FurtherPage[] = [];
  for (let page = 1; page < PAGES_MOST; page++) {
    const number = numberedAt(page);
    const key = { page, user: null };
    if (number !== 'more')
      return {
        shown,
        requested: [...shown, key],
        users: null,
        isOpen: number === 'failed',
        isUncounted: shown.length > 0,
        isAsking: number === 'waiting',
      };
    shown.push(key);
  }
  return { shown, requested: shown, users: null, isOpen: true, isUncounted: true };
}

/**
 * What to load of a layer after its first page. `users` are those whose logins are enough, or `asking` while they are
 * looked up. Only a service that names the next page can filter by user; without that, or once all rows are loaded,
 * everybody's pages are used. `numberedAt` checks whether the first page is everything, or null if its count is
 * trusted. Offline, everybody's pages replace those of a user that were never requested.
 */
export function planOf(
  first: FirstAnswer | undefined,
  users: readonly string[] | 'asking' | null,
  stateAt: (page: string, user: string | null) => PageState,
  numberedAt: ((page: number) => Numbered) | null = null,
): Plan {
  if (
    numberedAt !== null &&
    first !== undefined &&
    first.next === undefined &&
    pagesOf(first.total_rows) === 1
  )
    return numberedPlan(numberedAt);
  const pagesOfUser = (user: string | null): FurtherPage[] =>
    furtherPages(first, (page) => stateAt(page, user)).map((page) => ({ page, user }));
  const isOpen = (pages: readonly FurtherPage[]): boolean => {
    const last = pages.at(-1);
    return typeof last?.page === 'string' && typeof stateAt(last.page, last.user)?.next === 'string';
  };
  const all = pagesOfUser(null);
  const everybody = { shown: all, requested: all, users: null, isOpen: isOpen(all) };
  const last = all.at(-1)?.page;
  if (users === null || typeof last !== 'string' || stateAt(last, null)?.next === null) return everybody;
  if (users === 'asking') return { shown: [], requested: [], users: null, isOpen: false };
  const each = users.map(pagesOfUser);
  const theirs = each.flat();
  const isMissing = theirs.some(
    ({ page, user }) => typeof page === 'string' && stateAt(page, user)?.missing === true,
  );
  return isMissing
    ? { ...everybody, requested: [...theirs, ...all] }
    : { shown: theirs, requested: theirs, users, isOpen: each.some(isOpen) };
}

export const sameChoice = (a: Choice, b: Choice): boolean =>
  typeof a === 'object' && typeof b === 'object' ? a.module === b.module : a === b;
