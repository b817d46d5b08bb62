/** A selection that its page holds by id; the grid only draws it and reports ticks. */
import type { GridApi, IRowNode } from 'ag-grid-community';
import { createContext } from 'react';

export interface GridSelection {
  isSelected: (id: string) => boolean;
  isEmpty: boolean;
  /** The box over the rows: what it shows, says and does. */
  box: 'none' | 'some' | 'all';
  boxLabel: string;
  onBox: () => void;
  /** Ctrl A: every row that the box stands for. */
  onAll: () => void;
  /** Rows are ticked or unticked, by mouse or keys: the page is told, and the grid draws what the page then holds. */
  onChange: (ids: readonly string[], on: boolean) => void;
  /** Rows first to last, of which the grid does not hold all. */
  onBetween: (first: number, last: number) => void;
}

export const GridSelectionContext = createContext<GridSelection | null>(null);

/** Why rows are ticked here, in the library's words. */
const DRAWN = 'rowDataChanged';

/** Ticks the rows that the grid holds as the page says. */
export function drawSelection<T>(api: GridApi<T>, selection: GridSelection): void {
  if (api.isDestroyed()) return;
  if (selection.isEmpty && api.getSelectedNodes().length === 0) return;
  const on: IRowNode<T>[] = [];
  const off: IRowNode<T>[] = [];
  api.forEachNode((node) => {
    if (node.data === undefined || node.id === undefined) return;
    const wanted = selection.isSelected(node.id);
    if (wanted !== Boolean(node.isSelected())) (wanted ? on : off).push(node);
  });
  // Rows that the grid has dropped would come back with the selection they had.
  if (selection.isEmpty) api.deselectAll('all', DRAWN);
  else if (off.length > 0) api.setNodesSelected({ nodes: off, newValue: false, source: DRAWN });
  if (on.length > 0) api.setNodesSelected({ nodes: on, newValue: true, source: DRAWN });
}
