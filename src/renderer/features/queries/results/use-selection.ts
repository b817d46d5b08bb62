import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import type { Selection } from './copy-iocs.ts';
import type { ResultRow } from './result-columns.tsx';

const NONE: Selection = { mode: 'some', ids: [] };

export interface RowSelection {
  selection: Selection;
  onSelectionChanged: (ids: string[]) => void;
  select: (what: 'page' | 'all' | 'none') => void;
  /** Rows came in: with everything selected, they are as well. */
  onRowsLoaded: () => void;
}

/**
 * Which rows are selected. "All" means every row on this machine that matches, also those the grid has not drawn;
 * taking one out of it leaves the rows that are drawn, and the count says so.
 */
export function useSelection(grid: RefObject<GridHandle<ResultRow> | null>, resetKey: string): RowSelection {
  const [selection, setSelection] = useState<Selection>(NONE);
  const all = useRef(false);
  const drawn = useRef(0);

  const onSelectionChanged = useCallback((ids: string[]) => {
    const fewer = ids.length < drawn.current;
    drawn.current = ids.length;
    if (all.current && !fewer) return;
    all.current = false;
    setSelection({ mode: 'some', ids });
  }, []);

  const select = useCallback(
    (what: 'page' | 'all' | 'none') => {
      all.current = false;
      if (what === 'none') {
        drawn.current = 0;
        grid.current?.clearSelection();
        setSelection(NONE);
      } else if (what === 'page') grid.current?.selectVisible();
      else {
        all.current = true;
        drawn.current = 0;
        grid.current?.selectLoaded();
        setSelection({ mode: 'all' });
      }
    },
    [grid],
  );

  const onRowsLoaded = useCallback(() => {
    // The grid draws them after this; its nodes exist in the next frame.
    if (all.current) requestAnimationFrame(() => grid.current?.selectLoaded());
  }, [grid]);

  const first = useRef(resetKey);
  useEffect(() => {
    if (first.current === resetKey) return;
    first.current = resetKey;
    select('none');
  }, [resetKey, select]);
  return { selection, onSelectionChanged, select, onRowsLoaded };
}
