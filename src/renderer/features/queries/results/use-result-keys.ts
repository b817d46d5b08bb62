import { type RefObject, useContext } from 'react';
import { type Hotkey, useHotkeys } from '#renderer/state/hotkeys.ts';
import { isInGrid, moveKeys, searchKey } from '#renderer/state/list-keys.ts';
import { EntityActionsContext } from '#renderer/ui/entity-value.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import type { Peeked } from './peek-panel.tsx';
import type { ResultRow } from './result-columns.tsx';

const GROUP = 'Results';

/** Triage by keyboard (design.md, Keys). */
export function useResultKeys(options: {
  grid: RefObject<GridHandle<ResultRow> | null>;
  columns: readonly GridColumn<ResultRow>[];
  searchBox: RefObject<HTMLInputElement | null>;
  peeked: Peeked | null;
  peek: (row: ResultRow, index: number) => void;
  open: (row: ResultRow, at: number | null) => void;
  onClosePeek: () => void;
  onCopyIocs: (defanged: boolean) => boolean;
  onToggleFacets: () => void;
  /** false: another view with its own keys replaces the rows. */
  rowsShown: boolean;
}): void {
  const { grid, columns, searchBox, peeked, peek, open, onClosePeek, onCopyIocs, onToggleFacets } = options;
  const actions = useContext(EntityActionsContext);
  const focusedRow = () => grid.current?.focusedRow();
  const togglePeek = () => {
    if (grid.current?.focusedIndex() === null) grid.current.focusRow(0);
    const row = focusedRow();
    if (!row) return false;
    if (peeked?.id === row.id) onClosePeek();
    else peek(row, grid.current?.focusedIndex() ?? 0);
    return true;
  };
  /** Acts on the focused value; false if there is none. */
  const withValue = (act: typeof actions.filterFor) => {
    const row = focusedRow();
    const column = columns.find(({ id }) => id === grid.current?.focusedColumnId());
    const entity = row && column?.entity?.(row);
    if (!entity || !act) return false;
    act(entity);
    return true;
  };
  const ofRows: Hotkey[] = [
    ...moveKeys('row', grid, GROUP),
    {
      keys: ['Space'],
      text: 'Preview row',
      group: GROUP,
      run: (event) => (isInGrid(event) ? false : togglePeek()),
    },
    {
      keys: ['Enter'],
      text: 'Open row',
      group: GROUP,
      run: (event) => {
        const row = isInGrid(event) ? undefined : focusedRow();
        if (!row) return false;
        open(row, grid.current?.focusedIndex() ?? null);
        return true;
      },
    },
    { keys: ['X'], text: 'Select row', group: GROUP, run: () => grid.current?.toggleSelected() },
    { keys: ['Shift+X'], text: 'Select range', group: GROUP, run: () => grid.current?.selectRange() },
    { keys: ['C'], text: 'Copy IOCs, defanged', group: GROUP, run: () => onCopyIocs(true) },
    { keys: ['Shift+C'], text: 'Copy IOCs, raw', group: GROUP, run: () => onCopyIocs(false) },
    {
      keys: ['Alt+Shift+ArrowLeft', 'Alt+Shift+ArrowRight'],
      text: 'Move column (Ctrl Z undoes)',
      group: GROUP,
      // If a column header has the focus, the grid handles this itself.
      run: () => false,
    },
    { keys: ['M'], text: 'Actions for the value', group: GROUP, run: () => grid.current?.openMenu() },
    { keys: ['F'], text: 'Filter for value', group: GROUP, run: () => withValue(actions.filterFor) },
    {
      keys: ['Shift+F'],
      text: 'Filter out value',
      group: GROUP,
      run: () => withValue(actions.filterOut),
    },
    { keys: [']'], text: 'Show or hide preview', group: GROUP, run: togglePeek },
  ];
  useHotkeys([
    ...(options.rowsShown ? ofRows : []),
    searchKey('Search results', searchBox, GROUP),
    { keys: ['['], text: 'Show or hide facets', group: GROUP, run: onToggleFacets },
    {
      keys: ['Escape'],
      text: '',
      run: () => {
        if (!peeked) return false;
        onClosePeek();
        return true;
      },
    },
  ]);
}
