import { type JSX, useEffect, useMemo, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useResultSet } from '#renderer/state/results.ts';
import { showFailure } from '#renderer/state/show-failure.ts';
import { ErrorState } from '#renderer/ui/error-bar.tsx';
import { SkeletonRows, useDelayed } from '#renderer/ui/skeleton.tsx';
import type { RunPayload } from '#shared/api/catalogue/queries.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import { editTree } from '../draft-edit.ts';
import { draftOfRun, questionOf } from '../query-run.ts';
import { removeAt } from '../tree-edit.ts';
import { useQueryConfig } from '../use-config.ts';
import { ComparisonView } from './comparison-view.tsx';
import { Results, type ResultsProps } from './results.tsx';
import { NeverRun, NoMatches } from './results-empty.tsx';
import type { Run } from './use-run.ts';

function ResultsOrComparison(props: Omit<ResultsProps, 'onCompare'>): JSX.Element {
  const { result } = props;
  const bridge = useBridge();
  const [compared, setCompared] = useState<{ with: string; set: ResultSet } | null>(null);
  const newest = useResultSet(compared?.set.id ?? null);
  // A newer run closes the comparison.
  useEffect(() => {
    if (compared !== null && compared.with !== result.id) setCompared(null);
  }, [compared, result.id]);
  const compare = (baseId: string) => {
    bridge.call('results.compare', { baseId, otherId: result.id }).then(
      (set) => setCompared({ with: result.id, set }),
      (reason: unknown) => showFailure('Runs could not be compared', reason),
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
        onClose={() => setCompared(null)}
      />
    );
  return <Results {...props} onCompare={compare} />;
}

interface QueryResultsProps {
  draft: Draft;
  config: QueryConfig | undefined;
  run: Run;
  payload: RunPayload;
  /** Undefined if not loaded yet. */
  layout: GridLayout | null | undefined;
  setLayout: (layout: GridLayout | null) => void;
  offline: boolean;
  canRun: boolean;
  /** The count without conditions. */
  of: number | null;
  onRun: () => void;
}

/** The rows of a query, or the reason why there are none. */
export function QueryResults(props: QueryResultsProps): JSX.Element {
  const { draft, config, run, payload, layout, setLayout, offline, canRun, of, onRun } = props;
  const { query } = draft;
  const waiting = run.running || (!run.idle && !run.error);
  const late = useDelayed(waiting);
  // Rows stay what they were fetched as while another question is being put together in the builder.
  const ran = useMemo(() => draftOfRun(draft), [draft]);
  const isOther = ran.query.domain !== query.domain || ran.query.saas !== query.saas;
  const other = useQueryConfig(isOther ? ran.query.domain : null, ran.query.saas).data;
  const ranConfig = isOther ? other : config;
  if (run.result && ranConfig && layout !== undefined)
    return (
      <ResultsOrComparison
        draft={ran}
        config={ranConfig}
        result={run.result}
        run={run}
        layout={layout}
        setLayout={setLayout}
        offline={offline}
        changed={run.asked !== null && run.asked !== questionOf(payload)}
        noMatches={
          <NoMatches
            domain={query.domain}
            payload={payload}
            tree={query.filter ?? emptyGroup()}
            config={config ?? ranConfig}
            of={of}
            offline={offline}
            onDrop={(index) => {
              editTree(draft.id, (root) => removeAt(root, [index]));
              void run.run();
            }}
          />
        }
      />
    );
  return (
    <div className="pp-query-rest">
      {waiting ? (
        late ? (
          <SkeletonRows rows={12} labelWidth={120} />
        ) : null
      ) : run.error && !offline ? (
        <ErrorState
          title="Query failed"
          error={run.error}
          notKnown="This does not mean that nothing matches."
          onRetry={onRun}
        />
      ) : (
        <NeverRun domain={query.domain} offline={offline} canRun={canRun} error={run.error} onRun={onRun} />
      )}
    </div>
  );
}
