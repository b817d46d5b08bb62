/** Rows after an action: refreshed if that is quick, else marked as outdated. */
import { useEffect, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { type Change, useLastChange } from '#renderer/state/changed-rows.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Run } from './use-run.ts';

/** Up to this many rows the query simply runs again. */
const QUICK = 5_000;

export interface AfterAction {
  change: Change;
  /** The affected rows among those shown when the action ended. */
  rows: number;
  /**
   * renewing: the query is running again. renewed: `left` of them no longer match. outdated: the rows are from before
   * the action.
   */
  state: 'renewing' | 'renewed' | 'outdated';
  left: number;
}

/** Effect of this window's last action on these rows, or null if there is none, or it was dismissed. */
export function useAfterAction(
  result: ResultSet,
  run: Run,
  /** Conditions were edited since, or the service is unavailable. */
  held: boolean,
): { after: AfterAction | null; dismiss: () => void } {
  const bridge = useBridge();
  const { isShown } = useTab();
  const change = useLastChange();
  const [after, setAfter] = useState<AfterAction | null>(null);
  const lastTurn = useRef(change?.turn ?? 0);
  const now = useRef({ result, run, held });
  now.current = { result, run, held };
  const { id: resultId, connectionId, state } = result;

  useEffect(() => {
    if (
      !isShown ||
      change === null ||
      change.turn <= lastTurn.current ||
      change.connectionId !== connectionId
    )
      return;
    lastTurn.current = change.turn;
    const { result: shown, run: again, held: isHeld } = now.current;
    const entityIds = change.ids.slice(0, 10_000);
    bridge.call('results.rows', { resultId: shown.id, entityIds }).then(
      ({ rows }) => {
        if (rows.length === 0) return;
        const quick = !isHeld && shown.total <= QUICK;
        setAfter({ change, rows: rows.length, state: quick ? 'renewing' : 'outdated', left: 0 });
        if (quick) void again.run({ refresh: true });
      },
      () => undefined,
    );
  }, [bridge, change, connectionId, isShown]);

  // The new run is complete, so rows missing in it no longer match.
  const renewing = after?.state === 'renewing' ? after : null;
  const before = useRef(resultId);
  if (renewing === null) before.current = resultId;
  useEffect(() => {
    if (renewing === null || resultId === before.current || state !== 'complete') return;
    const entityIds = renewing.change.ids.slice(0, 10_000);
    bridge.call('results.rows', { resultId, entityIds }).then(
      ({ rows }) =>
        setAfter({ ...renewing, state: 'renewed', left: Math.max(0, renewing.rows - rows.length) }),
      () => setAfter({ ...renewing, state: 'outdated' }),
    );
  }, [bridge, renewing, resultId, state]);

  // Running the query manually refreshes everything.
  const outdated = useRef(resultId);
  if (after?.state !== 'outdated') outdated.current = resultId;
  const isOver = after?.state === 'outdated' && outdated.current !== resultId;
  return { after: isOver ? null : after, dismiss: () => setAfter(null) };
}
