/** The service's refusal of a saved query, shown at the field until the query is edited. */
import { create } from 'zustand';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import type { Problem } from '#shared/query/validate.ts';

export interface SaveProblem {
  /** Path of the field, as named by the service: name, scheduledExport.time, filter.conditions[0].values. */
  field: string;
  message: string;
  /** No response arrived, so it may have been saved. */
  isInDoubt?: boolean;
}

const useStore = create<{ problems: ReadonlyMap<string, { query: NewQuery; problem: SaveProblem }> }>(() => ({
  problems: new Map(),
}));

export function setSaveProblem(draftId: string, query: NewQuery, problem: SaveProblem | null): void {
  useStore.setState(({ problems }) => {
    const next = new Map(problems);
    if (problem) next.set(draftId, { query, problem });
    else next.delete(draftId);
    return { problems: next };
  });
}

/** The field named by a refusal, or null if there is none. */
export function saveProblemOf(error: unknown): SaveProblem | null {
  const { code, data } = toBridgeError(error);
  const { field, serviceMessage } = data ?? {};
  if (code !== 'bad-request' || typeof field !== 'string') return null;
  return { field, message: typeof serviceMessage === 'string' ? serviceMessage : 'Rejected by the service.' };
}

/** The refusal of this exact query; any edit clears it. */
export function useSaveProblem(draftId: string, query: NewQuery): SaveProblem | null {
  const stored = useStore(({ problems }) => problems.get(draftId));
  return stored?.query === query ? stored.problem : null;
}

/** A refusal of a condition as a problem of the builder: `filter.conditions[1].conditions[0].values` is [1, 0]. */
export function conditionProblem({ field, message }: SaveProblem): Problem | null {
  const rest = /^(?:filter|condition)\b(.*)$/.exec(field)?.[1];
  if (rest === undefined) return null;
  const path = [...rest.matchAll(/conditions(?:\.|\[)(\d+)\]?/g)].map(([, index]) => Number(index));
  return { path, message };
}
