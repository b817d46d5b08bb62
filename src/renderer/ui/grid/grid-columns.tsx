import type { ColDef, ColumnState } from 'ag-grid-community';
import type { CustomCellRendererProps } from 'ag-grid-react';
import type { JSX, ReactNode } from 'react';
import type { Sort } from '#shared/model/entities.ts';
import { verdictRank } from '#shared/model/verdict.ts';
import type { EntityRef } from '../entity-value.tsx';
import { type Pinned, pinnedSide } from '../pinned.ts';
import { directionOf } from '../text-direction.ts';
import {
  Cell,
  type CellContext,
  type CellType,
  cellText,
  cellTone,
  cellTooltip,
  isMono,
  isNumeric,
  isRendered,
  isUnknown,
  isVerdict,
} from './cells.tsx';
import { RowCheck } from './grid-check.ts';
import { SelectLoaded } from './select-loaded.tsx';

export interface GridColumn<T> {
  id: string;
  label: string;
  /** How values are shown; `text` by default. */
  type?: CellType;
  value: (row: T) => unknown;
  /** The dbId to sort by; a column without one does not sort. */
  sortId?: string;
  width?: number;
  minWidth?: number;
  /** Share of the remaining width. */
  flex?: number;
  hidden?: boolean;
  pinned?: Pinned;
  /** Custom renderer. Must be cheap, as it runs while scrolling. */
  render?: (row: T, value: unknown) => ReactNode;
  /** Replaces the tooltip of the type, or null if there is none. */
  tooltip?: (row: T) => string | null;
  /** Why a value cannot be true: highlights the cell and ends its tooltip. Null if it can be. */
  doubt?: (value: unknown) => string | null;
  headerTooltip?: string;
  /** A value with a menu, opened by right-click or the menu key on the cell. */
  entity?: (row: T) => EntityRef | null;
  /** Whether the column does not apply to the row: shows a dash instead of "Unknown". */
  notApplicable?: (row: T) => boolean;
}

/** A width in pixels, or a share of what remains and the least width. */
type Width = number | readonly [flex: number, minWidth?: number];
interface More<T> extends Omit<GridColumn<T>, 'id' | 'label' | 'type' | 'value' | 'width' | 'flex'> {
  /** For values that are an entity as they are: its kind, and the query field with such values. */
  menu?: readonly [kind: EntityRef['kind'], field?: string];
}

function widthOf(width: Width): Pick<GridColumn<never>, 'width' | 'flex' | 'minWidth'> {
  if (typeof width === 'number') return { width };
  const [flex, minWidth] = width;
  return { flex, ...(minWidth === undefined ? {} : { minWidth }) };
}

const entityOf = (value: unknown, kind: EntityRef['kind'], field?: string): EntityRef | null =>
  value ? { kind, value: String(value), ...(field === undefined ? {} : { field }) } : null;

/** Makes columns over rows of type T, one line each; those of `sorted` sort by their own id. */
export function columnsFor<T>() {
  const column = (
    id: string,
    label: string,
    type: CellType,
    width: Width,
    value: (row: T) => unknown,
    { menu, ...more }: More<T> = {},
  ): GridColumn<T> => ({
    id,
    label,
    type,
    value,
    ...widthOf(width),
    ...(menu === undefined ? {} : { entity: (row: T) => entityOf(value(row), ...menu) }),
    ...more,
  });
  const sorted = (...[id, label, type, width, value, more]: Parameters<typeof column>): GridColumn<T> =>
    column(id, label, type, width, value, { sortId: id, ...more });
  return { column, sorted };
}

/** A column in which a missing value does not apply to the row: a dash, not "Unknown". */
export const optional = <T,>(column: GridColumn<T>): GridColumn<T> => ({
  ...column,
  notApplicable: (row) => isUnknown(column.value(row)),
});

/** A user's layout of a grid: order, width, hidden and pinned by column id (the workspace keeps it). */
export interface ColumnLayout {
  id: string;
  width?: number;
  hidden?: boolean;
  pinned?: Pinned;
}

/** Wide enough for every verdict word. */
const VERDICT_WIDTH = 128;

const WIDTHS: Partial<Record<CellType, number>> = {
  time: 132,
  verdict: 150,
  stack: 132,
  address: 200,
  recipient: 130,
  severity: 104,
  status: 104,
  count: 88,
  number: 88,
  bytes: 84,
  boolean: 72,
  hash: 176,
};

function elementRenderer<T>(column: GridColumn<T>, type: CellType, context: () => CellContext) {
  return function GridCell({ data, value }: CustomCellRendererProps<T>): JSX.Element | null {
    if (data === undefined || data === null) return null;
    if (column.notApplicable?.(data)) return <span className="pp-na">–</span>;
    if (column.render) return <>{column.render(data, value)}</>;
    return <Cell value={value} type={type} context={context()} />;
  };
}

/**
 * Space peeks and Enter opens (design.md, Keys), whereas the library would select and edit, and the browser scroll. Alt
 * with an arrow is a hotkey of the screen, which the library would handle as a plain arrow.
 */
function keepsKey({ event }: { event: KeyboardEvent }): boolean {
  if (event.key === ' ') event.preventDefault();
  return event.key === ' ' || event.key === 'Enter' || event.altKey;
}

const isFromRight = (value: unknown, type: CellType): boolean =>
  type === 'text' && typeof value === 'string' && directionOf(value) === 'rtl';

const severityOf = (value: unknown): number =>
  isUnknown(value)
    ? Number.POSITIVE_INFINITY
    : verdictRank(isVerdict(value) ? value.verdict : String(value).toLowerCase());

/** Most severe first; rows without a verdict come last. */
function compareVerdicts(a: unknown, b: unknown): number {
  const [first, second] = [severityOf(a), severityOf(b)];
  return first === second ? 0 : first - second;
}

/** The grid library's definition of one of our columns. `context` is read when a cell is drawn. */
export function toColDef<T>(
  column: GridColumn<T>,
  context: () => CellContext,
  sort: readonly Sort[],
): ColDef<T> {
  const type = column.type ?? 'text';
  const numeric = isNumeric(type);
  const sorted = sort.findIndex((entry) => entry.dbId === column.sortId);
  const styles = [
    numeric ? 'pp-cell-num' : '',
    isMono(type) ? 'pp-cell-mono' : '',
    type === 'name' ? 'pp-cell-name' : '',
  ]
    .filter(Boolean)
    .join(' ');
  const definition: ColDef<T> = {
    colId: column.id,
    headerName: column.label,
    headerTooltip: column.headerTooltip ?? column.label,
    headerClass: numeric ? 'ag-right-aligned-header' : undefined,
    valueGetter: ({ data }) => (data === undefined || data === null ? undefined : column.value(data)),
    sortable: column.sortId !== undefined,
    initialWidth: column.width ?? (column.flex ? undefined : (WIDTHS[type] ?? 160)),
    minWidth: column.minWidth ?? (type === 'verdict' ? VERDICT_WIDTH : 56),
    initialFlex: column.flex,
    initialHide: column.hidden ?? false,
    initialPinned: pinnedSide(column.pinned) ?? undefined,
    ...(type === 'verdict' ? { comparator: compareVerdicts } : {}),
    initialSort: sorted < 0 ? undefined : sort[sorted]?.direction,
    initialSortIndex: sorted < 0 ? undefined : sorted,
    cellClass: ({ value, data }) =>
      data === undefined || column.notApplicable?.(data)
        ? styles
        : [
            styles,
            cellTone(value, type) ?? (column.doubt?.(value) ? 'pp-caution' : null),
            isFromRight(value, type) ? 'pp-from-right' : '',
          ]
            .filter(Boolean)
            .join(' '),
    tooltipValueGetter: ({ value, data }) => {
      if (data === undefined || data === null) return null;
      if (column.notApplicable?.(data)) return 'Not applicable';
      const whole = column.tooltip ? column.tooltip(data) : cellTooltip(value, type, context());
      return [whole, column.doubt?.(value)].filter(Boolean).join('\n') || null;
    },
    suppressKeyboardEvent: keepsKey,
    suppressHeaderKeyboardEvent: ({ event }) => event.altKey,
  };
  if (column.render || isRendered(type)) {
    const component = elementRenderer(column, type, context);
    // Cells of rows that are not loaded yet are left empty, as their elements would only be replaced.
    definition.cellRendererSelector = ({ data }) =>
      data === undefined || data === null ? undefined : { component };
  } else {
    definition.valueFormatter = ({ value, data }) => {
      if (data === undefined || data === null) return '';
      return column.notApplicable?.(data) ? '–' : cellText(value, type, context());
    };
  }
  return definition;
}

/** Columns in the user's order and widths; columns missing in the layout come last. */
export function arrange<T>(
  columns: readonly GridColumn<T>[],
  layout: readonly ColumnLayout[] | undefined,
): GridColumn<T>[] {
  if (!layout?.length) return [...columns];
  const positions = new Map(layout.map((entry, index) => [entry.id, index]));
  return [...columns]
    .sort((a, b) => (positions.get(a.id) ?? layout.length) - (positions.get(b.id) ?? layout.length))
    .map((column) => {
      const chosen = layout[positions.get(column.id) ?? -1];
      if (!chosen) return column;
      const sized = chosen.width === undefined ? {} : { width: chosen.width, flex: undefined };
      return {
        ...column,
        ...sized,
        hidden: chosen.hidden ?? column.hidden,
        pinned: chosen.pinned ?? column.pinned,
      };
    });
}

/**
 * The library's state as a layout, without the checkbox column. A flexible column has no width; `pinned: false` is recorded
 * only for a column that its definition pins.
 */
export function toLayout<T>(
  state: readonly ColumnState[],
  columns: readonly GridColumn<T>[],
): ColumnLayout[] {
  const sides = new Map(columns.map((column) => [column.id, pinnedSide(column.pinned)]));
  return state
    .filter((entry) => sides.has(entry.colId))
    .map((entry) => ({
      id: entry.colId,
      ...(entry.flex || !entry.width ? {} : { width: Math.round(entry.width) }),
      ...(entry.hide ? { hidden: true } : {}),
      ...(entry.pinned ? { pinned: entry.pinned === 'right' ? ('right' as const) : ('left' as const) } : {}),
      ...(!entry.pinned && sides.get(entry.colId) ? { pinned: false } : {}),
    }));
}

/** The sort the library shows, in the order of its indices, as dbIds. */
export function toSort<T>(state: readonly ColumnState[], columns: readonly GridColumn<T>[]): Sort[] {
  const dbIds = new Map(columns.map((column) => [column.id, column.sortId]));
  return state
    .filter((entry) => entry.sort)
    .sort((a, b) => (a.sortIndex ?? 0) - (b.sortIndex ?? 0))
    .flatMap((entry) => {
      const dbId = dbIds.get(entry.colId);
      return dbId === undefined
        ? []
        : [{ dbId, direction: entry.sort === 'desc' ? ('desc' as const) : ('asc' as const) }];
    });
}

export const SELECT_COLUMN = 'pp-select';

/** The pinned 34 px checkbox column. */
export const selectColumn: ColDef = {
  colId: SELECT_COLUMN,
  width: 34,
  minWidth: 34,
  maxWidth: 34,
  pinned: 'left',
  lockPosition: 'left',
  resizable: false,
  sortable: false,
  suppressMovable: true,
  cellClass: 'pp-cell-check',
  headerComponent: SelectLoaded,
  cellRendererSelector: ({ data }) => (data === undefined ? undefined : { component: RowCheck }),
  suppressKeyboardEvent: keepsKey,
};
