/** Keeps the preview consistent with the rows: it follows its row, and closes when the row is gone. */
import { type RefObject, useEffect, useRef } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { afterPause } from '#renderer/ui/after-pause.ts';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { ResultRow } from './result-columns.tsx';
import type { Peek } from './use-peek.ts';
import { isFiltering, type Rows } from './use-rows.ts';

/** The grid applies new rows with a delay. */
const SETTLED_MS = 200;

export function useTruePeek(
  peek: Peek,
  result: ResultSet,
  rows: Rows,
  grid: RefObject<GridHandle<ResultRow> | null>,
): void {
  const bridge = useBridge();
  const { id: resultId, state } = result;
  const filter = JSON.stringify(rows.filter);
  const peekedId = peek.peeked?.id ?? null;
  const latest = useRef(peek);
  latest.current = peek;
  const { version, count } = rows;
  const rowsNow = JSON.stringify([resultId, state, filter, version, count]);
  /** Results whose grid is known to be current because it contained the previewed row. */
  const requestedLatest = useRef('');
  useEffect(() => {
    if (peekedId === null || count === null) return undefined;
    const look = async (signal: AbortSignal) => {
      const row = grid.current?.find(peekedId) ?? null;
      const { peeked, peek: show, close } = latest.current;
      if (signal.aborted || peeked?.id !== peekedId) return;
      const follow = () => {
        if (row === null || (row.index === peeked.index && peeked.resultId === resultId)) return;
        show(row.row, row.index);
      };
      // On a slow machine the grid may still contain the previous rows.
      if (row !== null && requestedLatest.current === rowsNow) return follow();
      const shown = JSON.parse(filter) as Rows['filter'];
      const only = { resultId, entityIds: [peekedId], ...(isFiltering(shown) ? { filter: shown } : {}) };
      const chosen = await bridge.call('results.matching', only, { signal });
      void bridge.call('results.release', { selectionId: chosen.selectionId }).catch(() => undefined);
      if (signal.aborted || latest.current.peeked?.id !== peekedId) return;
      if (chosen.count > 0) {
        requestedLatest.current = rowsNow;
        return follow();
      }
      // While rows are being fetched, the row may still arrive.
      if (state === 'complete' || isFiltering(shown)) close();
    };
    return afterPause(SETTLED_MS, (signal) => void look(signal).catch(() => undefined));
  }, [bridge, grid, peekedId, resultId, state, filter, count, rowsNow]);
}
