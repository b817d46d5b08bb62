/** Sending an action to its frozen targets, some at a time, and what became of each. */
import { UNSAVED_QUERY } from '#shared/api/catalogue/queries.ts';
import type { AnswerOf, Request } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { type ExceptionRule, exceptionOf } from '#shared/exceptions/rule.ts';
import { validateRule } from '#shared/exceptions/validate.ts';
import { flagsOf } from '#shared/model/flags.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Context } from '../kernel/context.ts';
import { NOT_TAKEN } from '../upstream/upstream.ts';
import { stateOf } from '../workspace/journal.ts';
import type { ActionPlan, ActionRecords, ExceptionOrder, Target, TargetOutcome } from './record.ts';

/** Targets of one request: small enough that a lost answer leaves few in doubt. */
const BATCH = 250;
/** Requests without an answer in a row, after which no more are sent. */
const SILENT = 2;
/** Exceptions, one a request, on the way together: enough to hide the way there and back, few enough for any service. */
const AT_ONCE = 4;
const LINGER_MS = 2_000;
/** Codes of a refusal that is about one exception; after any other the next would fare no better. */
const OF_ONE = new Set<ParapetError['code']>(['bad-request', 'invalid-input', 'conflict']);
const MAX_WAITS = 5;
const MAX_WAIT_MS = 60_000;

type ActionRequest = Request<'query.action' | 'query.delete' | 'exceptions.create-external'>;

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
    plan.call === 'query.delete' || plan.exceptions
      ? 1
      : plan.entityField === null
        ? Math.max(1, targets.length)
        : BATCH;
  const request = requestsOf(deps, plan, signal);
  let next = 0;
  let sent = 0;
  let silent = 0;
  let stopped: Stopped = null;
  /** A failed batch, told target by target; and why nothing more is sent, if so. */
  const refuse = async (batch: readonly Target[], error: ParapetError): Promise<Stopped> => {
    const isRefused = plan.exceptions ? stateOf(error) === 'failed' : NOT_TAKEN.has(error.code);
    const state = error.code === 'offline' ? 'not-sent' : isRefused ? 'failed' : 'unknown';
    const said = plan.exceptions ? error.data?.['said'] : null;
    const words = typeof said === 'string' ? said : error.message;
    await deps.records.settle(
      journalId,
      batch.map(({ position }): TargetOutcome => [position, state, words]),
    );
    if (signal.aborted) return 'Cancelled.';
    if (plan.exceptions && OF_ONE.has(error.code)) {
      silent = 0;
      return null;
    }
    silent += 1;
    return NOT_TAKEN.has(error.code) || silent >= SILENT ? error.message : null;
  };
  const lane = async (): Promise<void> => {
    while (next < targets.length && stopped === null) {
      if (signal.aborted) {
        stopped = 'Cancelled.';
        return;
      }
      const batch = targets.slice(next, next + size);
      next += size;
      await deps.records.settle(
        journalId,
        batch.map(({ position }): TargetOutcome => [position, 'sending', null]),
      );
      try {
        const answer = await ask(() => request(batch), signal);
        await deps.records.settle(journalId, outcomesOf(batch, answer));
        silent = 0;
      } catch (error) {
        if (!(error instanceof ParapetError)) throw error;
        stopped = (await refuse(batch, error)) ?? stopped;
      }
      sent += batch.length;
      if (stopped === null) progress(sent);
    }
  };
  const lanes = Array.from({ length: plan.exceptions ? AT_ONCE : 1 }, () =>
    lane().catch((error: unknown) => {
      // What cannot be noted must not be sent: the others end with what they have on the way.
      stopped ??= String(error);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(lanes);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return stopped;
}

/** A service that wants a pause gets it, and the same targets once more: it has not taken them. */
async function ask(send: () => Promise<TargetsAnswer>, signal: AbortSignal): Promise<TargetsAnswer> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await send();
    } catch (error) {
      const limited = error instanceof ParapetError && error.code === 'rate-limited';
      if (!limited || waits >= MAX_WAITS) throw error;
      const wanted = Number(error.data?.['retryAfterMs'] ?? 1_000);
      await pause(Math.min(MAX_WAIT_MS, wanted), signal);
      if (signal.aborted) throw error;
    }
  }
}

/** How a batch of this plan is sent. */
function requestsOf(
  { ctx, own }: SendDeps,
  plan: ActionPlan,
  signal: AbortSignal,
): (batch: readonly Target[]) => Promise<TargetsAnswer> {
  const { connectionId, exceptions } = plan;
  if (exceptions) {
    const make = exceptionsOf(exceptions, flagsOf(ctx.connection(connectionId).flags));
    const late = lingering(signal);
    return async ([target]) => {
      const request = make(target?.entityId ?? '');
      own(request);
      const { success } = await ctx.upstream.send(connectionId, 'exceptions.create-external', request, {
        signal: late,
      });
      if (!success) throw new ParapetError('bad-request', 'The service says that it was not done.');
      return { success };
    };
  }
  if (plan.call === 'query.delete')
    return (batch) => {
      const request = { params: { id: batch[0]?.entityId ?? '' } };
      own(request);
      return ctx.upstream.send(connectionId, 'query.delete', request, { signal });
    };
  return (batch) => {
    const request = requestOf(plan, batch);
    own(request);
    return ctx.upstream.send(connectionId, 'query.action', request, { signal });
  };
}

/** The request for a value; throws for one that the shared rules refuse, so that it is never sent. */
function exceptionsOf(
  { secType, rule, isExclusive, comment, comments }: ExceptionOrder,
  flags: Readonly<Record<string, boolean>>,
): (value: string) => Request<'exceptions.create-external'> {
  const own = new Map(comments);
  const { field, matching, ...common } = rule;
  return (value) => {
    const one: ExceptionRule = { ...common, conditions: [{ field, matching, value }] };
    const said = (own.get(value) ?? comment)?.trim() || null;
    const [error] = validateRule(one, flags, said ?? '');
    if (error) throw new ParapetError('invalid-input', error.message);
    return { body: { sec_type: secType, exception: exceptionOf(one, { comment: said, isExclusive }) } };
  };
}

/** Aborts a while after `signal`: what is on its way when the rest is cancelled has that long for its answer. */
function lingering(signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const begin = () => void setTimeout(() => late.abort(), LINGER_MS).unref();
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return late.signal;
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
function outcomesOf(batch: readonly Target[], answer: TargetsAnswer): TargetOutcome[] {
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
