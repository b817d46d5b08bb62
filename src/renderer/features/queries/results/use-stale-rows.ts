import { useCallback, useRef, useState } from 'react';
import type { PageOfRows } from '#renderer/ui/grid/data-grid.tsx';
import type { ResultRow } from './result-columns.tsx';

/** Cached blocks of the previous sort order, on screen and around it. */
const BLOCKS_KEPT = 6;

/** Rows by row index in the previous sort order. */
interface Before {
  /** Result, filter and order. */
  of: string;
  columns: string;
  blocks: Map<number, PageOfRows<ResultRow>>;
}

/** Shows rows of the previous sort order until the first of the new one arrive, so that the grid does not flicker. */
export function useStaleRows(columns: string) {
  const before = useRef<Before>({ of: '', columns, blocks: new Map() });
  const waiting = useRef<string | null>(null);
  const [waits, setWaits] = useState(false);
  const [arrived, setArrived] = useState(0);
  /** The rows to show meanwhile, or null if none match. */
  const stale = useCallback(
    (of: string, start: number, fresh: Promise<unknown>): PageOfRows<ResultRow> | null => {
      const { current } = before;
      if (current.of === of || current.columns !== columns || current.blocks.size === 0) return null;
      const rows = current.blocks.get(start);
      if (rows === undefined) return null;
      if (waiting.current !== of) {
        waiting.current = of;
        setWaits(true);
        const over = () => {
          if (waiting.current !== of) return;
          waiting.current = null;
          before.current = { of, columns, blocks: new Map() };
          setWaits(false);
          setArrived((count) => count + 1);
        };
        fresh.then(over, over);
      }
      return rows;
    },
    [columns],
  );
  const keep = useCallback(
    (of: string, start: number, page: PageOfRows<ResultRow>) => {
      if (waiting.current !== null && waiting.current !== of) return;
      if (before.current.of !== of || before.current.columns !== columns)
        before.current = { of, columns, blocks: new Map() };
      const { blocks } = before.current;
      blocks.delete(start);
      blocks.set(start, page);
      for (const [oldest] of blocks) {
        if (blocks.size <= BLOCKS_KEPT) break;
        blocks.delete(oldest);
      }
    },
    [columns],
  );
  return { stale, keep, waits, arrived };
}
