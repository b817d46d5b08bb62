/** Saved queries that actions change: as they were shown, as they are now, and as they become. */
import { mayBeDone, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import {
  hasPassword,
  isOperated,
  POLICY_OPERATIONS,
  type PolicyOperator,
  type PolicyState,
  policyWords,
  REINSTATE,
  RESTORE_VERSION,
} from '#shared/model/query-status.ts';
import { isSamePolicy } from '#shared/query/import-plan.ts';
import type { Context } from '../kernel/context.ts';
import { earlierVersionOf, replacementOf, withoutLostPassword } from '../queries-file/replacement.ts';
import type { ActionPlan, Target } from './record.ts';

/** Why a query is left as it is: somebody changed what it does since it was shown. Null if nobody did. */
function changedSince(
  operator: PolicyOperator | undefined,
  shown: PolicyState | undefined,
  now: Query,
): string | null {
  // An earlier attempt may have done it already.
  const isDone = operator !== undefined && isOperated(operator, { scheduledExport: null, ...now });
  return shown === undefined || isDone || isSamePolicy(shown, now)
    ? null
    : `Somebody changed it since it was shown, so it was left as it is. Now: ${policyWords(now)}.`;
}

/**
 * The targets of an action that names saved queries by id alone and that are no longer as they were shown, with the
 * reason. Rejects if the service does not list its queries.
 */
export async function changedTargets(
  { upstream }: Context,
  plan: ActionPlan,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const isById = plan.call === 'query.delete' || plan.call === 'policies.operation';
  if (!isById || plan.before === undefined) return new Map();
  const { queries } = await upstream.send(plan.connectionId, 'query.list', { query: {} }, { signal });
  const current = new Map(queries.map((query) => [query.id, query]));
  const shown = new Map(plan.before);
  return new Map(
    targets.flatMap(({ entityId }) => {
      const now = current.get(entityId);
      // The service says itself what it no longer has.
      const changed = now === undefined ? null : changedSince(plan.operator, shown.get(entityId), now);
      return changed === null ? [] : [[entityId, changed] as const];
    }),
  );
}

/** Rejects so that nobody takes an unread query for one that may have been changed. */
export async function readNow(
  { upstream }: Context,
  connectionId: string,
  id: string,
  signal: AbortSignal,
): Promise<Query> {
  try {
    return await upstream.send(connectionId, 'query.get', { params: { id } }, { signal });
  } catch (error) {
    const failure = toBridgeError(error);
    throw mayBeDone(failure)
      ? new ParapetError('not-allowed', `It could not be read, so nothing was sent: ${failure.message}`)
      : error;
  }
}

/** The query with what an operation changed as it was before; throws when that is no longer as the operation left it. */
function reinstated(
  now: Query,
  operator: PolicyOperator,
  { status, scheduledExport }: PolicyState,
): { body: Query; note: string | null } {
  if (!isOperated(operator, { scheduledExport: null, ...now }))
    throw new ParapetError('conflict', 'It was changed again since, so it stays as it is.');
  const isStatus = POLICY_OPERATIONS[operator].status !== null;
  if (isStatus ? !status : !scheduledExport)
    throw new ParapetError('conflict', 'The list of queries did not show what it was before.');
  return isStatus ? { body: { ...now, status }, note: null } : withoutLostPassword(now, scheduledExport);
}

/** The version of a saved query that an action saves, and what to tell of it; throws when it must stay as it is. */
export function versionsOf({ operator, actionId, retryOf, ...plan }: ActionPlan) {
  const before = new Map(plan.before);
  const after = new Map(plan.after);
  return (id: string, now: Query): { body: Query; note: string | null } => {
    const state = before.get(id);
    if (operator) {
      if (actionId === REINSTATE.id) return reinstated(now, operator, state ?? {});
      const changed = changedSince(operator, state, now);
      if (changed !== null) throw new ParapetError('conflict', changed);
      return { body: operated(now, operator), note: null };
    }
    // The journal has whole queries of replacements only.
    const shown = state as NewQuery | undefined;
    const file = after.get(id);
    if (shown === undefined || file === undefined)
      throw new ParapetError('not-allowed', 'The journal does not have its versions.');
    if (actionId === RESTORE_VERSION.id) return earlierVersionOf(now, shown, file);
    const isPasswordLost = retryOf !== null && hasPassword(file.scheduledExport);
    if (isPasswordLost && !hasPassword(now.scheduledExport))
      throw new ParapetError('conflict', 'The password of its schedule is not kept: choose the file again.');
    return { body: replacementOf(now, shown, file), note: null };
  };
}

/** The query as an operation leaves it. */
function operated(now: Query, operator: PolicyOperator): Query {
  const { status } = POLICY_OPERATIONS[operator];
  return status === null ? { ...now, scheduledExport: null } : { ...now, status };
}
