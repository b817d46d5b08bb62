/** Keys that lists with a search box have in common. */
import type { RefObject } from 'react';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { Command } from './command.tsx';
import type { KeySpec } from './keys.ts';

type Grid<T> = RefObject<GridHandle<T> | null>;

/** Whether a key was pressed on a cell or header of a grid, which handles Enter and Space itself. */
export const isInGrid = (event?: KeyboardEvent): boolean =>
  event?.target instanceof HTMLElement && event.target.closest('.ag-cell, .ag-header') !== null;

export const moveKeys = <T>(
  { next, previous }: Record<'next' | 'previous', KeySpec>,
  grid: Grid<T>,
): Command[] => [
  { ...next, run: () => grid.current?.move(1) },
  { ...previous, run: () => grid.current?.move(-1) },
];

export const selectKeys = <T>(
  { select, selectRange }: Record<'select' | 'selectRange', KeySpec>,
  grid: Grid<T>,
): Command[] => [
  { ...select, run: () => grid.current?.toggleSelected() },
  { ...selectRange, run: () => grid.current?.selectRange() },
];

export const searchKey = (
  { search }: Record<'search', KeySpec>,
  box: RefObject<HTMLInputElement | null>,
): Command => ({
  ...search,
  run: () => {
    box.current?.focus();
    box.current?.select();
  },
});

/** Without a focused row, Space goes to the first one. */
export const previewKey = <T>(
  { preview }: Record<'preview', KeySpec>,
  grid: Grid<T>,
  show: (row: T) => void,
): Command => ({
  ...preview,
  run: () => {
    const row = grid.current?.focusedRow();
    if (!row) return grid.current?.move(0) ?? false;
    show(row);
    return true;
  },
});
