import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { type IndicatorOrder, openIndicators } from '#renderer/state/indicator-order.ts';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import type { QueryConfig, Sort } from '#shared/model/entities.ts';
import { countWords } from '#shared/model/responses.ts';
import { isServiceSort, localSort, sameSort } from '../query-run.ts';
import { localConfig } from './filter-bar.tsx';
import type { ResultRow } from './result-columns.tsx';
import { NOTHING, namedRows, type Selection, withRows } from './selection.ts';
import { type Columns, type Decorate, useColumns } from './use-columns.ts';
import { type DraftView, type FilterState, useFilter } from './use-filter.ts';
import { type Peek, profileList, usePeek } from './use-peek.ts';
import { useResultKeys } from './use-result-keys.ts';
import { isFiltering, type Rows, useRows } from './use-rows.ts';
import type { Run } from './use-run.ts';
import { type RowSelection, useSelection } from './use-selection.ts';
import { useTruePeek } from './use-true-peek.ts';

/** Up to this many loaded rows, a new sort order fetches again from the service. */
const FEW = 20_000;

interface ResultSort {
  sort: Sort[];
  /** Sorted on this machine. */
  isLocal: boolean;
  change: (next: Sort[]) => void;
  /** Runs the query again in this order; null if the service cannot sort this way, or does not need to. */
  askService: (() => void) | null;
}

/**
 * The sort order. Complete results and large fetches are sorted on this machine; when only the first few rows of many
 * are loaded, the query runs again, since only the service can sort rows that are not loaded.
 */
function useSort(options: {
  result: ResultSet;
  config: QueryConfig;
  layout: GridLayout | null;
  setLayout: (layout: GridLayout) => void;
  run: Run | null;
  offline: boolean;
}): ResultSort {
  const { result, config, layout, setLayout, run, offline } = options;
  const [sort, setSort] = useState<Sort[]>(() => (layout?.sort?.length ? layout.sort : result.sort));
  const isLocal = sort.length > 0 && !sameSort(sort, result.sort);
  const canAsk = (order: Sort[]) =>
    run !== null && !offline && result.state !== 'complete' && isServiceSort(order, config);
  const layoutWith = (next: Sort[]): GridLayout => ({ columns: layout?.columns ?? [], sort: next });
  return {
    sort,
    isLocal,
    change(next) {
      setSort(next);
      setLayout(layoutWith(next));
      if (canAsk(next) && result.loaded <= FEW && !sameSort(next, result.sort))
        void run?.run({ layout: layoutWith(next) });
    },
    askService: isLocal && canAsk(sort) ? () => void run?.run({ layout: layoutWith(sort) }) : null,
  };
}

/** Notation of indicators. */
type Form = Pick<IndicatorOrder, 'defanged' | 'typed'>;

/** State and actions for browsing rows, shared by results and comparisons. */
export interface Browse {
  result: ResultSet;
  grid: RefObject<GridHandle<ResultRow> | null>;
  searchBox: RefObject<HTMLInputElement | null>;
  config: QueryConfig;
  /** The query config cut down to the columns of the rows. */
  local: QueryConfig;
  filter: FilterState;
  filtering: boolean;
  order: ResultSort;
  columns: Columns;
  rows: Rows;
  peek: Peek;
  selection: RowSelection;
  selected: number;
  /** Rows that match, or the total. */
  total: number;
  facetsOpen: boolean;
  isEmail: boolean;
  /** What the rows are: email, file, user … */
  domain: string;
  /** Opens the indicators of the chosen rows for copying. False if there is no row. */
  copy: (form?: Form) => boolean;
  /** The selected rows, or the focused one if none is selected. */
  chosen: () => Selection;
  /**
   * Runs an action on the chosen rows: at once, or as soon as a new run has taken over the selection. Until then the
   * focused row must not stand in for the selection. Only the last requested action is run.
   */
  whenChosen: (act: (browse: Browse) => void) => void;
  selectPage: () => void;
}

interface BrowseOptions {
  draft: Draft;
  config: QueryConfig;
  result: ResultSet;
  layout: GridLayout | null;
  setLayout: (layout: GridLayout | null) => void;
  run: Run | null;
  offline: boolean;
  /** What the rows were asked for. */
  question: string;
  /** Draft that stores the filter, or null if it is not stored. */
  persistIn: string | null;
  start: DraftView | undefined;
  decorate?: Decorate;
  /** False if groups are shown in place of the rows. */
  rowsShown?: boolean;
}

function copyChosen(browse: Browse, form: Form): boolean {
  const { result, rows, selection, selected, filtering, domain } = browse;
  if (selection.isRestoring) {
    browse.whenChosen((then) => void then.copy(form));
    return true;
  }
  const what = browse.chosen();
  const count = selected > 0 ? selected : what.ids.size;
  if (count === 0) return false;
  openIndicators({
    ...form,
    of: countWords(count, domain),
    source: {
      kind: 'rows',
      resultId: result.id,
      ...(what.mode === 'all' && filtering ? { filter: rows.filter } : {}),
      ...namedRows(what),
    },
  });
  return true;
}

export function useBrowse(options: BrowseOptions): Browse {
  const { draft, config, result, layout, setLayout, run, offline, question, persistIn, start } = options;
  const { query } = draft;
  const grid = useRef<GridHandle<ResultRow> | null>(null);
  const searchBox = useRef<HTMLInputElement | null>(null);
  const ids = result.columns.map(({ id }) => id).join('\n');
  const local = useMemo(() => localConfig(config, ids.split('\n')), [config, ids]);
  const filter = useFilter(local, start, persistIn);
  const order = useSort({ result, config, layout, setLayout, run, offline });
  const columns = useColumns(draft, config, result, layout, grid, options.decorate);
  const rows = useRows(result, config, filter.filter, order.sort);
  // The filter of the visible rows; a newly typed one takes over when its rows have arrived.
  const shown = rows.filter;
  const filtering = isFiltering(shown);
  const total = rows.count ?? result.total;
  const list = () =>
    profileList({
      query,
      result,
      config,
      filter: shown,
      sort: order.sort,
      count: filtering ? total : result.loaded,
      index: columns.index,
    });
  const peek = usePeek(query, result.id, columns.index, list);
  useTruePeek(peek, result, rows, grid);
  const [facetsOpen, setFacetsOpen] = useState(true);
  const selection = useSelection(
    result,
    filtering ? total : result.loaded,
    {
      filter: filtering ? shown : undefined,
      sort: order.isLocal ? localSort(order.sort, local) : undefined,
    },
    question,
  );
  const { count: selected } = selection;
  const waiting = useRef<((browse: Browse) => void) | null>(null);
  useResultKeys({
    grid,
    columns: columns.grid,
    searchBox,
    peeked: peek.peeked,
    peek: peek.peek,
    open: peek.open,
    onClosePeek: peek.close,
    onCopyIocs: (defanged) => browse.copy({ defanged }),
    onToggleFacets: () => setFacetsOpen((is) => !is),
    rowsShown: options.rowsShown ?? true,
  });
  const browse: Browse = {
    result,
    grid,
    searchBox,
    config,
    local,
    filter,
    filtering,
    order,
    columns,
    rows,
    peek,
    selection,
    selected,
    total,
    facetsOpen,
    isEmail: query.domain === 'email',
    domain: query.domain,
    copy: (form = { defanged: true }) => copyChosen(browse, form),
    chosen: () => {
      const focused = grid.current?.focusedRow();
      return selected === 0 && focused ? withRows(NOTHING, [focused.id], true, 1) : selection.selection;
    },
    whenChosen(act) {
      if (selection.isRestoring) waiting.current = act;
      else act(browse);
    },
    selectPage: () => selection.selectOnly(grid.current?.idsOnScreen() ?? []),
  };
  useEffect(() => {
    if (selection.isRestoring) return;
    const { current: act } = waiting;
    waiting.current = null;
    // The selection was lost, so the pending action must not fall back to the focused row.
    if (selected > 0) act?.(browse);
  });
  return browse;
}
