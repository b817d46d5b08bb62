/**
 * Reads a list that a service returns in numbered pages. Nothing is assumed of the size of its pages, as a service may
 * return fewer rows than asked for, and its counts are checked against what arrived.
 */

interface Page<T> {
  rows: readonly T[];
  total_rows?: number | null | undefined;
}

export interface NumberedList<T> {
  /** Each entry once. */
  rows: T[];
  /** The service's count; null: it gives none. */
  total: number | null;
  /** Every entry is here. */
  isWhole: boolean;
}

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

export async function readNumberedPages<T>(options: Options<T>): Promise<NumberedList<T>> {
  for (let scan = 1; ; scan++) {
    // A page that was known beforehand may be why the pages do not fit together.
    const { hasChanged, ...list } = await scanOnce(scan === 1 ? options : { ...options, first: undefined });
    if (!hasChanged || scan === SCANS) return list;
  }
}

/** `hasChanged`: the count changed between two pages, so that entries may have moved from one page to another. */
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
    // Without an id, only an entry that is the same in every field is taken for a repeated one.
    for (const row of answer.rows) {
      const key = idOf(row) ?? JSON.stringify(row);
      if (!rows.has(key)) rows.set(key, row);
    }
    if (rows.size === total) return listed(true);
    // A page with nothing new: the list has ended, or the service ignores the number of the page.
    if (rows.size === before) return listed(answer.rows.length === 0 && rows.size >= (total ?? 0));
    if (rows.size >= most) return listed(false);
  }
}
