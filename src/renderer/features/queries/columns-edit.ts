/** Changes of the columns that are saved with a query. Every function answers new columns, numbered from 0. Pure. */
import type { Column, FieldConfig } from '#shared/model/entities.ts';

export const MAX_WIDTH = 2000;

const numbered = (columns: readonly Column[]): Column[] =>
  columns.map((column, order) => ({ ...column, order }));

export const withColumn = (columns: readonly Column[], { id, label, width }: FieldConfig): Column[] =>
  numbered([...columns, { id, label, order: columns.length, ...(width == null ? {} : { width }) }]);

export const withoutColumn = (columns: readonly Column[], id: string): Column[] =>
  numbered(columns.filter((column) => column.id !== id));

/** Moves a column to another place; beyond the ends it stays at the end. */
export function withPlace(columns: readonly Column[], id: string, to: number): Column[] {
  const column = columns.find((one) => one.id === id);
  if (!column) return [...columns];
  const others = columns.filter((one) => one.id !== id);
  return numbered(others.toSpliced(Math.max(0, Math.min(others.length, to)), 0, column));
}

/** null: the grid's own width. What cannot be a width changes nothing. */
export const withWidth = (columns: readonly Column[], id: string, width: number | null): Column[] =>
  columns.map((column) => {
    if (column.id !== id) return column;
    const { width: _, ...rest } = column;
    if (width === null) return rest;
    return Number.isFinite(width) && width > 0
      ? { ...rest, width: Math.min(MAX_WIDTH, Math.round(width)) }
      : column;
  });
