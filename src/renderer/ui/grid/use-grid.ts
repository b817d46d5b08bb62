/** What a grid of blocks and a grid of a whole list share: columns, redrawn rows, selection, keys and the handle. */
import type {
  ColDef,
  GridApi,
  GridPreDestroyedEvent,
  GridReadyEvent,
  RowSelectionOptions,
} from 'ag-grid-community';
import {
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import type { Sort } from '#shared/model/entities.ts';
import { useClock } from '../clock-context.ts';
import { EntityActionsContext, EntityMenuContext } from '../entity-value.tsx';
import { restoreWhenDrawn } from '../focus.ts';
import type { CellContext } from './cells.tsx';
import type { GridTicks } from './grid-check.ts';
import { arrange, selectColumn, toColDef, toLayout } from './grid-columns.tsx';
import { createHandle, type GridHandle } from './grid-handle.ts';
import { GridKeys } from './grid-keys.ts';
import { type GridLatest, type GridProps, gridOptions } from './grid-options.ts';
import { drawSelection, type GridSelection } from './grid-selection.ts';

const NO_DOMAINS: ReadonlySet<string> = new Set();
const NO_SORT: readonly Sort[] = [];
const SELECTION: RowSelectionOptions = {
  mode: 'multiRow',
  checkboxes: false,
  headerCheckbox: false,
  enableClickSelection: false,
};

interface Drawn<T> {
  api: RefObject<GridApi<T> | null>;
  root: RefObject<HTMLElement | null>;
  keys: RefObject<GridKeys<T> | null>;
}

function useColumnDefs<T>(props: GridProps<T>, { api }: Drawn<T>): ColDef<T>[] {
  const { columns, layoutKey } = props;
  const clock = useClock();
  const ownDomains = props.ownDomains ?? NO_DOMAINS;
  const context = useRef<CellContext>({ clock, ownDomains });
  // Layout and sort are read on creation; afterwards the grid owns them, so that re-renders cannot reset them.
  const start = useRef({ layoutKey, layout: props.columnState, sort: props.sort ?? NO_SORT });
  if (start.current.layoutKey !== layoutKey) {
    start.current = { layoutKey, layout: props.columnState, sort: props.sort ?? NO_SORT };
  }
  const { current: initial } = start;
  const selectable = props.selectable !== false;
  const columnDefs = useMemo(() => {
    const defs = arrange(columns, initial.layout).map((column) =>
      toColDef(column, () => context.current, initial.sort),
    );
    return selectable ? [selectColumn, ...defs] : defs;
  }, [columns, initial, selectable]);
  useEffect(() => {
    context.current = { clock, ownDomains };
    api.current?.refreshCells({ force: true });
  }, [clock, ownDomains, api]);
  return columnDefs;
}

/** Redraws rows whose appearance depends on the page: the previewed one, and those whose marks changed. */
function useRedrawnRows<T>({ peekedId, marks }: GridProps<T>, { api, root, keys }: Drawn<T>): void {
  /**
   * A redrawn row is a new element, so the focus is restored in the same task. An effect would be too late: React may
   * run it after a frame in which the focus is on the page.
   */
  const redraw = useCallback(
    (ids: Iterable<string>) => {
      queueMicrotask(() => {
        const grid = api.current;
        const rowNodes = [...ids].flatMap((id) => grid?.getRowNode(id) ?? []);
        if (!grid || rowNodes.length === 0) return;
        const held =
          document.activeElement?.closest('.ag-cell') && root.current?.contains(document.activeElement);
        // The library would restore the focus by a timer, when it may already be elsewhere.
        grid.setGridOption('suppressFocusAfterRefresh', true);
        flushSync(() => grid.redrawRows({ rowNodes }));
        grid.setGridOption('suppressFocusAfterRefresh', false);
        if (held && !root.current?.contains(document.activeElement)) keys.current?.focus();
      });
    },
    [api, root, keys],
  );

  const drawnPeek = useRef<string | null>(null);
  useEffect(() => {
    const ids = [drawnPeek.current, peekedId ?? null].filter((id) => id !== null);
    drawnPeek.current = peekedId ?? null;
    redraw(ids);
  }, [peekedId, redraw]);

  const drawnMarks = useRef(marks);
  useEffect(() => {
    if (drawnMarks.current === marks || !api.current) return;
    drawnMarks.current = marks;
    redraw(marks?.keys() ?? []);
  }, [marks, redraw, api]);
}

/**
 * If a row is redrawn between the two clicks of a double click, the library misses it, so the current row is opened
 * here.
 */
function useDoubleClick<T>(
  root: RefObject<HTMLElement | null>,
  ready: GridApi<T> | null,
  latest: RefObject<GridLatest<T>>,
): void {
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
  }, [root, ready, latest]);
}

function useDrawnSelection<T>(ready: GridApi<T> | null, selection: GridSelection | null | undefined): void {
  const latest = useRef(selection);
  latest.current = selection;
  useEffect(() => {
    if (ready && selection) drawSelection(ready, selection);
  }, [ready, selection]);
  useEffect(() => {
    if (!ready) return undefined;
    // The library calls listeners later, even removed ones: one with an older selection would draw that over this one.
    const draw = () => latest.current && drawSelection(ready, latest.current);
    ready.addEventListener('modelUpdated', draw);
    return () => {
      if (!ready.isDestroyed()) ready.removeEventListener('modelUpdated', draw);
    };
  }, [ready]);
}

function usePageHandle<T>(latest: RefObject<GridLatest<T>>): (handle: GridHandle<T> | null) => void {
  const handle = useRef<GridHandle<T> | null>(null);
  const fill = useCallback(() => {
    const { handle: target } = latest.current.props;
    if (target) target.current = handle.current;
  }, [latest]);
  // The page may be mounted after the grid.
  const { handle: target } = latest.current.props;
  useLayoutEffect(() => {
    if (target) fill();
  }, [target, fill]);
  return useCallback(
    (nextHandle: GridHandle<T> | null) => {
      handle.current = nextHandle;
      fill();
    },
    [fill],
  );
}

/** `waits` says that the rows are not there yet. */
export function useGrid<T>(props: GridProps<T>, waits: () => boolean) {
  const { layoutKey, label } = props;
  const openMenu = useContext(EntityMenuContext);
  const actions = useContext(EntityActionsContext);
  const root = useRef<HTMLElement>(null);
  const keys = useRef<GridKeys<T> | null>(null);
  const api = useRef<GridApi<T> | null>(null);
  const [ready, setReady] = useState<GridApi<T> | null>(null);
  // The library reports a layout that it was given, too, and several times.
  const followed = useRef<string | null>(null);
  const now: GridLatest<T> = {
    props,
    openMenu,
    actions,
    onLayout(layout) {
      if (JSON.stringify(layout) === followed.current) return false;
      followed.current = null;
      keys.current?.noteLayout(layout);
      return true;
    },
  };
  const latest = useRef(now);
  latest.current = now;

  const drawn = { api, root, keys };
  const columnDefs = useColumnDefs(props, drawn);
  useRedrawnRows(props, drawn);
  useDoubleClick(root, ready, latest);
  useEffect(() => {
    // The library's own element has the grid role; an additional region around each grid would only add noise.
    if (ready)
      root.current?.querySelector('[role="grid"], [role="treegrid"]')?.setAttribute('aria-label', label);
  }, [ready, label]);
  useDrawnSelection(ready, props.selection);
  const setHandle = usePageHandle(latest);

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
      const nextHandle = createHandle(
        event.api,
        () => latest.current.props.columns,
        () => latest.current.props.selection,
        (anchor, entity) => latest.current.openMenu(anchor, entity, latest.current.actions),
        (layout) => {
          followed.current = JSON.stringify(layout);
          keys.current?.followLayout(layout);
        },
      );
      ticks.current = nextHandle;
      if (root.current)
        keys.current = new GridKeys({
          api: event.api,
          root: root.current,
          handle: nextHandle,
          layout: () => toLayout(event.api.getColumnState(), latest.current.props.columns),
          selection: () => latest.current.props.selection,
          acts: () => latest.current.props,
          waits,
        });
      setHandle(nextHandle);
      event.api.addEventListener('modelUpdated', restoreWhenDrawn);
      setReady(event.api);
    },
    [setHandle, waits],
  );
  const onGridPreDestroyed = useCallback(
    (event: GridPreDestroyedEvent<T>) => {
      // With a new key the next grid may mount before the previous one unmounts.
      if (api.current !== event.api) return;
      api.current = null;
      keys.current?.leave();
      keys.current = null;
      setHandle(null);
      setReady(null);
    },
    [setHandle],
  );
  return {
    root,
    ready,
    shared: {
      ...options,
      columnDefs,
      onGridReady,
      onGridPreDestroyed,
      rowSelection: props.selectable !== false ? SELECTION : undefined,
      key: layoutKey ?? 'grid',
    },
  };
}
