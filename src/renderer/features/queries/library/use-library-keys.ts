import type { RefObject } from 'react';
import { useHotkeys } from '#renderer/state/hotkeys.ts';
import { moveKeys, previewKey, searchKey } from '#renderer/state/list-keys.ts';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import type { LibraryRow } from './library-columns.tsx';

/** The keys of the library (design.md, Keys). */
export function useLibraryKeys(options: {
  grid: RefObject<GridHandle<LibraryRow> | null>;
  search: RefObject<HTMLInputElement | null>;
  /** Opens the focused query; false when there is none. */
  open: () => boolean;
  peek: (id: string) => void;
  create: () => void;
  rename: () => void;
  remove: () => void;
}): void {
  const { grid, search, open, peek, create, rename, remove } = options;
  // The grid handles Enter on its cells itself.
  const inGrid = ({ target }: KeyboardEvent) =>
    target instanceof HTMLElement && target.closest('.ag-cell') !== null;
  useHotkeys([
    ...moveKeys('query', grid),
    { keys: ['X'], text: 'Select', run: () => grid.current?.toggleSelected() },
    { keys: ['Shift+X'], text: 'Select range', run: () => grid.current?.selectRange() },
    { keys: ['Enter'], text: 'Open query', run: (event) => (inGrid(event) ? false : open()) },
    previewKey(grid, ({ query }) => peek(query.id)),
    searchKey('Search queries', search),
    { keys: ['N'], text: 'New query', run: create },
    { keys: ['F2'], text: 'Name and details', run: rename },
    { keys: ['Delete'], text: 'Delete', run: remove },
  ]);
}
