/** Targets and outcomes of an action in words, and warnings. Pure. */

import type { LeftOut, PreparedAction, TargetState } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import type { ActionConfig, QueryConfig } from '#shared/model/entities.ts';

/** States in which an action has nothing left to do, by its id. */
const ALREADY: Readonly<Record<string, readonly string[]>> = dictionary({
  // A requested release does not change the state yet.
  quarantine: ['quarantined', 'restore asked', 'release requested'],
  delete: ['deleted'],
  vault: ['vaulted', 'vault'],
  disable: ['disabled'],
});

/** Rows already in the target state, excluded from the start; only where the service takes targets by name. */
export function alreadyDone(
  action: Pick<ActionConfig, 'id'>,
  { fields, entityField }: Pick<QueryConfig, 'fields' | 'entityField'>,
): LeftOut[] {
  const wantedStates = ALREADY[action.id];
  const states = fields.find(({ id }) => id === 'state')?.allowedValues ?? [];
  const values = states.flatMap(({ value }) => {
    const state = String(value);
    return wantedStates?.includes(state.toLowerCase()) ? [state] : [];
  });
  return values.length > 0 && entityField != null ? [{ column: 'state', values }] : [];
}

/** "already quarantined, clean". An email with a release request is still quarantined. */
export const leftOutWords = (leaveOut: readonly LeftOut[]): string =>
  leaveOut
    .map(({ column, values }) =>
      column === 'state' ? `already ${values[0]?.toLowerCase()}` : values.join(', ').toLowerCase(),
    )
    .join(', ');

/** The number of clean targets of a destructive action, or null if there is none. */
export function cleanTargets(action: ActionConfig, mix: PreparedAction['mix']): number | null {
  if (action.danger !== true) return null;
  const verdicts = mix.find(({ column }) => column === 'verdict')?.values ?? [];
  return verdicts.find(({ value }) => value === 'clean')?.count ?? null;
}

/** The parameter that a refusal names: `params.folder` and `action_params.folder` are folder. */
export function paramOf(field: unknown): string | null {
  return typeof field === 'string' ? (/^(?:action_)?params\.(.+)$/.exec(field)?.[1] ?? null) : null;
}

export const TARGET_LABELS: Readonly<Record<TargetState, string>> = {
  pending: 'Pending',
  sending: 'Sending',
  done: 'Done',
  failed: 'Failed',
  'not-sent': 'Not sent',
  unknown: 'Unknown, may have arrived',
};
