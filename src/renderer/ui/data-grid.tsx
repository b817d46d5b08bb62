import type {
  ColDef,
  GridApi,
  GridPreDestroyedEvent,
  GridReadyEvent,
  IDatasource,
  IGetRowsParams,
  RowSelectionOptions,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import type { JSX } from 'react';
import { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Sort } from '#shared/model/entities.ts';
import type { CellContext } from './cells.tsx';
import { useClock } from './clock-context.ts';
import { EntityActionsContext, EntityMenuContext } from './entity-value.tsx';
import { restoreWhenDrawn } from './focus.ts';
import type { GridTicks } from './grid-check.ts';
import { arrange, selectColumn, toColDef, toLayout } from './grid-columns.tsx';
import { createHandle, type GridHandle } from './grid-handle.ts';
import { GridKeys } from './grid-keys.ts';
import { type GridLatest, type GridProps, gridOptions } from './grid-options.ts';
import { GridOverlay } from './grid-overlay.tsx';
import { BLOCK_ROWS, blocksAhead, watchScroll } from './grid-scroll.ts';
import { drawSelection, GridSelectionContext } from './grid-selection.ts';
import { PrintedRows } from './printed-rows.tsx';

const NO_DOMAINS: ReadonlySet<string> = new Set();
const NO_SORT: readonly Sort[] = [];
const SELECTION: RowSelectionOptions = {
  mode: 'multiRow',
  checkboxes: false,
  headerCheckbox: false,
  enableClickSelection: false,
};

export interface PageOfRows<T> {
  rows: T[];
  /** The total row count, if the page knows it more precisely than the grid's `rowCount`. */
  rowCount?: number;
}

interface DataGridProps<T> extends GridProps<T> {
  /** null while unknown. */
  rowCount: number | null;
  /**
   * Rows `[start, end)` in this sort. One stable function per result: a new one starts over from the top. null: nothing
   * to request yet; empty rows are drawn as placeholders.
   */
  getRows: ((start: number, end: number, sort: Sort[]) => Promise<PageOfRows<T>>) | null;
  /** A new value reloads the blocks without blanking them: rows were appended. */
  version?: number | string;
  /** Block size; 200 by default. Lists with a small page size on the service request only visible rows. */
  blockRows?: number;
  /** The first visible row when the grid is created. */
  startRow?: number;
  /** The visible rows are outdated; newer ones are loading. */
  busy?: boolean;
  /** Called when a block could not be read; its rows stay blank, and the caller shows the reason. */
  onBlockError?: (error: unknown) => void;
}

interface ListGridProps<T> extends GridProps<T> {
  /** All rows; the grid sorts them by the columns' values. */
  rows: readonly T[];
}

const PLACEHOLDERS_AFTER_MS = 150;
/** More rows than fit on any screen; the library limits this to the visible ones. */
const ROWS_AHEAD = 1;

/**
 * The block source of the library. Requests made before the page has a source wait, so that placeholder rows are drawn
 * first.
 */
class BlockSource implements IDatasource {
  private answer: ((params: IGetRowsParams) => void) | null = null;
  private asked: IGetRowsParams[] = [];

  get waits(): boolean {
    return this.answer === null;
  }

  readonly getRows = (params: IGetRowsParams): void => {
    if (this.answer === null) this.asked.push(params);
    else this.answer(params);
  };

  start(answer: (params: IGetRowsParams) => void): void {
    this.answer = answer;
    for (const params of this.asked.splice(0)) answer(params);
  }
}

function useGrid<T>(props: GridProps<T>, waits: () => boolean) {
  const { columns, layoutKey, peekedId } = props;
  const clock = useClock();
  const ownDomains = props.ownDomains ?? NO_DOMAINS;
  const openMenu = useContext(EntityMenuContext);
  const actions = useContext(EntityActionsContext);
  const root = useRef<HTMLElement>(null);
  const keys = useRef<GridKeys<T> | null>(null);
  const now: GridLatest<T> = {
    props,
    openMenu,
    actions,
    onLayout: (layout) => keys.current?.noteLayout(layout),
  };
  const latest = useRef(now);
  latest.current = now;
  const context = useRef<CellContext>({ clock, ownDomains });
  const api = useRef<GridApi<T> | null>(null);
  const [ready, setReady] = useState<GridApi<T> | null>(null);

  // Layout and sort are read on creation; afterwards the grid owns them, so that re-renders cannot reset them.
  const start = useRef({ layoutKey, layout: props.columnState, sort: props.sort ?? NO_SORT });
  if (start.current.layoutKey !== layoutKey) {
    start.current = { layoutKey, layout: props.columnState, sort: props.sort ?? NO_SORT };
  }
  const { current: initial } = start;
  const selectable = props.selectable !== false;
  const columnDefs = useMemo(() => {
    const own = arrange(columns, initial.layout).map((column) =>
      toColDef(column, () => context.current, initial.sort),
    );
    return selectable ? [selectColumn as ColDef<T>, ...own] : own;
  }, [columns, initial, selectable]);

  useEffect(() => {
    context.current = { clock, ownDomains };
    api.current?.refreshCells({ force: true });
  }, [clock, ownDomains]);

  /**
   * A redrawn row is a new element, so the focus is restored in the same task. An effect would be too late: React may
   * run it after a frame in which the focus is on the page.
   */
  const redraw = useCallback((ids: Iterable<string>) => {
    queueMicrotask(() => {
      const grid = api.current;
      const rowNodes = [...ids].flatMap((id) => grid?.getRowNode(id) ?? []);
      if (!grid || rowNodes.length === 0) return;
      const held =
        document.activeElement?.closest('.ag-cell') && root.current?.contains(document.activeElement);
      flushSync(() => grid.redrawRows({ rowNodes }));
      if (held && !root.current?.contains(document.activeElement)) keys.current?.focus();
    });
  }, []);

  const drawnPeek = useRef<string | null>(null);
  useEffect(() => {
    const ids = [drawnPeek.current, peekedId ?? null].filter((id) => id !== null);
    drawnPeek.current = peekedId ?? null;
    redraw(ids);
  }, [peekedId, redraw]);

  const { marks } = props;
  const drawnMarks = useRef(marks);
  useEffect(() => {
    if (drawnMarks.current === marks || !api.current) return;
    drawnMarks.current = marks;
    redraw(marks?.keys() ?? []);
  }, [marks, redraw]);

  // If a row is redrawn between the two clicks of a double click, the library misses it, so the current row is opened
  // here.
  useEffect(() => {
    const { current: grid } = root;
    const onDoubleClick = ({ target, clientX, clientY }: MouseEvent) => {
      if (!ready || ready.isDestroyed() || (target instanceof Element && target.closest('.ag-row'))) return;
      const row = document.elementFromPoint(clientX, clientY)?.closest('.ag-row');
      const index = row && grid?.contains(row) ? Number(row.getAttribute('row-index')) : -1;
      const data = ready.getDisplayedRowAtIndex(index)?.data;
      if (data !== undefined) latest.current.props.onRowOpened?.(data, index);
    };
    grid?.addEventListener('dblclick', onDoubleClick);
    return () => grid?.removeEventListener('dblclick', onDoubleClick);
  }, [ready]);

  const { label } = props;
  useEffect(() => {
    // The library's own element has the grid role; an additional region around each grid would only add noise.
    if (ready)
      root.current?.querySelector('[role="grid"], [role="treegrid"]')?.setAttribute('aria-label', label);
  }, [ready, label]);

  const { selection } = props;
  useEffect(() => {
    if (!ready || !selection) return undefined;
    const draw = () => drawSelection(ready, selection);
    draw();
    ready.addEventListener('modelUpdated', draw);
    return () => {
      if (!ready.isDestroyed()) ready.removeEventListener('modelUpdated', draw);
    };
  }, [ready, selection]);

  const handle = useRef<GridHandle<T> | null>(null);
  const fillHandle = useCallback(() => {
    const { handle: wanted } = latest.current.props;
    if (wanted) wanted.current = handle.current;
  }, []);
  // The page may be mounted after the grid.
  const { handle: wantedHandle } = props;
  useLayoutEffect(() => {
    if (wantedHandle) fillHandle();
  }, [wantedHandle, fillHandle]);

  // Set before the first row is drawn, which can happen before the ready event.
  const ticks = useRef<GridTicks | null>(null);
  const options = useMemo(
    () => ({
      ...gridOptions(latest),
      context: {
        tick: (index, through) => ticks.current?.tick(index, through),
      } satisfies GridTicks,
    }),
    [],
  );
  const onGridReady = useCallback(
    (event: GridReadyEvent<T>) => {
      api.current = event.api;
      const made = createHandle(
        event.api,
        () => latest.current.props.columns,
        () => latest.current.props.selection,
        (anchor, entity) => latest.current.openMenu(anchor, entity, latest.current.actions),
      );
      ticks.current = made;
      if (root.current)
        keys.current = new GridKeys({
          api: event.api,
          root: root.current,
          handle: made,
          layout: () => toLayout(event.api.getColumnState(), latest.current.props.columns),
          selection: () => latest.current.props.selection,
          waits,
        });
      handle.current = made;
      fillHandle();
      event.api.addEventListener('modelUpdated', restoreWhenDrawn);
      setReady(event.api);
    },
    [fillHandle, waits],
  );
  const onGridPreDestroyed = useCallback(
    (event: GridPreDestroyedEvent<T>) => {
      // With a new key the next grid may mount before the previous one unmounts.
      if (api.current !== event.api) return;
      api.current = null;
      keys.current?.leave();
      keys.current = null;
      handle.current = null;
      fillHandle();
      setReady(null);
    },
    [fillHandle],
  );
  return {
    root,
    ready,
    latest,
    shared: {
      ...options,
      columnDefs,
      onGridReady,
      onGridPreDestroyed,
      rowSelection: selectable ? SELECTION : undefined,
      key: layoutKey ?? 'grid',
    },
  };
}

/** A grid for results of any length: blocks of 200 rows are requested as they scroll into view. */
export function DataGrid<T>(props: DataGridProps<T>): JSX.Element {
  const { getRows, rowCount, version } = props;
  /** Rows that arrive at once are drawn once; placeholders appear only for slower or later blocks. */
  const hasRows = useRef((props.startRow ?? 0) > 0);
  const answered = useRef(false);
  const { root, ready, latest, shared } = useGrid(
    props,
    useCallback(() => !answered.current, []),
  );
  const { key, ...options } = shared;
  const callbacks = useRef(props);
  callbacks.current = props;

  const printed = useCallback(async (end: number) => (await getRows?.(0, end, []))?.rows ?? [], [getRows]);
  const blockRows = props.blockRows ?? BLOCK_ROWS;
  const blocks = useMemo(() => getRows && blocksAhead(getRows, blockRows), [getRows, blockRows]);
  // A grid created ahead has already requested its first blocks, which are answered now; other grids start over.
  const source = useRef<BlockSource | null>(null);
  const datasource = useMemo(() => {
    if (blocks === null || !source.current?.waits) source.current = new BlockSource();
    return source.current;
  }, [blocks]);
  useLayoutEffect(() => {
    if (blocks === null || !datasource.waits) return;
    datasource.start(({ startRow, endRow, sortModel, successCallback, failCallback }) => {
      const dbIds = new Map(latest.current.props.columns.map((column) => [column.id, column.sortId]));
      const sort = sortModel.flatMap(({ colId, sort: direction }) => {
        const dbId = dbIds.get(colId);
        return dbId === undefined ? [] : [{ dbId, direction }];
      });
      blocks.read(startRow, endRow, sort).then(
        (page) => {
          hasRows.current = true;
          answered.current = true;
          const count = page.rowCount ?? callbacks.current.rowCount ?? undefined;
          const ended = page.rows.length < endRow - startRow ? startRow + page.rows.length : undefined;
          // Flushed synchronously; otherwise React would draw the rows a frame later.
          flushSync(() => successCallback(page.rows, count ?? ended));
        },
        (error: unknown) => {
          answered.current = true;
          failCallback();
          callbacks.current.onBlockError?.(error);
        },
      );
    });
  }, [blocks, datasource, latest]);

  // Runs once per grid, as soon as it has enough rows to scroll there.
  const scrolled = useRef<GridApi<T> | null>(null);
  useEffect(() => {
    const { startRow = 0 } = callbacks.current;
    if (!ready || ready.isDestroyed() || rowCount === null || scrolled.current === ready) return;
    scrolled.current = ready;
    if (startRow > 0 && startRow < rowCount) ready.ensureIndexVisible(startRow, 'top');
  }, [ready, rowCount]);

  useEffect(() => {
    if (!ready || ready.isDestroyed() || !root.current || !blocks) return undefined;
    return watchScroll(root.current, ready, blocks.look);
  }, [root, ready, blocks]);

  const drawnVersion = useRef(version);
  useEffect(() => {
    if (!ready || rowCount === null) return undefined;
    const show = () => {
      if (!ready.isDestroyed() && ready.getDisplayedRowCount() !== rowCount)
        ready.setRowCount(rowCount, true);
    };
    if (!hasRows.current) {
      const late = setTimeout(show, PLACEHOLDERS_AFTER_MS);
      return () => clearTimeout(late);
    }
    show();
    return undefined;
  }, [ready, rowCount]);
  useEffect(() => {
    if (!ready || ready.isDestroyed() || !blocks || drawnVersion.current === version) return;
    const isFirst = drawnVersion.current === undefined;
    drawnVersion.current = version;
    if (isFirst) return;
    blocks.forget();
    ready.refreshInfiniteCache();
  }, [ready, version, blocks]);

  return (
    <>
      <section ref={root} className="pp-grid" aria-busy={props.busy ?? false}>
        <GridSelectionContext value={props.selection ?? null}>
          <AgGridReact<T>
            key={key}
            {...options}
            rowModelType="infinite"
            datasource={datasource}
            cacheBlockSize={blockRows}
            // Always mounted: adding it together with the first rows would make the library measure and style all of
            // them again.
            alwaysShowVerticalScroll
            maxBlocksInCache={60}
            maxConcurrentDatasourceRequests={12}
            infiniteInitialRowCount={
              getRows === null ? ROWS_AHEAD : hasRows.current ? Math.max(1, rowCount ?? 1) : 1
            }
          />
        </GridSelectionContext>
        <GridOverlay {...props} />
      </section>
      <PrintedRows columns={props.columns} count={rowCount ?? 0} read={printed} />
    </>
  );
}

const neverWaits = () => false;

/** A grid for fully loaded lists of up to a few thousand rows. */
export function ListGrid<T>(props: ListGridProps<T>): JSX.Element {
  const { root, shared } = useGrid(props, neverWaits);
  const { key, ...options } = shared;
  const rows = useMemo(() => [...props.rows], [props.rows]);
  const printed = useCallback(async (end: number) => rows.slice(0, end), [rows]);
  return (
    <>
      <section ref={root} className="pp-grid">
        <AgGridReact<T> key={key} {...options} rowModelType="clientSide" rowData={rows} />
        <GridOverlay {...props} />
      </section>
      <PrintedRows columns={props.columns} count={rows.length} read={printed} />
    </>
  );
}
