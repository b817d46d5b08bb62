/**
 * Reads a list that a service returns in numbered pages. No page size is assumed, as a service may return fewer rows than
 * requested, and its counts are checked against the rows received.
 */

import { type ErrorCode, toBridgeError } from '#shared/bridge/errors.ts';

interface Page<T> {
  rows: readonly T[];
  total_rows?: number | null | undefined;
}

export interface NumberedList<T> {
  /** Each entry once. */
  rows: T[];
  /** The service's count, or null if it gives none. */
  total: number | null;
  /** The list is complete. */
  isWhole: boolean;
}

/** Errors with which a service may refuse a page after the last one. */
export const REFUSED: ReadonlySet<ErrorCode> = new Set(['bad-request', 'not-found']);

/** Errors that leave it open whether a page exists, such as a refusal of a page after the last one. */
export const TELLS_NOTHING: ReadonlySet<ErrorCode> = new Set([...REFUSED, 'offline', 'not-cached']);

/** Scans of a list that keeps changing while it is read. */
const SCANS = 3;

interface Options<T> {
  ask: (page: number) => Promise<Page<T>>;
  idOf: (row: T) => string | null | undefined;
  /** Entries after which reading stops. */
  most: number;
  /** The first page, if it is known. */
  first?: Page<T>;
}

/** Without an id, an entry counts as repeated only if all its fields are the same. */
const keyOf = <T>(row: T, idOf: Options<T>['idOf']): string => idOf(row) || JSON.stringify(row);

export async function readNumberedPages<T>(options: Options<T>): Promise<NumberedList<T>> {
  const first = options.first ?? (await options.ask(0));
  const isUncounted = await isCountOfPage(options, first);
  const counted = (page: Page<T>): Page<T> => (isUncounted ? { rows: page.rows } : page);
  const ask = async (page: number) => counted(await options.ask(page));
  for (let scan = 1; ; scan++) {
    // The given first page may be outdated, so that the pages do not fit together.
    const { hasChanged, ...list } = await scanOnce({
      ...options,
      ask,
      first: scan === 1 ? counted(first) : undefined,
    });
    if (!hasChanged || scan === SCANS) return list;
  }
}

/**
 * Whether the count of a first page only covers that page, as with some services. If the first page is as long as its
 * count, the next page is requested to find out.
 */
async function isCountOfPage<T>({ ask, idOf }: Options<T>, { rows, total_rows }: Page<T>): Promise<boolean> {
  if (rows.length === 0 || rows.length !== total_rows) return false;
  const next = await ask(1).catch((error: unknown) => {
    // A service may refuse a page after the last one. After any other failure it is unknown whether there is one.
    if (REFUSED.has(toBridgeError(error).code)) return null;
    throw error;
  });
  const keys = new Set(rows.map((row) => keyOf(row, idOf)));
  return next?.rows.some((row) => !keys.has(keyOf(row, idOf))) ?? false;
}

/**
 * `hasChanged` means that the count changed between two pages, so that entries may have moved from one page to
 * another.
 */
async function scanOnce<T>({
  ask,
  idOf,
  most,
  first,
}: Omit<Options<T>, 'first'> & { first?: Page<T> | undefined }): Promise<
  NumberedList<T> & { hasChanged: boolean }
> {
  const rows = new Map<string, T>();
  let total: number | null = null;
  let hasChanged = false;
  const listed = (isWhole: boolean) => ({
    rows: [...rows.values()],
    total,
    isWhole: isWhole && !hasChanged,
    hasChanged,
  });
  for (let page = 0; ; page++) {
    const answer = page === 0 && first ? first : await ask(page);
    const count = answer.total_rows ?? null;
    hasChanged ||= page > 0 && count !== null && total !== null && count !== total;
    total = count ?? total;
    const before = rows.size;
    for (const row of answer.rows) {
      const key = keyOf(row, idOf);
      if (!rows.has(key)) rows.set(key, row);
    }
    if (rows.size === total) return listed(true);
    // A page with no new entry: the list has ended, or the service ignores the page number.
    if (rows.size === before) return listed(answer.rows.length === 0 && rows.size >= (total ?? 0));
    if (rows.size >= most) return listed(false);
  }
}
