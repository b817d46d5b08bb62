import { Button, ProgressBar } from '@blueprintjs/core';
import { Stop } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useResultSet } from '#renderer/state/results.ts';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { timeLeft } from '#renderer/ui/time-left.ts';
import { exact } from '#shared/model/format.ts';

/** What freezing the targets waits for: rows that are not here yet, with how far they are, then the count. */
export function PrepareWait(props: {
  resultId: string;
  /** All that match: rows are fetched first. */
  fetches: boolean;
  onStop: () => void;
}): JSX.Element {
  const result = useResultSet(props.resultId);
  const fetching = props.fetches && result !== null && (result.atLeast || result.loaded < result.total);
  const left = timeLeft(result?.secondsLeft ?? null);
  return (
    <div className="pp-action-wait" role="status">
      {fetching ? (
        <>
          <p className="pp-t2">
            Fetching the rows that are not here yet: {exact(result.loaded)} of{' '}
            {result.atLeast ? 'at least ' : ''}
            {exact(result.total)}
            {left === null ? '' : ` · ${left}`}
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
