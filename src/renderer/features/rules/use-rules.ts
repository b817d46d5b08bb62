/** The rules of the profile, each with what it found in this evidence. */
import { useCallback, useEffect, useMemo } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useRead } from '#renderer/bridge/use-read.ts';
import { onAppEvent } from '#renderer/state/app-events.ts';
import { isActiveJob, useJobs } from '#renderer/state/jobs.ts';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { BridgeError } from '#shared/bridge/error-shape.ts';
import type { Job } from '#shared/bridge/operations.ts';
import type { RuleState } from '#shared/model/entities.ts';
import type { RuleHead } from '#shared/rules/rule.ts';

export interface RuleRow {
  rule: RuleHead;
  /** Null while the evidence has not taken it over, or could not be asked. */
  outcome: RuleState | null;
}

export interface Rules {
  /** Null while loading, or if they could not be read. */
  rows: readonly RuleRow[] | null;
  /** Why the rules, and what they found, could not be read. */
  error: BridgeError | null;
  outcomeError: BridgeError | null;
  /** The job that applies rules to this evidence. */
  job: Job | null;
  refresh: () => void;
}

export function useRules(connectionId: string | null): Rules {
  const bridge = useBridge();
  const { last, error, again } = useAnswer([], (signal) => bridge.call('rules.list', {}, { signal }));
  const heads = last?.rules;
  const applied = useRead('evidence.rules', {});
  const refreshFound = applied.refresh;
  const job =
    useJobs().find(
      (candidate) =>
        candidate.kind === 'rules' && candidate.connectionId === connectionId && isActiveJob(candidate),
    ) ?? null;
  const refresh = useCallback(() => {
    again();
    refreshFound();
  }, [again, refreshFound]);
  useEffect(() => onAppEvent('rules', refresh), [refresh]);
  const rows = useMemo(() => {
    const states = new Map(applied.data?.rows.map((state) => [state.id, state]));
    return heads?.map((rule): RuleRow => ({ rule, outcome: states.get(rule.id) ?? null })) ?? null;
  }, [heads, applied.data]);
  return { rows, error, outcomeError: applied.error, job, refresh };
}
