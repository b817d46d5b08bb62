/** Sending an action to its frozen targets, some at a time, and what became of each. */
import { UNSAVED_QUERY } from '#shared/api/catalogue/queries.ts';
import type { AnswerOf, Request } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Context } from '../core/context.ts';
import { NOT_TAKEN } from '../upstream/upstream.ts';
import type { ActionPlan, ActionRecords, Target, TargetOutcome } from './record.ts';

/** Targets of one request: small enough that a lost answer leaves few in doubt. */
const BATCH = 250;
/** Requests without an answer in a row, after which no more are sent. */
const SILENT = 2;
const MAX_WAITS = 5;
const MAX_WAIT_MS = 60_000;

type ActionRequest = Request<'query.action'> | Request<'query.delete'>;

export interface SendDeps {
  ctx: Context;
  records: ActionRecords;
  /** Told of every request before it is sent: the journal notes the action as a whole. */
  own(request: ActionRequest): void;
}

/** Why it stopped before the end, in words; null: every target was sent. */
export type Stopped = string | null;

/** Rejects nothing that a target can be blamed for; what is not sent stays `pending` for `records.end`. */
export async function sendAll(
  deps: SendDeps,
  journalId: number,
  plan: ActionPlan,
  targets: readonly Target[],
  signal: AbortSignal,
  progress: (sent: number) => void,
): Promise<Stopped> {
  const size =
    plan.call === 'query.delete' ? 1 : plan.entityField === null ? Math.max(1, targets.length) : BATCH;
  let silent = 0;
  for (let at = 0; at < targets.length; at += size) {
    if (signal.aborted) return 'Cancelled.';
    const batch = targets.slice(at, at + size);
    await deps.records.settle(
      journalId,
      batch.map(({ position }): TargetOutcome => [position, 'sending', null]),
    );
    try {
      const answer = await ask(deps, plan, batch, signal);
      await deps.records.settle(journalId, outcomesOf(batch, answer));
      silent = 0;
    } catch (error) {
      if (!(error instanceof ParapetError)) throw error;
      const isRefused = NOT_TAKEN.has(error.code);
      await deps.records.settle(
        journalId,
        batch.map(
          ({ position }): TargetOutcome =>
            isRefused
              ? [position, error.code === 'offline' ? 'not-sent' : 'failed', error.message]
              : [position, 'unknown', error.message],
        ),
      );
      silent += 1;
      if (isRefused || signal.aborted || silent >= SILENT)
        return signal.aborted ? 'Cancelled.' : error.message;
    }
    progress(Math.min(targets.length, at + size));
  }
  return null;
}

/** A service that wants a pause gets it, and the same targets once more: it has not taken them. */
async function ask(deps: SendDeps, plan: ActionPlan, batch: readonly Target[], signal: AbortSignal) {
  for (let waits = 0; ; waits += 1) {
    try {
      return await attempt(deps, plan, batch, signal);
    } catch (error) {
      const limited = error instanceof ParapetError && error.code === 'rate-limited';
      if (!limited || waits >= MAX_WAITS) throw error;
      const wanted = Number(error.data?.['retryAfterMs'] ?? 1_000);
      await pause(Math.min(MAX_WAIT_MS, wanted), signal);
      if (signal.aborted) throw error;
    }
  }
}

function attempt(
  { ctx, own }: SendDeps,
  plan: ActionPlan,
  batch: readonly Target[],
  signal: AbortSignal,
): Promise<TargetsAnswer> {
  if (plan.call === 'query.delete') {
    const request = { params: { id: batch[0]?.entityId ?? '' } };
    own(request);
    return ctx.upstream.send(plan.connectionId, 'query.delete', request, { signal });
  }
  const request = requestOf(plan, batch);
  own(request);
  return ctx.upstream.send(plan.connectionId, 'query.action', request, { signal });
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });

function requestOf(plan: ActionPlan, batch: readonly Target[]): Request<'query.action'> {
  const named: ConditionGroup | null =
    plan.entityField === null
      ? null
      : {
          operator: 'and',
          conditions: [
            { field: plan.entityField, operator: 'in_list', values: batch.map(({ entityId }) => entityId) },
          ],
        };
  return {
    params: { id: plan.queryId ?? UNSAVED_QUERY },
    body: {
      query_domain: plan.domain,
      saas_id: plan.saas,
      condition: named ?? plan.condition,
      query_label: plan.queryLabel,
      columns: plan.columns,
      action_id: plan.actionId,
      action_params: { ...plan.params, reason: plan.reason },
      ...(plan.includeCopies ? { include_copies: true } : {}),
    },
  };
}

type TargetsAnswer = Pick<AnswerOf<'query.action'>, 'success' | 'affected' | 'outcomes'>;

/** The service's answer, target by target. */
export function outcomesOf(batch: readonly Target[], answer: TargetsAnswer): TargetOutcome[] {
  const { outcomes, affected, success } = answer;
  if (outcomes) {
    const named = new Map(outcomes.map((one) => [one.entity_id, one]));
    return batch.map(({ position, entityId }): TargetOutcome => {
      const one = named.get(entityId);
      if (one === undefined) return [position, 'failed', 'The service no longer has it.'];
      if (one.success) return [position, 'done', null];
      return [position, 'failed', one.error ?? 'The service refused it without saying why.'];
    });
  }
  const whole = success && (affected == null || affected >= batch.length);
  if (whole) return batch.map(({ position }): TargetOutcome => [position, 'done', null]);
  const words =
    affected == null
      ? 'The service says that it did not succeed, and not for which targets.'
      : `The service changed ${affected} of ${batch.length} and did not say which.`;
  const none = affected === 0;
  return batch.map(({ position }): TargetOutcome => [position, none ? 'failed' : 'unknown', words]);
}
