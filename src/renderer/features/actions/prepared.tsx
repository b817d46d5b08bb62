/** The frozen targets of an action; changing the scope or the exclusions freezes them again. */
import { Button, ProgressBar } from '@blueprintjs/core';
import { Stop } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { whileWaiting } from '#renderer/bridge/read-store.ts';
import { useResultSet } from '#renderer/state/results.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { timeLeft } from '#renderer/ui/time-left.ts';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { ActionScope, LeftOut } from '#shared/bridge/operations.ts';
import { exact } from '#shared/model/format.ts';

/** Progress while the targets are frozen: missing rows are fetched first, then counted. */
export function PrepareWait(props: {
  resultId: string;
  /** All matching rows: missing ones are fetched first. */
  fetches: boolean;
  onStop: () => void;
}): JSX.Element {
  const result = useResultSet(props.resultId);
  const fetching = props.fetches && result !== null && (result.atLeast || result.loaded < result.total);
  const time = timeLeft(result?.secondsLeft ?? null);
  return (
    <div className="pp-action-wait" role="status">
      {fetching ? (
        <>
          <p className="pp-t2">
            Fetching missing rows: {exact(result.loaded)} of {result.atLeast ? 'at least ' : ''}
            {exact(result.total)}
            {time === null ? '' : ` · ${time}`}
          </p>
          <div className="pp-action-progress">
            <ProgressBar
              value={result.loaded / result.total}
              animate={false}
              stripes={false}
              aria-label="Rows fetched"
            />
            <Button size="small" icon={<Stop size={14} />} text="Stop fetching" onClick={props.onStop} />
          </div>
        </>
      ) : (
        <>
          <p className="pp-t2">Counting…</p>
          <SkeletonRows rows={5} labelWidth={120} />
        </>
      )}
    </div>
  );
}

interface PrepareRequest {
  resultId: string;
  queryId: string | null;
  queryLabel: string;
  scope: ActionScope;
  leaveOut: LeftOut[];
}

/** Another scope or other exclusions freeze the targets again. */
export const usePrepared = (request: PrepareRequest) =>
  useAnswer(request, (signal) => whileWaiting(windowBridge().call('actions.prepare', request, { signal })));
