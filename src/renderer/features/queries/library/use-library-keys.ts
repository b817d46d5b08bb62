import type { RefObject } from 'react';
import { press, useCommands } from '#renderer/commands/command.tsx';
import { LIBRARY } from '#renderer/commands/keys.ts';
import { isInGrid, moveKeys, previewKey, searchKey, selectKeys } from '#renderer/commands/list-keys.ts';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { Query } from '#shared/model/entities.ts';
import type { LibraryRow } from './library-columns.tsx';
import { useLibraryCommands } from './library-commands.ts';
import type { LibraryDialog } from './library-dialogs.tsx';

/** The keys of the library (design.md, Keys). */
export function useLibraryKeys(options: {
  grid: RefObject<GridHandle<LibraryRow> | null>;
  search: RefObject<HTMLInputElement | null>;
  peeked: LibraryRow | null;
  queries: readonly Query[];
  peek: (id: string) => void;
  onDialog: (dialog: LibraryDialog) => void;
}): void {
  const { grid, search, peeked, queries, peek, onDialog } = options;
  const commands = useLibraryCommands(onDialog);
  // The grid reports the focused row and the selection a moment later: the next key must not act on those before.
  const rowAt = (event?: KeyboardEvent) => (isInGrid(event) ? grid.current?.focusedRow() : null) ?? peeked;
  const open = () => {
    const row = grid.current?.focusedRow() ?? peeked;
    if (row) press(commands.open(row.query));
    return row !== null;
  };
  const rename = (event?: KeyboardEvent) => {
    const row = rowAt(event);
    if (row) press(commands.details(row.query));
  };
  const remove = (event?: KeyboardEvent) => {
    const selected = new Set(grid.current?.selectedIds());
    const row = rowAt(event);
    const chosen = queries.filter(({ id }) => selected.has(id));
    const removed = chosen.length > 0 ? chosen : row ? [row.query] : [];
    if (removed.length > 0) press(commands.remove(removed));
  };
  useCommands([
    ...moveKeys(LIBRARY, grid),
    ...selectKeys(LIBRARY, grid),
    { ...LIBRARY.open, run: (event) => (isInGrid(event) ? false : open()) },
    previewKey(LIBRARY, grid, ({ query }) => peek(query.id)),
    searchKey(LIBRARY, search),
    commands.create,
    { ...LIBRARY.details, run: rename },
    { ...LIBRARY.remove, run: remove },
  ]);
}
