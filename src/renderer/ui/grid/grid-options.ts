import {
  type CellContextMenuEvent,
  type CellFocusedEvent,
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  type GridApi,
  type GridOptions,
  InfiniteRowModelModule,
  LocaleModule,
  type Module,
  ModuleRegistry,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TooltipModule,
  themeQuartz,
} from 'ag-grid-community';
import type { RefObject } from 'react';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { EmptyInfo } from '../empty-state.tsx';
import { type EntityActions, type OpenEntityMenu, pointAnchor } from '../entity-value.tsx';
import { type ColumnLayout, type GridColumn, toLayout, toSort } from './grid-columns.tsx';
import { firstColumn, type GridHandle, rowsOnScreen } from './grid-handle.ts';
import type { GridSelection } from './grid-selection.ts';

const MODULES: Module[] = [
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  InfiniteRowModelModule,
  LocaleModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TooltipModule,
];

// At import, so that no grid can be created before; the registry is global to the library.
ModuleRegistry.registerModules(MODULES);

/** design.md, Theming. */
const gridTheme = themeQuartz.withParams({
  fontFamily: 'var(--font)',
  fontSize: 13,
  headerFontSize: 11,
  headerFontWeight: 500,
  spacing: 4,
  rowHeight: 28,
  headerHeight: 28,
  cellHorizontalPadding: 8,
  backgroundColor: 'var(--bg2)',
  foregroundColor: 'var(--t1)',
  headerBackgroundColor: 'var(--sunk)',
  headerTextColor: 'var(--t2)',
  borderColor: 'var(--line)',
  accentColor: 'var(--acc)',
  columnBorder: false,
  rowHoverColor: 'var(--hover)',
  selectedRowBackgroundColor: 'var(--sel)',
  browserColorScheme: 'inherit',
  wrapperBorder: false,
  wrapperBorderRadius: 0,
  iconSize: 12,
  headerColumnResizeHandleColor: 'var(--line2)',
  headerColumnResizeHandleHeight: '50%',
});

export interface GridProps<T> {
  label: string;
  columns: readonly GridColumn<T>[];
  rowId: (row: T) => string;
  /** The user's layout, read when the grid is made or `layoutKey` changes; later changes by `handle.applyLayout`. */
  columnState?: readonly ColumnLayout[];
  onColumnStateChange?: (layout: ColumnLayout[]) => void;
  /** The initial sort; the grid reports every change. */
  sort?: readonly Sort[];
  onSortChange?: (sort: Sort[]) => void;
  /** A new key makes a new grid: another query, another screen. */
  layoutKey?: string;
  /** Checkboxes; on by default. */
  selectable?: boolean;
  onSelectionChanged?: (ids: string[]) => void;
  /** The page keeps the selection; the grid only draws it. */
  selection?: GridSelection | null;
  /** Enter or double click. */
  onRowOpened?: (row: T, index: number) => void;
  /** The focused row moved (arrows, J, K, click). */
  onRowFocused?: (row: T, index: number) => void;
  /** Space. */
  onPeek?: (row: T, index: number) => void;
  /** The row that a scroll stopped at, at the top. */
  onFirstRow?: (index: number) => void;
  /** The row in the peek panel, highlighted as selected. */
  peekedId?: string | null;
  /** Rows that an action has changed, by id, with what it did: marked at their start. */
  marks?: ReadonlyMap<string, string>;
  /** Rows to draw in t3: switched off, deleted. */
  isMuted?: (row: T) => boolean;
  ownDomains?: ReadonlySet<string>;
  loading?: boolean;
  error?: BridgeError | null;
  errorTitle?: string;
  onRetry?: () => void;
  /** Set if there are no rows. */
  empty?: EmptyInfo | null;
  handle?: RefObject<GridHandle<T> | null>;
}

/** Read by the grid's event handlers, which are bound once. */
export interface GridLatest<T> {
  props: GridProps<T>;
  openMenu: OpenEntityMenu;
  actions: EntityActions;
  /** Returns whether the page is told of the layout. */
  onLayout: (layout: ColumnLayout[]) => boolean;
}

/** The options that never change; events read `latest`. */
export function gridOptions<T>(latest: RefObject<GridLatest<T>>): GridOptions<T> {
  const read = () => latest.current.props;
  const notifyLayout = ({ api }: { api: GridApi<T> }) => {
    const layout = toLayout(api.getColumnState(), read().columns);
    if (latest.current.onLayout(layout)) read().onColumnStateChange?.(layout);
  };
  return {
    theme: gridTheme,
    // The library announces its own key, Space, which shows the preview here.
    localeText: {
      ariaRowSelect: 'Press X to select this row',
      ariaRowDeselect: 'Press X to deselect this row',
    },
    getRowId: ({ data }) => read().rowId(data),
    scrollbarWidth: 10,
    // Rows rendered outside of the view cost as much as visible ones while the scroll bar is dragged.
    rowBuffer: 6,
    suppressAnimationFrame: true,
    tooltipShowDelay: 400,
    animateRows: false,
    suppressNoRowsOverlay: true,
    maintainColumnOrder: true,
    // A hidden tab temporarily has no width, which would make the grid lose its column widths.
    processUnpinnedColumns: () => [],
    suppressDragLeaveHidesColumns: true,
    preventDefaultOnContextMenu: true,
    // The grid is a single tab stop; arrows navigate inside, including headers.
    tabToNextCell: () => false,
    tabToNextHeader: () => false,
    focusGridInnerElement: ({ api }) => {
      const cell = api.getFocusedCell();
      const column = cell?.column ?? firstColumn(api);
      if (!column || api.getDisplayedRowCount() === 0) return false;
      api.setFocusedCell(Math.min(cell?.rowIndex ?? 0, api.getDisplayedRowCount() - 1), column);
      return true;
    },
    defaultColDef: { resizable: true, sortingOrder: ['asc', 'desc', null] },
    rowClassRules: {
      'pp-row-wait': ({ data }) => data === undefined,
      'pp-row-peeked': ({ node }) => node.id !== undefined && node.id === read().peekedId,
      'pp-row-changed': ({ node }) => node.id !== undefined && (read().marks?.has(node.id) ?? false),
      'pp-row-muted': ({ data }) => data !== undefined && Boolean(read().isMuted?.(data)),
    },
    onColumnMoved: (event) => {
      if (event.finished) notifyLayout(event);
    },
    onColumnResized: (event) => {
      if (event.finished && event.source !== 'flex') notifyLayout(event);
    },
    onColumnVisible: notifyLayout,
    onColumnPinned: notifyLayout,
    onSortChanged: ({ api }) => read().onSortChange?.(toSort(api.getColumnState(), read().columns)),
    onSelectionChanged: ({ api }) =>
      read().onSelectionChanged?.(
        api.getSelectedNodes().flatMap((node) => (node.id === undefined ? [] : [node.id])),
      ),
    onBodyScrollEnd: ({ api, direction }) => {
      const rows = direction === 'vertical' ? rowsOnScreen(api) : null;
      if (rows !== null) read().onFirstRow?.(rows.first);
    },
    onRowDoubleClicked: ({ data, rowIndex }) => {
      if (data !== undefined) read().onRowOpened?.(data, rowIndex ?? 0);
    },
    onCellFocused: ({ api, rowIndex }: CellFocusedEvent<T>) => {
      const data = rowIndex === null ? undefined : api.getDisplayedRowAtIndex(rowIndex)?.data;
      if (data !== undefined && rowIndex !== null) read().onRowFocused?.(data, rowIndex);
    },
    onCellContextMenu: ({ data, column, event }: CellContextMenuEvent<T>) => {
      const entity =
        data &&
        read()
          .columns.find((candidate) => candidate.id === column.getColId())
          ?.entity?.(data);
      if (!entity || !(event instanceof MouseEvent)) return;
      const { openMenu, actions } = latest.current;
      openMenu(pointAnchor(event.clientX, event.clientY), entity, actions);
    },
  };
}
