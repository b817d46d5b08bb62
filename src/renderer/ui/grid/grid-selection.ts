/** A selection held by the page by id; the grid only renders it and reports changes. */
import type { GridApi, IRowNode } from 'ag-grid-community';
import { createContext } from 'react';

export interface GridSelection {
  isSelected: (id: string) => boolean;
  isEmpty: boolean;
  /** The header checkbox: state, label and action. */
  box: 'none' | 'some' | 'all';
  boxLabel: string;
  onBox: () => void;
  /** Ctrl A: selects all rows that the header checkbox covers. */
  onAll: () => void;
  /** Rows were checked or unchecked; the page updates its selection, and the grid renders that. */
  onChange: (ids: readonly string[], on: boolean) => void;
  /** A range of rows, not all of which the grid has loaded. */
  onBetween: (first: number, last: number) => void;
}

export const GridSelectionContext = createContext<GridSelection | null>(null);

/** The library's source for programmatic selection. */
const DRAWN = 'rowDataChanged';

/** Applies the page's selection to the grid's loaded rows. */
export function drawSelection<T>(api: GridApi<T>, selection: GridSelection): void {
  if (api.isDestroyed()) return;
  if (selection.isEmpty && api.getSelectedNodes().length === 0) return;
  const on: IRowNode<T>[] = [];
  const off: IRowNode<T>[] = [];
  api.forEachNode((node) => {
    if (node.data === undefined || node.id === undefined) return;
    const isSelected = selection.isSelected(node.id);
    if (isSelected !== Boolean(node.isSelected())) (isSelected ? on : off).push(node);
  });
  // Rows evicted from the grid's cache would return with their old selection.
  if (selection.isEmpty) api.deselectAll('all', DRAWN);
  else if (off.length > 0) api.setNodesSelected({ nodes: off, newValue: false, source: DRAWN });
  if (on.length > 0) api.setNodesSelected({ nodes: on, newValue: true, source: DRAWN });
}
