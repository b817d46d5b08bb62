import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import type { RunPayload } from '#shared/api/catalogue/queries.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { domainPlural } from '#shared/model/domains.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact, formatTile } from '#shared/model/format.ts';
import { describeCondition, plainWords } from '#shared/query/describe.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import { countPayload } from '../query-run.ts';
import { removeAt } from '../tree-edit.ts';

const SUGGESTED = 3;

/** A condition whose removal would yield results, with their count. */
function DropCondition(props: {
  payload: RunPayload;
  tree: ConditionGroup;
  index: number;
  config: QueryConfig;
  onDrop: (index: number) => void;
}): JSX.Element | null {
  const { payload, tree, index, config, onDrop } = props;
  const clock = useClock();
  const node = tree.conditions[index];
  const body = countPayload({ ...payload, condition: removeAt(payload.condition, [index]) });
  const { data } = useRead('query.execute', { body });
  if (!data || data.total_rows === 0 || !node) return null;
  const words = plainWords(describeCondition({ operator: 'and', conditions: [node] }, config, { clock }));
  return (
    <Button
      text={`Without “${words.length > 60 ? `${words.slice(0, 59)}…` : words}”: ${exact(data.total_rows)}`}
      onClick={() => onDrop(index)}
    />
  );
}

/** No matches: the counts, and conditions that could be removed. */
export function NoMatches(props: {
  domain: string;
  payload: RunPayload;
  tree: ConditionGroup;
  config: QueryConfig;
  of: number | null;
  offline: boolean;
  onDrop: (index: number) => void;
}): JSX.Element {
  const { domain, payload, tree, config, of, offline, onDrop } = props;
  const canDrop = tree.operator === 'and' && !tree.negate && tree.conditions.length > 1 && !offline;
  const indexes = canDrop ? [...tree.conditions.keys()].slice(-SUGGESTED) : [];
  return (
    <EmptyState
      title={`No ${domainPlural(domain)} match`}
      reason={
        <>
          The service counted <b>0</b>
          {of === null ? '' : ` of ${formatTile(of)}`}.{' '}
          {canDrop ? 'Change or remove a condition and run again.' : 'Change a condition and run again.'}
        </>
      }
      action={indexes.map((index) => (
        <DropCondition
          key={index}
          payload={payload}
          tree={tree}
          index={index}
          config={config}
          onDrop={onDrop}
        />
      ))}
    />
  );
}

/** The query was never run, or its results are unavailable. */
export function NeverRun(props: {
  domain: string;
  offline: boolean;
  canRun: boolean;
  error: BridgeError | null;
  onRun: () => void;
}): JSX.Element {
  const { domain, offline, canRun, error, onRun } = props;
  if (offline)
    return (
      <EmptyState
        title="Never run on this machine"
        reason={
          error && error.code !== 'offline' && error.code !== 'not-cached'
            ? error.message
            : 'Offline, and no saved results for this query. Results of queries run on this machine stay available offline.'
        }
      />
    );
  return (
    <EmptyState
      title="Not run yet"
      reason={`Run the query to see matching ${domainPlural(domain)}. The count above is live.`}
      action={<Button text="Run" disabled={!canRun} onClick={onRun} />}
    />
  );
}
