import { useCallback, useMemo, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { readOnce, useRead } from '#renderer/bridge/use-read.ts';
import { useListTotal } from '#renderer/entity/use-list-total.ts';
import type { PageOfRows } from '#renderer/ui/grid/data-grid.tsx';
import { useSettled } from '#renderer/ui/use-settled.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { EXCEPTION_SEARCH_PAGE } from '#shared/model/constants.ts';
import type { Exception } from '#shared/model/entities.ts';
import { type EntryRow, entryRow } from './entry.ts';
import { DEFAULT_SEARCH, isToolUnsaid, type Search, searchBody, unheeded } from './search.ts';

const TYPING_MS = 200;
const NO_ENTRIES: readonly Exception[] = [];

/** State of the list: search, first page with counts, and further pages as the grid requests them. */
export function useExceptions(connectionId: string | null, product: string) {
  const bridge = useBridge();
  const [search, setSearch] = useState<Search>(DEFAULT_SEARCH);
  const [blockError, setBlockError] = useState<BridgeError | null>(null);
  const text = useSettled(search.text, search.text === '' ? 0 : TYPING_MS);
  const query = useMemo(() => ({ ...search, text }), [search, text]);
  // All pages of a search use the same time window.
  const now = useMemo(() => (query ? Date.now() : 0), [query]);
  const first = useRead(
    'exceptions.search2',
    product === '' ? null : { params: { product }, body: searchBody(query, 0, now) },
  );
  const { total, pageLength } = useListTotal(
    'exceptions.search2',
    first.data,
    EXCEPTION_SEARCH_PAGE,
    useMemo(() => ({ params: { product }, body: searchBody(query, 1, now) }), [product, query, now]),
  );
  const isUncounted = first.data !== undefined && total === null;
  const isCounted = useRef(true);
  isCounted.current = !isUncounted;
  const getRows = useCallback(
    async (start: number, end: number): Promise<PageOfRows<EntryRow>> => {
      if (connectionId === null || product === '') return { rows: [], rowCount: 0 };
      const from = Math.floor(start / pageLength);
      const pages = Array.from({ length: Math.ceil(end / pageLength) - from }, (_, index) => from + index);
      const offset = from * pageLength;
      const answers = await Promise.all(
        pages.map((page) =>
          readOnce(bridge, connectionId, 'exceptions.search2', {
            params: { product },
            body: searchBody(query, page, now),
          }),
        ),
      );
      setBlockError(null);
      const count = answers[0]?.data.total_rows;
      return {
        rows: answers
          .flatMap(({ data }) => data.rows)
          .slice(start - offset, end - offset)
          .map((entry, index) => entryRow(entry, start + index, product, query.tool ?? '')),
        ...(typeof count === 'number' && isCounted.current ? { rowCount: count } : {}),
      };
    },
    [bridge, connectionId, product, query, now, pageLength],
  );
  const entries = first.data?.rows ?? NO_ENTRIES;
  return {
    search,
    setSearch,
    first,
    /** Parts of the search that the service ignored, and whether it names no tools. */
    unheeded: useMemo(() => unheeded(query, entries, product), [query, entries, product]),
    isToolUnsaid: isToolUnsaid(query, entries),
    total,
    /** There may be more entries than the service counts. */
    isUncounted,
    counts: first.data?.counts ?? null,
    getRows,
    blockError,
    onBlockError: useCallback((error: unknown) => setBlockError(toBridgeError(error)), []),
  };
}

export type Exceptions = ReturnType<typeof useExceptions>;
