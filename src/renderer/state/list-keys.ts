/** Keys that lists with a search box have in common. */
import type { RefObject } from 'react';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import type { Hotkey } from './hotkeys.ts';

type Grid<T> = RefObject<GridHandle<T> | null>;

/** Whether a key was pressed on a cell or header of a grid, which handles Enter and Space itself. */
export const isInGrid = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.closest('.ag-cell, .ag-header') !== null;

export const moveKeys = <T>(noun: string, grid: Grid<T>, group?: string): Hotkey[] => [
  { keys: ['J'], text: `Next ${noun}`, group, run: () => grid.current?.move(1) },
  { keys: ['K'], text: `Previous ${noun}`, group, run: () => grid.current?.move(-1) },
];

export const searchKey = (text: string, box: RefObject<HTMLInputElement | null>, group?: string): Hotkey => ({
  keys: ['/'],
  text,
  group,
  run: () => {
    box.current?.focus();
    box.current?.select();
  },
});

/** Without a focused row, Space goes to the first one. */
export const previewKey = <T>(grid: Grid<T>, preview: (row: T) => void): Hotkey => ({
  keys: ['Space'],
  text: 'Preview',
  run: () => {
    const row = grid.current?.focusedRow();
    if (!row) return grid.current?.move(0) ?? false;
    preview(row);
    return true;
  },
});
