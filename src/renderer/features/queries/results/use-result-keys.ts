import { type RefObject, useContext } from 'react';
import { type Command, useCommands } from '#renderer/commands/command.tsx';
import { CLOSE, RESULTS, ROWS } from '#renderer/commands/keys.ts';
import { isInGrid, moveKeys, searchKey, selectKeys } from '#renderer/commands/list-keys.ts';
import { EntityActionsContext } from '#renderer/ui/entity-value.tsx';
import type { GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { Peeked } from './peek-panel.tsx';
import type { ResultRow } from './result-columns.tsx';

export const copyCommands = (copy: (defanged: boolean) => boolean): Command[] => [
  { ...ROWS.copy, label: 'IOCs, defanged…', run: () => copy(true) },
  { ...ROWS.copyRaw, label: 'IOCs, raw…', run: () => copy(false) },
];

/** Triage by keyboard (design.md, Keys). */
export function useResultKeys(options: {
  grid: RefObject<GridHandle<ResultRow> | null>;
  columns: readonly GridColumn<ResultRow>[];
  searchBox: RefObject<HTMLInputElement | null>;
  peeked: Peeked | null;
  peek: (row: ResultRow, index: number) => void;
  open: (row: ResultRow, index: number | null) => void;
  onClosePeek: () => void;
  onCopyIocs: (defanged: boolean) => boolean;
  onToggleFacets: () => void;
  /** False if another view with its own keys replaces the rows. */
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
  const ofRows: Command[] = [
    ...moveKeys(ROWS, grid),
    { ...ROWS.preview, run: (event) => (isInGrid(event) ? false : togglePeek()) },
    {
      ...ROWS.open,
      run: (event) => {
        const row = isInGrid(event) ? undefined : focusedRow();
        if (!row) return false;
        open(row, grid.current?.focusedIndex() ?? null);
        return true;
      },
    },
    ...selectKeys(ROWS, grid),
    ...copyCommands(onCopyIocs),
    // If a column header has the focus, the grid handles this itself.
    { ...ROWS.moveColumn, run: () => false },
    { ...ROWS.menu, run: () => grid.current?.openMenu() },
    { ...ROWS.filterFor, run: () => withValue(actions.filterFor) },
    { ...ROWS.filterOut, run: () => withValue(actions.filterOut) },
    { ...ROWS.togglePreview, run: togglePeek },
  ];
  useCommands([
    ...(options.rowsShown ? ofRows : []),
    searchKey(RESULTS, searchBox),
    { ...RESULTS.facets, run: onToggleFacets },
    {
      ...CLOSE,
      run: () => {
        if (!peeked) return false;
        onClosePeek();
        return true;
      },
    },
  ]);
}
