import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import type { GridSelection } from '#renderer/ui/grid-selection.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { InputOf, LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { named, whileFrozen } from './frozen-rows.ts';
import {
  boxState,
  countOf,
  EVERYTHING,
  isSelected,
  MOST_NAMED,
  NOTHING,
  type Selection,
  withRows,
} from './selection.ts';

export interface RowSelection {
  selection: Selection;
  /** The exact number of selected rows. */
  count: number;
  /** The query ran again and the selected rows are being resolved: none is selected until then. */
  isRestoring: boolean;
  /** For rendering in the grid. */
  grid: GridSelection;
  select: (what: 'all' | 'none') => void;
  selectOnly: (ids: readonly string[]) => void;
}

/** Filter and sort of the visible rows, for range selection. */
interface Shown {
  filter: LocalFilter | undefined;
  sort: Sort[] | undefined;
}

const PAGE = 10_000;

/** "All but some" of an earlier run's rows, when another run replaced it. */
interface All {
  resultId: string;
  filter: LocalFilter | undefined;
  except: ReadonlySet<string>;
  count: number;
}

/** Entity ids of these rows, `[from, to)` of them. Rejects when the result is no longer on this machine. */
const idsOf = (
  bridge: Bridge,
  which: InputOf<'results.matching'>,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): Promise<string[]> =>
  whileFrozen(bridge, which, async ({ count, page }) => {
    const end = Math.min(to, count);
    const ids: string[] = [];
    for (let start = from; start < end; start += PAGE)
      ids.push(...named(await page(start, Math.min(start + PAGE, end))));
    return ids;
  });

const showTooMany = () =>
  showToast({
    intent: 'caution',
    title: `At most ${exact(MOST_NAMED)} rows can be selected individually`,
    detail: 'Filter the rows and select all matching.',
  });

/** Resolves "all but some" of a run that was replaced to the ids of its rows; null: that was not possible. */
function useNamed(all: All | null, onNamed: (ids: ReadonlySet<string> | null) => void): void {
  const bridge = useBridge();
  const named = useRef(onNamed);
  named.current = onNamed;
  useEffect(() => {
    if (all === null) return undefined;
    let isLeft = false;
    const name = async () => {
      if (all.count > MOST_NAMED) throw new Error(`It had more than ${exact(MOST_NAMED)} rows.`);
      const { resultId, filter, except } = all;
      return idsOf(bridge, { resultId, filter, except: [...except] });
    };
    name().then(
      (ids) => {
        if (!isLeft) named.current(new Set(ids));
      },
      (error: unknown) => {
        if (isLeft) return;
        showToast({
          intent: 'caution',
          title: 'Selection lost',
          detail: `The query ran again and the earlier selection could not be restored. ${toBridgeError(error).message} Select again.`,
        });
        named.current(null);
      },
    );
    return () => {
      isLeft = true;
    };
  }, [bridge, all]);
}

/** The row selection, by entity id and independent of the rows that the grid has rendered. */
export function useSelection(result: ResultSet, here: number, shown: Shown, resetKey: string): RowSelection {
  const bridge = useBridge();
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const count = countOf(selection, here);
  const now = useRef({ here, shown, selection, resultId: result.id });
  now.current = { here, shown, selection, resultId: result.id };

  const change = useCallback((rows: readonly string[], on: boolean) => {
    const next = withRows(now.current.selection, rows, on, now.current.here);
    if (next.ids.size > MOST_NAMED) {
      showTooMany();
      return;
    }
    now.current.selection = next;
    setSelection(next);
  }, []);

  const selectBetween = useCallback(
    async (first: number, last: number) => {
      if (last - first >= MOST_NAMED) {
        showTooMany();
        return;
      }
      const { resultId, shown: rows } = now.current;
      const ids = await idsOf(bridge, { resultId, ...rows }, first, last + 1);
      if (now.current.resultId === resultId) change(ids, true);
    },
    [bridge, change],
  );

  const { id: resultId, state } = result;
  // After a new run, "all" still means the rows of the run before, not rows added since.
  const [shownId, setShownId] = useState(resultId);
  const [all, setAll] = useState<All | null>(null);
  if (shownId !== resultId) {
    setShownId(resultId);
    if (selection.mode === 'all') {
      setAll({ resultId: shownId, filter: shown.filter, except: selection.ids, count });
      setSelection(NOTHING);
    }
  }
  useNamed(all, (ids) => {
    setAll(null);
    // A selection made meanwhile wins.
    if (ids !== null && now.current.selection === NOTHING) setSelection({ mode: 'some', ids });
  });

  // Rows that are no longer in the result are deselected.
  const checked = useRef(resultId);
  useEffect(() => {
    if (checked.current === resultId || state === 'filling' || all !== null) return;
    checked.current = resultId;
    const { mode, ids } = now.current.selection;
    if (mode === 'all' || ids.size === 0) return;
    const prune = async () => {
      const left = new Set(await idsOf(bridge, { resultId, entityIds: [...ids] }));
      if (now.current.selection.ids === ids) setSelection({ mode, ids: left });
    };
    // Actions report missing rows.
    prune().catch(() => undefined);
  }, [bridge, resultId, state, all]);

  const first = useRef(resetKey);
  useEffect(() => {
    if (first.current === resetKey) return;
    first.current = resetKey;
    setSelection(NOTHING);
    setAll(null);
  }, [resetKey]);

  const select = useCallback(
    (what: 'all' | 'none') => setSelection(what === 'all' ? EVERYTHING : NOTHING),
    [],
  );
  const box = boxState(selection, here);
  const grid = useMemo<GridSelection>(
    () => ({
      isSelected: (id) => isSelected(selection, id),
      isEmpty: box === 'none',
      box,
      boxLabel: box === 'none' ? `Select all ${exact(here)} loaded rows` : 'Clear selection',
      onBox: () => select(box === 'none' ? 'all' : 'none'),
      onAll: () => select('all'),
      onChange: change,
      onBetween: (from, to) =>
        void selectBetween(from, to).catch(() =>
          showToast({ intent: 'error', title: 'The range could not be selected' }),
        ),
    }),
    [selection, box, here, change, select, selectBetween],
  );
  const selectOnly = useCallback(
    (ids: readonly string[]) => setSelection(withRows(NOTHING, ids, true, ids.length)),
    [],
  );
  return { selection, count, isRestoring: all !== null, grid, select, selectOnly };
}
