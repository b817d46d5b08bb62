import type { RefObject } from 'react';
import { copyText } from '#renderer/state/entity-actions.ts';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import type { EntryRow } from './entry.ts';

const GROUP = 'Exceptions';

/** The keys of the exceptions (design.md, Keys). */
export function useExceptionsKeys(options: {
  grid: RefObject<GridHandle<EntryRow> | null>;
  searchBox: RefObject<HTMLInputElement | null>;
  show: (row: EntryRow) => void;
  create: () => void;
  paste: () => void;
  /** false: nothing was open. */
  close: () => boolean;
}): void {
  const { grid, searchBox, show, create, paste, close } = options;
  // The grid itself tells of Enter and Space on its cells.
  const inGrid = ({ target }: KeyboardEvent) =>
    target instanceof HTMLElement && target.closest('.ag-cell, .ag-header') !== null;
  const withRow = (act: (row: EntryRow) => void) => {
    const row = grid.current?.focusedRow();
    if (row) act(row);
    return row !== undefined;
  };
  useHotkeys([
    { keys: ['J'], text: 'Next entry', group: GROUP, run: () => grid.current?.move(1) },
    { keys: ['K'], text: 'Entry before', group: GROUP, run: () => grid.current?.move(-1) },
    { keys: ['X'], text: 'Select the entry', group: GROUP, run: () => grid.current?.toggleSelected() },
    {
      keys: ['Shift+X'],
      text: 'Select up to the entry',
      group: GROUP,
      run: () => grid.current?.selectRange(),
    },
    {
      keys: ['Enter', 'Space'],
      text: 'Details of the entry',
      group: GROUP,
      run: (event) => (inGrid(event) ? false : withRow(show)),
    },
    {
      keys: ['C'],
      text: 'Copy the value',
      group: GROUP,
      run: () => withRow(({ entry }) => void copyText(entry.string, 'Value copied')),
    },
    { keys: ['N'], text: 'New exception', group: GROUP, run: create },
    { keys: ['P'], text: 'Paste a column of values', group: GROUP, run: paste },
    {
      keys: ['/'],
      text: 'Search values and comments',
      group: GROUP,
      run: () => {
        searchBox.current?.focus();
        searchBox.current?.select();
      },
    },
    { keys: ['Escape'], text: '', run: close },
  ]);
}
