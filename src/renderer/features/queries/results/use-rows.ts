import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import type { PageOfRows } from '#renderer/ui/grid/data-grid.tsx';
import { BLOCK_ROWS } from '#renderer/ui/grid/grid-scroll.ts';
import { useStable } from '#renderer/ui/use-stable.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { LocalFilter, OutputOf, ResultSet } from '#shared/bridge/operations.ts';
import type { QueryConfig, Sort } from '#shared/model/entities.ts';
import { localSort, sameSort } from '../query-run.ts';
import { takeFirstRows } from './first-rows.ts';
import { type ResultRow, toRow } from './result-columns.tsx';

/** Up to this many rows, a step is a fixed number of rows. */
const FIRST = 4000;
/** Beyond that, each step grows by this factor, so that a million rows take few steps. */
const FACTOR = 1.2;

/** A counter that grows with the loaded rows in steps, because each step costs a read over all of them. */
export const growthStep = (loaded: number): number =>
  loaded < FIRST ? 0 : 1 + Math.floor(Math.log(loaded / FIRST) / Math.log(FACTOR));

const PAGES_KEPT = 40;

type Page = OutputOf<'results.page'>;

export const isFiltering = (filter: LocalFilter): boolean =>
  filter.text.trim() !== '' ||
  (filter.condition?.conditions.length ?? 0) > 0 ||
  Object.values(filter.facets).some((values) => values.length > 0);

export interface Rows {
  getRows: (start: number, end: number, sort: Sort[]) => Promise<PageOfRows<ResultRow>>;
  /** The filter of the visible rows. */
  filter: LocalFilter;
  /** Rows that match the local filter; the total without one. Null if not known yet. */
  count: number | null;
  version: string;
  /** The visible rows are still in the previous order; those of the new one are loading. */
  busy: boolean;
  error: BridgeError | null;
  onBlockError: (error: unknown) => void;
}

interface Gap {
  of: string;
  /** Rows loaded when the gap was noticed; `until` are rows needed to close it. */
  loaded: number;
  until: number;
}

/** Detects blocks with fewer rows than the service has; `closed` increases when the nearest of them can be read. */
function useGaps(name: string, result: ResultSet) {
  const [gap, setGap] = useState<Gap | null>(null);
  const [closed, setClosed] = useState(0);
  const { loaded, state } = result;
  useEffect(() => {
    if (gap === null) return;
    const canRead = loaded >= gap.until || (state !== 'filling' && loaded > gap.loaded);
    if (gap.of === name && !canRead) return;
    setGap(null);
    if (gap.of === name) setClosed((count) => count + 1);
  }, [gap, name, loaded, state]);
  const notice = useCallback(
    (until: number, here: number) =>
      setGap((before) =>
        before?.of === name && before.until <= until ? before : { of: name, loaded: here, until },
      ),
    [name],
  );
  return { closed, notice };
}

const pageAsk = (resultId: string, start: number, end: number, sort: Sort[] | null, filter: LocalFilter) => ({
  resultId,
  start,
  end,
  ...(sort === null ? {} : { sort }),
  ...(isFiltering(filter) ? { filter } : {}),
});

interface Primed {
  of: string;
  page: Page;
}

/**
 * The filter that the grid shows: a new one takes over when its first rows have arrived, so that the grid does not
 * flicker. `first`: these rows, until the grid requests them.
 */
function useShownFilter(result: ResultSet, filter: LocalFilter, order: Sort[] | null) {
  const bridge = useBridge();
  const [shown, setShown] = useState(filter);
  const first = useRef<Primed | null>(null);
  const shownText = JSON.stringify(shown);
  const next = useStable(filter);
  const sorted = useRef(order);
  sorted.current = order;
  useEffect(() => {
    const wantedText = JSON.stringify(next);
    if (wantedText === shownText) return undefined;
    const abort = new AbortController();
    const sort = sorted.current;
    bridge.call('results.page', pageAsk(result.id, 0, BLOCK_ROWS, sort, next), { signal: abort.signal }).then(
      (page) => {
        first.current = { of: `${result.id} ${wantedText} ${JSON.stringify(sort)}`, page };
        setShown(next);
      },
      // The grid requests the block again and shows the error.
      (reason: unknown) => {
        if (toBridgeError(reason).code !== 'cancelled') setShown(next);
      },
    );
    return () => abort.abort();
  }, [bridge, result.id, next, shownText]);
  return { shown, first };
}

/** A value that is known for one name at a time; null for any other. */
function useStateOf<T>(name: string): [T | null, (value: T | null) => void] {
  const [state, setState] = useState<{ of: string; value: T | null }>({ of: name, value: null });
  const set = useCallback(
    (value: T | null) =>
      setState((before) => (before.of === name && before.value === value ? before : { of: name, value })),
    [name],
  );
  return [state.of === name ? state.value : null, set];
}

const pageKey = (start: number, end: number, order: string): string => `${start} ${end} ${order}`;

/** Pages of one state of the rows, cached beside the grid's own, so that the next one is ready when scrolling. */
class Pages {
  readonly of: string;
  /** The exact count when a page came without one: requested once. */
  readonly exact: { requested: boolean; count: number | null } = { requested: false, count: null };
  readonly #pages = new Map<string, Promise<Page>>();

  constructor(of: string) {
    this.of = of;
  }

  get(key: string, read: () => Promise<Page>): Promise<Page> {
    const existingPage = this.#pages.get(key);
    if (existingPage) return existingPage;
    const page = read();
    this.#pages.set(key, page);
    page.catch(() => this.forget(key));
    for (const [oldest] of this.#pages) {
      if (this.#pages.size <= PAGES_KEPT) break;
      this.forget(oldest);
    }
    return page;
  }

  find(key: string): Promise<Page> | undefined {
    return this.#pages.get(key);
  }

  forget(key: string): void {
    this.#pages.delete(key);
  }
}

interface Shown {
  /** Result and filter. */
  name: string;
  pages: Pages;
  order: string;
}

/** Shows rows of the previous order until the first of a new one arrive, so that sorting does not blank the grid. */
function useShownOrder(name: string) {
  const shown = useRef<Shown | null>(null);
  const awaited = useRef<string | null>(null);
  const [{ busy, arrived }, setState] = useState({ busy: false, arrived: 0 });
  const pageToShow = useCallback(
    (pages: Pages, start: number, end: number, order: string, fresh: Promise<Page>): Promise<Page> => {
      const { current } = shown;
      const isNew = current !== null && current.name === name && current.order !== order;
      const before = isNew ? current.pages.find(pageKey(start, end, current.order)) : undefined;
      const setAwaited = (next: string | null) => {
        awaited.current = next;
        setState((state) => ({ busy: next !== null, arrived: state.arrived + (next === null ? 1 : 0) }));
      };
      if (before === undefined) {
        if (awaited.current !== null && !isNew) setAwaited(null);
        if (awaited.current === null) shown.current = { name, pages, order };
        return fresh;
      }
      if (awaited.current !== order) {
        setAwaited(order);
        const show = () => {
          if (awaited.current !== order) return;
          shown.current = { name, pages, order };
          setAwaited(null);
        };
        fresh.then(show, show);
      }
      return before;
    },
    [name],
  );
  return { busy, arrived, pageToShow };
}

/**
 * Reads pages through their cache, which begins anew when `name` or `version` changes. A caller keeps the cache that it
 * began with, since pages of another filter must not get into the next one.
 */
function usePages(
  resultId: string,
  name: string,
  version: number,
  filter: LocalFilter,
  first: RefObject<Primed | null>,
) {
  const bridge = useBridge();
  const pages = useRef(new Pages(''));
  if (pages.current.of !== `${name} ${version}`) pages.current = new Pages(`${name} ${version}`);
  const read = useCallback(
    (cached: Pages, start: number, end: number, order: Sort[] | null): Promise<Page> =>
      cached.get(pageKey(start, end, JSON.stringify(order)), () => {
        const ready = first.current;
        first.current = null;
        if (ready !== null && start === 0 && ready.of === `${name} ${JSON.stringify(order)}`)
          return Promise.resolve(ready.page);
        const isFirst = start === 0 && end === BLOCK_ROWS && order === null && !isFiltering(filter);
        return (
          (isFirst ? takeFirstRows(resultId) : null) ??
          bridge.call('results.page', pageAsk(resultId, start, end, order, filter))
        );
      }),
    [bridge, first, name, resultId, filter],
  );
  /** Requests the exact count, once. */
  const countRows = useCallback(
    ({ exact }: Pages, onCount: (count: number) => void) => {
      if (exact.requested) return;
      exact.requested = true;
      bridge.call('results.page', { resultId, start: 0, end: 0, filter }).then(
        ({ count }) => {
          exact.count = count;
          if (pages.current.exact === exact) onCount(count);
        },
        () => {
          exact.requested = false;
        },
      );
    },
    [bridge, resultId, filter],
  );
  return { pages, read, countRows };
}

/** The rows of a result set for the grid, page by page, in its own order or a local one. */
export function useRows(
  result: ResultSet,
  config: QueryConfig,
  wantedFilter: LocalFilter,
  sort: readonly Sort[],
): Rows {
  const localOrder = sort.length > 0 && !sameSort(sort, result.sort) ? localSort(sort, config) : null;
  const { shown: filter, first } = useShownFilter(result, wantedFilter, localOrder);
  const filtering = isFiltering(filter);
  const stableFilter = useStable(filter);
  const filterText = JSON.stringify(filter);
  const now = useRef(result);
  now.current = result;
  const name = `${result.id} ${filterText}`;
  const [counted, setCounted] = useStateOf<number>(name);
  const [error, setError] = useStateOf<BridgeError>(name);

  const local = filtering || localOrder !== null;
  const ended = result.state === 'complete' ? 1 : 0;
  const { closed, notice } = useGaps(name, result);
  const version = local ? growthStep(result.loaded) * 2 + ended : -closed;
  /** Start of the last block: neighbours are read ahead only while scrolling continuously. */
  const last = useRef<number | null>(null);
  const { pages, read, countRows } = usePages(result.id, name, version, stableFilter, first);
  const { busy, arrived, pageToShow } = useShownOrder(name);

  const getRows = useCallback(
    async (start: number, end: number, sorts: Sort[]): Promise<PageOfRows<ResultRow>> => {
      const order = sorts.length > 0 && !sameSort(sorts, now.current.sort) ? localSort(sorts, config) : null;
      const cached = pages.current;
      const { exact } = cached;
      const size = end - start;
      const { loaded, total, state } = now.current;
      // Rows not loaded yet do not block the grid's request queue: other blocks can be read meanwhile.
      if (order === null && !isFiltering(stableFilter) && start >= loaded && start < total) {
        if (state !== 'filling') read(cached, start, end, order).catch(() => undefined);
        notice(Math.min(end, total), loaded);
        return { rows: [], rowCount: total };
      }
      const goesOn = last.current === null || Math.abs(start - last.current) <= 2 * size;
      last.current = start;
      const orderText = JSON.stringify(order);
      const page = await pageToShow(cached, start, end, orderText, read(cached, start, end, order));
      // Read ahead for continuous scrolling, not while the scroll bar is dragged, and never beyond the loaded
      // rows.
      if (goesOn && last.current === start) {
        if (end < Math.min(page.count, now.current.loaded))
          read(cached, end, end + size, order).catch(() => undefined);
        if (start >= size) read(cached, start - size, start, order).catch(() => undefined);
      }
      const rowCount = page.counting ? (exact.count ?? page.count) : page.count;
      if (page.counting && exact.count === null) countRows(cached, setCounted);
      else setCounted(rowCount);
      setError(null);
      const wantedRows = Math.min(end, rowCount);
      if (order === null && page.rows.length < wantedRows - start) {
        cached.forget(pageKey(start, end, orderText));
        notice(wantedRows, page.loaded);
      }
      return { rows: page.rows.map((raw, index) => toRow(raw, start + index)), rowCount };
    },
    [config, countRows, notice, pages, pageToShow, read, setCounted, setError, stableFilter],
  );
  const onBlockError = useCallback(
    (reason: unknown) => {
      const failure = toBridgeError(reason);
      if (failure.code !== 'cancelled') setError(failure);
    },
    [setError],
  );
  return useMemo(
    () => ({
      getRows,
      filter,
      count: filtering ? counted : result.total,
      version: `${version} ${arrived}`,
      busy,
      error,
      onBlockError,
    }),
    [getRows, filter, filtering, counted, result.total, version, arrived, busy, error, onBlockError],
  );
}
