import { type JSX, useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useResultSet } from '#renderer/state/results.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { ComparisonView } from './comparison-view.tsx';
import { Results, type ResultsProps } from './results.tsx';

/** The rows of a run, or what differs from an earlier one until the analyst goes back. */
export function ResultsOrComparison(props: Omit<ResultsProps, 'onCompare'>): JSX.Element {
  const { result } = props;
  const bridge = useBridge();
  const [compared, setCompared] = useState<{ with: string; set: ResultSet } | null>(null);
  const newest = useResultSet(compared?.set.id ?? null);
  // A newer run takes the place of both.
  useEffect(() => {
    if (compared !== null && compared.with !== result.id) setCompared(null);
  }, [compared, result.id]);
  const compare = (baseId: string) => {
    bridge.call('results.compare', { baseId, otherId: result.id }).then(
      (set) => setCompared({ with: result.id, set }),
      (reason: unknown) =>
        showToast({
          intent: 'error',
          title: 'The two runs could not be compared',
          detail: toBridgeError(reason).message,
        }),
    );
  };
  const shown = compared === null ? null : (newest ?? compared.set);
  if (shown?.comparison)
    return (
      <ComparisonView
        key={shown.id}
        draft={props.draft}
        config={props.config}
        result={shown}
        comparison={shown.comparison}
        offline={props.offline}
        product={props.product}
        onClose={() => setCompared(null)}
      />
    );
  return <Results {...props} onCompare={compare} />;
}
