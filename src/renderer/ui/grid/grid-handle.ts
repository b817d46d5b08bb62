import type { ColumnState, GridApi } from 'ag-grid-community';
import type { Sort } from '#shared/model/entities.ts';
import type { EntityRef, MenuAnchor } from '../entity-value.tsx';
import { isFocusMoving } from '../focus.ts';
import { pinnedSide } from '../pinned.ts';
import type { GridTicks } from './grid-check.ts';
import { type ColumnLayout, type GridColumn, SELECT_COLUMN, toLayout } from './grid-columns.tsx';
import type { GridSelection } from './grid-selection.ts';

/** Grid operations for the page's keys and buttons. Rows are counted from 0 in display order. */
export interface GridHandle<T> extends GridTicks {
  /** Moves the focused row by `delta` (J and K) and scrolls to it; false when there is no row there. */
  move: (delta: number) => boolean;
  focusRow: (index: number) => void;
  focusedIndex: () => number | null;
  /** The focused row, undefined while it is loading. */
  focusedRow: () => T | undefined;
  /** A loaded row with its index, or null if it is not loaded. */
  find: (id: string) => { row: T; index: number } | null;
  /** Id of the column that has the focus, for actions on a cell. */
  focusedColumnId: () => string | null;
  /** X: selects or deselects the focused row. */
  toggleSelected: () => void;
  /** Shift X: selects from the last toggled row to the focused one. */
  selectRange: () => void;
  idsOnScreen: () => string[];
  selectedIds: () => string[];
  /** Reloads the visible blocks without blanking them. */
  refresh: () => void;
  applyLayout: (layout: readonly ColumnLayout[], sort?: readonly Sort[]) => void;
  /** Applies a layout that is saved already: the grid does not report it as a change. */
  followLayout: (layout: readonly ColumnLayout[]) => void;
  scrollTo: (index: number) => void;
  openMenu: () => boolean;
}

export const firstColumn = <T>(api: GridApi<T>) =>
  api.getAllDisplayedColumns().find((column) => column.getColId() !== SELECT_COLUMN);

/** Indexes of rows whose middle is on screen; the library's own function includes rows rendered ahead. */
export function rowsOnScreen<T>(api: GridApi<T>): { first: number; last: number } | null {
  const root = document.querySelector(`[grid-id="${CSS.escape(api.getGridId())}"]`);
  const view = root?.querySelector('.ag-grid-viewport')?.getBoundingClientRect();
  if (!root || !view) return null;
  let first = Number.POSITIVE_INFINITY;
  let last = -1;
  for (const row of root.querySelectorAll('.ag-row[row-index]')) {
    const box = row.getBoundingClientRect();
    const middle = box.top + box.height / 2;
    const index = Number(row.getAttribute('row-index'));
    if (middle < view.top || middle > view.bottom || !Number.isInteger(index)) continue;
    first = Math.min(first, index);
    last = Math.max(last, index);
  }
  return last < 0 ? null : { first, last };
}

class RowFocus<T> {
  readonly #api: GridApi<T>;
  /** The row that would have been focused once rendered, if another control had not taken the focus. */
  #rowIndex: number | null = null;
  #stopWaiting = () => {};

  constructor(api: GridApi<T>) {
    this.#api = api;
  }

  index(): number | null {
    return this.#api.getFocusedCell()?.rowIndex ?? this.#rowIndex;
  }

  /** Scrolls to the row, too. */
  move(index: number): void {
    const column = this.#api.getFocusedCell()?.column ?? firstColumn(this.#api);
    if (!column) return;
    this.#stopWaiting();
    this.#rowIndex = null;
    this.#api.ensureIndexVisible(index);
    this.#api.setFocusedCell(index, column);
    const row = document.activeElement?.closest('.ag-row');
    if (row?.getAttribute('row-index') !== String(index)) this.#untilDrawn(index);
  }

  /**
   * The library focuses a cell once it is rendered, even if the user has moved to another control meanwhile, whose Enter
   * would then open the row; this prevents that.
   */
  #untilDrawn(index: number): void {
    const stop = new AbortController();
    this.#stopWaiting = () => stop.abort();
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || isFocusMoving()) return;
      const isOwn = target.closest(`[grid-id="${CSS.escape(this.#api.getGridId())}"]`) !== null;
      const isCell = isOwn && target.closest('.ag-cell') !== null;
      // Other parts of the grid have the focus while it is redrawn.
      if (isOwn && !isCell && !target.matches('input, textarea, select')) return;
      if (!isCell && !this.#api.isDestroyed()) {
        this.#rowIndex = index;
        this.#api.clearFocusedCell();
      }
      this.#stopWaiting();
    };
    document.addEventListener('focusin', onFocus, { signal: stop.signal });
  }
}

/** A layout for the library. Without `sort`, the order of the rows stays. */
function columnStates<T>(
  columns: readonly GridColumn<T>[],
  layout: readonly ColumnLayout[],
  sort: readonly Sort[] | undefined,
): ColumnState[] {
  const byDbId = new Map((sort ?? []).map((entry, index) => [entry.dbId, { entry, index }]));
  const columnsById = new Map(columns.map((column) => [column.id, column]));
  /** Columns whose width the user has not set go back to their own width. */
  const sized = ({ id, width }: ColumnLayout): Pick<ColumnState, 'width' | 'flex'> => {
    if (width !== undefined) return { width, flex: null };
    const column = columnsById.get(id);
    if (column?.flex !== undefined) return { flex: column.flex };
    return column?.width === undefined ? {} : { width: column.width, flex: null };
  };
  return layout.map((entry) => {
    const sorted = byDbId.get(columnsById.get(entry.id)?.sortId ?? '');
    return {
      colId: entry.id,
      hide: entry.hidden ?? false,
      pinned: pinnedSide(entry.pinned),
      ...sized(entry),
      ...(sort ? { sort: sorted?.entry.direction ?? null, sortIndex: sorted?.index ?? null } : {}),
    };
  });
}

/** Builds the handle over the library's api; `columns` and `selection` are read when needed. */
export function createHandle<T>(
  api: GridApi<T>,
  columns: () => readonly GridColumn<T>[],
  selection: () => GridSelection | null | undefined,
  openMenu: (anchor: MenuAnchor, entity: EntityRef) => void,
  /** Called with a layout before the grid reports it. */
  onFollowed: (layout: ColumnLayout[]) => void,
): GridHandle<T> {
  const applyLayout = (layout: readonly ColumnLayout[], sort?: readonly Sort[]) =>
    void api.applyColumnState({ state: columnStates(columns(), layout, sort), applyOrder: true });
  let anchor: number | null = null;
  const focus = new RowFocus(api);
  const node = (index: number | null) => (index === null ? undefined : api.getDisplayedRowAtIndex(index));
  const toggle = (index: number) => {
    anchor = index;
    const row = node(index);
    if (!row?.data || row.id === undefined) return;
    const chosen = selection();
    // Reported synchronously: the library reports checks with a delay, and a render in between would revert them.
    if (chosen) chosen.onChange([row.id], !chosen.isSelected(row.id));
    else row.setSelected(!row.isSelected());
  };
  const selectTo = (to: number) => {
    const from = anchor ?? to;
    const first = Math.min(from, to);
    const rows = Array.from({ length: Math.max(from, to) - first + 1 }, (_, index) => node(first + index));
    const nodes = rows.flatMap((row) => (row?.data === undefined ? [] : [row]));
    const chosen = selection();
    if (chosen && nodes.length < rows.length) chosen.onBetween(first, first + rows.length - 1);
    else if (chosen)
      chosen.onChange(
        nodes.flatMap(({ id }) => id ?? []),
        true,
      );
    else api.setNodesSelected({ nodes, newValue: true });
  };
  return {
    focusedIndex: () => focus.index(),
    focusRow: (index) => focus.move(index),
    move(delta) {
      const index = focus.index();
      const to = index === null ? 0 : index + delta;
      if (to < 0 || to >= api.getDisplayedRowCount()) return false;
      focus.move(to);
      return true;
    },
    focusedRow: () => node(focus.index())?.data,
    find(id) {
      const node = api.getRowNode(id);
      return node?.data === undefined || node.rowIndex === null
        ? null
        : { row: node.data, index: node.rowIndex };
    },
    focusedColumnId: () => api.getFocusedCell()?.column.getColId() ?? null,
    toggleSelected() {
      const index = focus.index();
      if (index !== null) toggle(index);
    },
    selectRange() {
      const index = focus.index();
      if (index !== null) selectTo(index);
    },
    tick: (index, through) => (through ? selectTo : toggle)(index),
    idsOnScreen() {
      const { first, last } = rowsOnScreen(api) ?? { first: 0, last: -1 };
      return Array.from({ length: last - first + 1 }, (_, index) => node(first + index)).flatMap((row) =>
        row?.data && row.id !== undefined ? [row.id] : [],
      );
    },
    selectedIds: () => api.getSelectedNodes().flatMap((row) => (row.id === undefined ? [] : [row.id])),
    refresh() {
      if (api.getGridOption('rowModelType') === 'infinite') api.refreshInfiniteCache();
      else api.refreshCells({ force: true });
    },
    applyLayout,
    followLayout(layout) {
      applyLayout(layout);
      onFollowed(toLayout(api.getColumnState(), columns()));
    },
    scrollTo: (index) => api.ensureIndexVisible(index, 'middle'),
    openMenu() {
      const cell = document.querySelector(`[grid-id="${CSS.escape(api.getGridId())}"] .ag-cell-focus`);
      const row = node(focus.index())?.data;
      const id = api.getFocusedCell()?.column.getColId();
      const entity =
        row &&
        columns()
          .find((column) => column.id === id)
          ?.entity?.(row);
      if (cell && entity) openMenu(cell.getBoundingClientRect(), entity);
      return cell !== null && Boolean(entity);
    },
  };
}
