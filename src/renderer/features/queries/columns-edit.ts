/** The personal layout of a result grid: which columns show, in what order. Pure. */

import { pinnedSide } from '#renderer/ui/pinned.ts';
import type { GridLayout } from '#shared/bridge/workspace.ts';
import type { Column, FieldConfig, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { queryColumns } from './query-run.ts';

export const MAX_WIDTH = 2000;
export const MAX_LABEL = 120;

const numbered = (columns: readonly Column[]): Column[] =>
  columns.map((column, order) => ({ ...column, order }));

export const withColumn = (columns: readonly Column[], { id, label, width }: FieldConfig): Column[] =>
  numbered([...columns, { id, label, order: columns.length, ...(width == null ? {} : { width }) }]);

export const withoutColumn = (columns: readonly Column[], id: string): Column[] =>
  numbered(columns.filter((column) => column.id !== id));

export const withLabel = (columns: readonly Column[], id: string, label: string): Column[] =>
  columns.map((column) => (column.id === id ? { ...column, label } : column));

/** Moves a column to another position, clamped to the ends. */
export function withPlace(columns: readonly Column[], id: string, to: number): Column[] {
  const column = columns.find((column) => column.id === id);
  if (!column) return [...columns];
  const others = columns.filter((column) => column.id !== id);
  return numbered(others.toSpliced(Math.max(0, Math.min(others.length, to)), 0, column));
}

/** Null for the grid's own width. Invalid widths are ignored. */
export const withWidth = (columns: readonly Column[], id: string, width: number | null): Column[] =>
  columns.map((column) => {
    if (column.id !== id) return column;
    const { width: _, ...rest } = column;
    if (width === null) return rest;
    return Number.isFinite(width) && width > 0
      ? { ...rest, width: Math.min(MAX_WIDTH, Math.round(width)) }
      : column;
  });

export type LayoutColumn = GridLayout['columns'][number];

/**
 * All columns in order: the analyst's layout, then columns of the query that the layout lacks. What is visible is
 * exported, so the window's width has no influence: a narrow window scrolls.
 */
export function layoutColumns(
  layout: GridLayout | null,
  query: Pick<NewQuery, 'columns'>,
  config: QueryConfig,
): LayoutColumn[] {
  const layoutColumns = layout?.columns ?? [];
  const ids = new Set(layoutColumns.map(({ id }) => id));
  const declared = queryColumns(query, config);
  const pins = new Map(declared.map((column) => [column.id, pinOf(column)]));
  const added = declared.filter(({ id }) => !ids.has(id));
  const pinned = (id: string) => {
    const side = pins.get(id);
    return side === undefined ? {} : { pinned: side };
  };
  return [
    ...layoutColumns.map((column) => ({ ...pinned(column.id), ...column })),
    ...added.map(({ id }) => ({ id, ...pinned(id) })),
  ];
}

/** Where a query's column is pinned: an extra property that the service stores unchanged. */
export const pinOf = ({ pinned }: Column): 'left' | 'right' | undefined =>
  pinned === 'left' || pinned === 'right' ? pinned : undefined;

/** Pins a column to an edge, or null to unpin it, overriding the query. */
export const withPinned = (
  columns: readonly LayoutColumn[],
  id: string,
  side: 'left' | 'right' | null,
): LayoutColumn[] =>
  columns.map((column) => (column.id === id ? { ...column, pinned: side ?? false } : column));

/** The visible columns as they are saved with a query; other properties of a column are preserved. */
export function columnsToSave(
  columns: readonly LayoutColumn[],
  shown: readonly { id: string; label: string }[],
  before: readonly Column[],
): Column[] {
  const declared = new Map(before.map((column) => [column.id, column]));
  const columnsById = new Map(columns.map((column) => [column.id, column]));
  return shown.map(({ id, label }, order) => {
    const { pinned: _, ...rest }: Partial<Column> = declared.get(id) ?? {};
    const width = columnsById.get(id)?.width;
    const side = pinnedSide(columnsById.get(id)?.pinned);
    return {
      ...rest,
      id,
      label,
      order,
      ...(width === undefined ? {} : { width }),
      ...(side === null ? {} : { pinned: side }),
    };
  });
}

/** Restores columns that a grid lacked, inserting them after their former neighbours. */
export function withAbsent(
  arranged: readonly LayoutColumn[],
  before: readonly LayoutColumn[],
): LayoutColumn[] {
  const ids = new Set(arranged.map(({ id }) => id));
  const all = [...arranged];
  for (const [index, column] of before.entries()) {
    if (ids.has(column.id)) continue;
    const lead = before[index - 1]?.id;
    all.splice(lead === undefined ? 0 : all.findIndex(({ id }) => id === lead) + 1, 0, column);
  }
  return all;
}

export const shownIds = (columns: readonly LayoutColumn[]): string[] =>
  columns.filter(({ hidden }) => hidden !== true).map(({ id }) => id);

/** Shows or hides a column; a new one comes last. */
export function withShown(columns: readonly LayoutColumn[], id: string, shown: boolean): LayoutColumn[] {
  const index = columns.findIndex((column) => column.id === id);
  const before = columns[index];
  if (before === undefined) return shown ? [...columns, { id }] : [...columns];
  const { hidden: _, ...rest } = before;
  if (!shown) return columns.with(index, { ...rest, hidden: true });
  // A newly shown column goes after the visible ones.
  const others = columns.toSpliced(index, 1);
  const end = others.findLastIndex(({ hidden }) => hidden !== true) + 1;
  return others.toSpliced(before.hidden ? end : index, 0, rest);
}

/** Moves a visible column by one among the visible ones. */
export function withStep(columns: readonly LayoutColumn[], id: string, step: 1 | -1): LayoutColumn[] {
  const shown = shownIds(columns);
  const other = shown[shown.indexOf(id) + step];
  return shown.includes(id) && other !== undefined ? withMoved(columns, id, other, step === 1) : [...columns];
}

/** Moves a column before, or behind, another one. */
export function withMoved(
  columns: readonly LayoutColumn[],
  id: string,
  to: string,
  behind: boolean,
): LayoutColumn[] {
  const column = columns.find((column) => column.id === id);
  if (!column || id === to) return [...columns];
  const others = columns.filter((column) => column.id !== id);
  const index = others.findIndex((other) => other.id === to);
  return index < 0 ? [...columns] : others.toSpliced(behind ? index + 1 : index, 0, column);
}
