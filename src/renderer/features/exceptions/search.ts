/** The search parameters of the exceptions list. Pure. */
import type { BodyOf } from '#shared/api/catalogue.ts';
import { SEARCH_MOST } from '#shared/bridge/operations.ts';
import { listOf } from '#shared/exceptions/rule.ts';
import { EXCEPTION_SEARCH_PAGE, EXCEPTION_WINDOW_MONTHS } from '#shared/model/constants.ts';
import { refang } from '#shared/model/defang.ts';
import type { Exception } from '#shared/model/entities.ts';
import { trimPasted } from '#shared/model/pasted.ts';
import { canonicalTool } from '#shared/model/white-label.ts';
import { foldText } from '#shared/query/text.ts';
import { monthsBefore } from '#shared/query/values.ts';

const DAY_MS = 86_400_000;

export type Window = '7d' | '30d' | '6M' | '1y' | 'all';

export interface Search {
  /** The service's name of a tool, or null for every tool. */
  tool: string | null;
  /** allow, block, or the id of a type, or null for all. */
  type: string | null;
  text: string;
  window: Window;
}

export const DEFAULT_SEARCH: Search = { tool: null, type: null, text: '', window: '6M' };

export const WINDOWS: readonly { value: Window; label: string }[] = [
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '6M', label: 'Last 6 months' },
  { value: '1y', label: 'Last 12 months' },
  { value: 'all', label: 'Any time' },
];

/** Start of the time window: the beginning of a day, so that a search has the same cache key all day. */
export function windowStart(window: Window, now: number): number {
  if (window === 'all') return 0;
  const today = new Date(now).setUTCHours(0, 0, 0, 0);
  if (window === '6M' || window === '1y')
    return monthsBefore(today, window === '6M' ? EXCEPTION_WINDOW_MONTHS : 12);
  return today - (window === '7d' ? 7 : 30) * DAY_MS;
}

/** The body of exception_search2 for one page, from 0. The default window is the service's own. */
export function searchBody(
  { tool, type, text, window }: Search,
  page: number,
  now: number,
): BodyOf<'exceptions.search2'> {
  // Values are shared defanged, so the search must find the stored form: an existing rule must not be reported as missing.
  const search = refang(trimPasted(text)).slice(0, SEARCH_MOST);
  return {
    ...(tool === null ? {} : { sec_type: tool }),
    ...(type === null ? {} : { type }),
    ...(search === '' ? {} : { search }),
    ...(window === '6M' ? {} : { from: new Date(windowStart(window, now)).toISOString() }),
    page,
    size: EXCEPTION_SEARCH_PAGE,
  };
}

const has = ({ string, comment, payload }: Exception, term: string): boolean =>
  foldText(JSON.stringify([string, comment, payload])).includes(foldText(JSON.stringify(term).slice(1, -1)));

/** Parts of a search that the service ignored, in words: the response has entries that do not match them. */
export function unheeded(
  { tool, type, text }: Search,
  entries: readonly Exception[],
  product: string,
): string[] {
  const terms = refang(text.trim())
    .split(/\s+/)
    .filter((term) => term !== '');
  const toolOf = ({ sec_type }: Exception) => sec_type ?? tool ?? '';
  const isOther = (entry: Exception): boolean => {
    if (type !== 'allow' && type !== 'block') return false;
    const list = listOf(canonicalTool(toolOf(entry), product), entry);
    return list !== null && list !== type;
  };
  const parts = [
    [entries.some((entry) => !terms.every((term) => has(entry, term))), 'the text'],
    [entries.some(isOther), 'the list'],
    [tool !== null && entries.some((entry) => toolOf(entry) !== tool), 'the tool'],
  ] as const;
  return parts.flatMap(([isIgnored, part]) => (isIgnored ? [part] : []));
}

/** Whether entries are listed under a tool that they do not name. */
export const isToolUnsaid = ({ tool }: Search, entries: readonly Exception[]): boolean =>
  tool !== null && entries.some(({ sec_type }) => sec_type == null);

export const isNarrowed = (search: Search): boolean =>
  search.text.trim() !== '' || search.type !== null || search.tool !== null;
