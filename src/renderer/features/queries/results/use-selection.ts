import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import type { GridSelection } from '#renderer/ui/grid/grid-selection.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { useStable } from '#renderer/ui/use-stable.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { InputOf, LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
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
  count: number;
  /** How many of them the filter hides, or null if not known. */
  hidden: number | null;
  /** The query ran again and the selected rows are being resolved: none is selected until then. */
  isRestoring: boolean;
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

/** "All but some" of the rows of an earlier run or filter, when another one replaced it. */
interface All {
  resultId: string;
  filter: LocalFilter | undefined;
  except: ReadonlySet<string>;
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
    if (end - from > MOST_NAMED) throw new Error(`It had more than ${exact(MOST_NAMED)} rows.`);
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

/**
 * Resolves "all but some" of a run or filter that was replaced to the ids of its rows, or null if that was not
 * possible.
 */
function useNamed(all: All | null, onNamed: (ids: ReadonlySet<string> | null) => void): void {
  const bridge = useBridge();
  const named = useRef(onNamed);
  named.current = onNamed;
  useEffect(() => {
    if (all === null) return undefined;
    let isLeft = false;
    const { resultId, filter, except } = all;
    idsOf(bridge, { resultId, filter, except: [...except] }).then(
      (ids) => {
        if (!isLeft) named.current(new Set(ids));
      },
      (error: unknown) => {
        if (isLeft) return;
        showToast({
          intent: 'caution',
          title: 'Selection lost',
          detail: `The earlier selection could not be kept. ${toBridgeError(error).message} Select again.`,
        });
        named.current(null);
      },
    );
    return () => {
      isLeft = true;
    };
  }, [bridge, all]);
}

/**
 * How many individually selected rows the filter hides, or null if they could not be counted. A new count replaces the
 * previous one when it arrives.
 */
function useHidden(
  { id: resultId, state }: ResultSet,
  { mode, ids }: Selection,
  filter: LocalFilter | undefined,
): number | null {
  const bridge = useBridge();
  const [hidden, setHidden] = useState<number | null>(0);
  const shownBy = useStable(filter);
  const isNamed = mode === 'some' && ids.size > 0 && shownBy !== undefined;
  useEffect(() => {
    if (!isNamed) return undefined;
    let isLeft = false;
    whileFrozen(bridge, { resultId, filter: shownBy, entityIds: [...ids] }, async ({ count }) => count).then(
      (count) => {
        // While rows arrive, one that is missing may not be hidden.
        if (!isLeft) setHidden(state === 'filling' && count < ids.size ? null : ids.size - count);
      },
      () => {
        if (!isLeft) setHidden(null);
      },
    );
    return () => {
      isLeft = true;
    };
  }, [bridge, resultId, state, isNamed, ids, shownBy]);
  return isNamed ? hidden : 0;
}

/** The row selection, by entity id and independent of the rows that the grid has rendered, sorts and filters. */
export function useSelection(result: ResultSet, here: number, shown: Shown, question: string): RowSelection {
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
  // After a new run or under another filter, "all" still means the rows of the one before, not other rows.
  const filter = useStable(shown.filter);
  const [before, setBefore] = useState({ resultId, filter });
  const [all, setAll] = useState<All | null>(null);
  if (before.resultId !== resultId || before.filter !== filter) {
    setBefore({ resultId, filter });
    if (selection.mode === 'all') {
      setAll({ ...before, except: selection.ids });
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
  const latest = useRef(question);
  useEffect(() => {
    if (checked.current === resultId || state === 'filling' || all !== null) return;
    checked.current = resultId;
    const isOther = latest.current !== question;
    latest.current = question;
    const { mode, ids } = now.current.selection;
    if (mode === 'all' || ids.size === 0) return;
    const prune = async () => {
      const present = new Set(await idsOf(bridge, { resultId, entityIds: [...ids] }));
      if (now.current.selection.ids !== ids) return;
      setSelection({ mode, ids: present });
      // After another run of the same question, the rows themselves have changed, which the results tell.
      const gone = ids.size - present.size;
      if (isOther && gone > 0)
        showToast({
          intent: 'caution',
          title: `${plural(gone, 'selected row')} deselected`,
          detail: `Not among these rows. ${exact(present.size)} still selected.`,
        });
    };
    // Actions report missing rows.
    prune().catch(() => undefined);
  }, [bridge, resultId, state, all, question]);

  const select = useCallback(
    (what: 'all' | 'none') => setSelection(what === 'all' ? EVERYTHING : NOTHING),
    [],
  );
  const hidden = useHidden(result, selection, shown.filter);
  const box = boxState(selection, here, hidden);
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
  return { selection, count, hidden, isRestoring: all !== null, grid, select, selectOnly };
}
