import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import type { PageOfRows } from '#renderer/ui/data-grid.tsx';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { LocalFilter, OutputOf, ResultSet } from '#shared/bridge/operations.ts';
import type { QueryConfig, Sort } from '#shared/model/entities.ts';
import { localSort, sameSort } from '../query-run.ts';
import { type ResultRow, toRow } from './result-columns.tsx';

/** Pages kept beside the grid's own, so that scrolling on finds the next one here. */
const PAGES_KEPT = 40;

/** Rows that a growing, locally filtered or sorted result reads again after. */
const STEP = 4000;

type Page = OutputOf<'results.page'>;

export const isFiltering = (filter: LocalFilter): boolean =>
  filter.text.trim() !== '' || Object.values(filter.facets).some((values) => values.length > 0);

export interface Rows {
  getRows: (start: number, end: number, sort: Sort[]) => Promise<PageOfRows<ResultRow>>;
  /** Rows that match the local filter; the total without one. null: not known yet. */
  count: number | null;
  version: number;
  error: BridgeError | null;
  onBlockError: (error: unknown) => void;
}

/** The rows of a result set for the grid, page by page, in its own order or a local one. */
export function useRows(
  result: ResultSet,
  config: QueryConfig,
  filter: LocalFilter,
  sort: readonly Sort[],
): Rows {
  const bridge = useBridge();
  const filtering = isFiltering(filter);
  const filterText = JSON.stringify(filter);
  const [counted, setCounted] = useState<{ of: string; count: number } | null>(null);
  const [error, setError] = useState<{ of: string; error: BridgeError } | null>(null);
  const own = useRef(result.sort);
  own.current = result.sort;
  const name = `${result.id} ${filterText}`;

  const local = filtering || (sort.length > 0 && !sameSort(sort, result.sort));
  const ended = result.state === 'complete' ? 1 : 0;
  // A page that came short of rows the service has is read again when more are here; its rows stay blank until then.
  const [gap, setGap] = useState<{ of: string; loaded: number } | null>(null);
  const [closed, setClosed] = useState(0);
  useEffect(() => {
    if (gap === null || (gap.of === name && gap.loaded >= result.loaded)) return;
    setGap(null);
    setClosed((count) => count + 1);
  }, [gap, name, result.loaded]);
  const version = local ? Math.floor(result.loaded / STEP) * 2 + ended : -closed;
  const loaded = useRef(result.loaded);
  loaded.current = result.loaded;
  const pages = useRef<{ of: string; pages: Map<string, Promise<Page>> }>({ of: '', pages: new Map() });
  if (pages.current.of !== `${name} ${version}`)
    pages.current = { of: `${name} ${version}`, pages: new Map() };

  const getRows = useCallback(
    async (start: number, end: number, wanted: Sort[]): Promise<PageOfRows<ResultRow>> => {
      const parsed = JSON.parse(filterText) as LocalFilter;
      const order = wanted.length > 0 && !sameSort(wanted, own.current) ? localSort(wanted, config) : null;
      const kept = pages.current.pages;
      const read = (from: number, to: number): Promise<Page> => {
        const key = `${from} ${to} ${JSON.stringify(order)}`;
        const known = kept.get(key);
        if (known) return known;
        const page = bridge.call('results.page', {
          resultId: result.id,
          start: from,
          end: to,
          ...(order ? { sort: order } : {}),
          ...(isFiltering(parsed) ? { filter: parsed } : {}),
        });
        kept.set(key, page);
        page.catch(() => kept.delete(key));
        for (const [oldest] of kept) {
          if (kept.size <= PAGES_KEPT) break;
          kept.delete(oldest);
        }
        return page;
      };
      const page = await read(start, end);
      const size = end - start;
      // The neighbours, for the scroll that follows; beyond what is here nothing is asked ahead.
      if (end < Math.min(page.count, loaded.current)) read(end, end + size).catch(() => undefined);
      if (start >= size) read(start - size, start).catch(() => undefined);
      setCounted((before) =>
        before?.of === name && before.count === page.count ? before : { of: name, count: page.count },
      );
      setError(null);
      if (order === null && page.rows.length < Math.min(end, page.count) - start)
        setGap({ of: name, loaded: page.loaded });
      return { rows: page.rows.map((raw, index) => toRow(raw, start + index)), rowCount: page.count };
    },
    [bridge, config, filterText, name, result.id],
  );
  const onBlockError = useCallback(
    (reason: unknown) => {
      const failure = toBridgeError(reason);
      if (failure.code !== 'cancelled') setError({ of: name, error: failure });
    },
    [name],
  );
  return useMemo(
    () => ({
      getRows,
      count: filtering ? (counted?.of === name ? counted.count : null) : result.total,
      version,
      error: error?.of === name ? error.error : null,
      onBlockError,
    }),
    [getRows, filtering, counted, name, result.total, version, error, onBlockError],
  );
}
