/** Sends an action to its frozen targets in batches and records the outcome of each. */
import { UNSAVED_QUERY } from '#shared/api/catalogue/queries.ts';
import type { AnswerOf, Request } from '#shared/api/catalogue.ts';
import { NOT_ACCEPTED, ParapetError } from '#shared/bridge/errors.ts';
import { type ExceptionRule, exceptionOf } from '#shared/exceptions/rule.ts';
import { validateRule } from '#shared/exceptions/validate.ts';
import { flagsOf } from '#shared/model/flags.ts';
import { entityCondition } from '#shared/query/entity-condition.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Context } from '../kernel/context.ts';
import { stateOf } from '../workspace/journal.ts';
import { changedTargets, readNow, versionsOf } from './query-versions.ts';
import type {
  ActionCall,
  ActionPlan,
  ActionRecords,
  ExceptionOrder,
  Target,
  TargetOutcome,
} from './record.ts';

/** Targets per request: few enough that a lost answer leaves few in doubt. */
const BATCH = 250;
/** Consecutive requests without an answer before giving up. */
const MAX_UNANSWERED = 2;
/** Exceptions are sent one per request; this many in flight hide the round trip without burdening a service. */
const CONCURRENT_EXCEPTIONS = 4;
const LINGER_MS = 2_000;
/** Error codes that concern a single exception; after any other, further requests would fail too. */
const SINGLE_FAILURES = new Set<ParapetError['code']>(['bad-request', 'invalid-input', 'conflict']);
/** The same for deleting or saving a query: each has its own owner, and somebody else may have deleted it already. */
const SINGLE_QUERY_FAILURES = new Set<ParapetError['code']>([...SINGLE_FAILURES, 'not-found', 'forbidden']);
const MAX_WAITS = 5;
const MAX_WAIT_MS = 60_000;

type ActionRequest = Request<ActionCall>;

export interface SendDeps {
  ctx: Context;
  records: ActionRecords;
  /** Registers a request as part of this action before it is sent, since the journal records the action as a whole. */
  registerRequest(request: ActionRequest): void;
}

/** Why it stopped early, in words, or null if every target was sent. */
export type Stopped = string | null;

/** Never rejects because of a target; targets not sent stay `pending` for `records.end`. */
export async function sendAll(
  deps: SendDeps,
  journalId: number,
  plan: ActionPlan,
  confirmed: readonly Target[],
  signal: AbortSignal,
  progress: (sent: number) => void,
): Promise<Stopped> {
  const changed = await changedTargets(deps.ctx, plan, confirmed, signal);
  await deps.records.recordOutcomes(
    journalId,
    confirmed.flatMap(({ position, entityId }): TargetOutcome[] => {
      const words = changed.get(entityId);
      return words === undefined ? [] : [[position, 'failed', words]];
    }),
  );
  const targets = confirmed.filter(({ entityId }) => !changed.has(entityId));
  const singleFailures = plan.exceptions
    ? SINGLE_FAILURES
    : plan.call === 'query.delete' || plan.call === 'query.update'
      ? SINGLE_QUERY_FAILURES
      : null;
  const size = singleFailures !== null ? 1 : plan.entityField === null ? Math.max(1, targets.length) : BATCH;
  const request = requestsOf(deps, plan, signal);
  const settled = await settledBy(deps.records, plan);
  let next = 0;
  let sent = changed.size;
  let unanswered = 0;
  let stopped: Stopped = null;
  /** Records the failure for each target of a batch; returns why to stop, if so. */
  const refuse = async (batch: readonly Target[], error: ParapetError): Promise<Stopped> => {
    const isRefused = singleFailures ? stateOf(error) === 'failed' : NOT_ACCEPTED.has(error.code);
    const state = error.code === 'offline' ? 'not-sent' : isRefused ? 'failed' : 'unknown';
    const serviceMessage = plan.exceptions ? error.data?.['serviceMessage'] : null;
    const words = typeof serviceMessage === 'string' ? serviceMessage : error.message;
    const isGone = error.code === 'not-found';
    await deps.records.recordOutcomes(
      journalId,
      batch.map((target): TargetOutcome => settled(target, [target.position, state, words], isGone)),
    );
    if (signal.aborted) return 'Cancelled.';
    if (singleFailures?.has(error.code)) {
      unanswered = 0;
      return null;
    }
    unanswered += 1;
    return NOT_ACCEPTED.has(error.code) || unanswered >= MAX_UNANSWERED ? error.message : null;
  };
  const sendBatches = async (): Promise<void> => {
    while (next < targets.length && stopped === null) {
      if (signal.aborted) {
        stopped = 'Cancelled.';
        return;
      }
      const batch = targets.slice(next, next + size);
      next += size;
      await deps.records.recordOutcomes(
        journalId,
        batch.map(({ position }): TargetOutcome => [position, 'sending', null]),
      );
      try {
        const answer = await sendWithPauses(() => request(batch), signal);
        const outcomes = outcomesOf(batch, answer);
        await deps.records.recordOutcomes(
          journalId,
          batch.map((target, index) => settled(target, outcomes[index] as TargetOutcome)),
        );
        unanswered = 0;
      } catch (error) {
        if (!(error instanceof ParapetError)) throw error;
        stopped = (await refuse(batch, error)) ?? stopped;
      }
      sent += batch.length;
      if (stopped === null) progress(sent);
    }
  };
  const senders = Array.from({ length: plan.exceptions ? CONCURRENT_EXCEPTIONS : 1 }, () =>
    sendBatches().catch((error: unknown) => {
      // An outcome that cannot be recorded stops the action; other requests in flight still finish.
      stopped ??= String(error);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(senders);
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason;
  return stopped;
}

const EARLIER = 'An earlier attempt may have done it.';

/**
 * The outcome of a target in view of earlier attempts: a refusal says nothing about one that got no answer, and a
 * repeated delete finds nothing where an earlier one was carried out. Such a target is done, or not known.
 */
async function settledBy(records: ActionRecords, { retryOf, actionId }: ActionPlan) {
  const doubtful = new Set(
    retryOf === null ? [] : (await records.targets(retryOf, ['unknown'])).map(({ entityId }) => entityId),
  );
  return ({ entityId }: Target, outcome: TargetOutcome, isGone = outcome[2] === GONE): TargetOutcome => {
    const [position, state, words] = outcome;
    const mayBeEarlier = doubtful.has(entityId) || (retryOf !== null && actionId === 'delete' && isGone);
    return state === 'failed' && mayBeEarlier
      ? [position, 'unknown', [words, EARLIER].filter(Boolean).join(' ')]
      : outcome;
  };
}

/** When the service asks to slow down, waits and sends the same targets again: it has not accepted them. */
async function sendWithPauses(
  send: () => Promise<TargetsAnswer>,
  signal: AbortSignal,
): Promise<TargetsAnswer> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await send();
    } catch (error) {
      const limited = error instanceof ParapetError && error.code === 'rate-limited';
      if (!limited || waits >= MAX_WAITS) throw error;
      const delay = Number(error.data?.['retryAfterMs'] ?? 1_000);
      await pause(Math.min(MAX_WAIT_MS, delay), signal);
      if (signal.aborted) throw error;
    }
  }
}

/** How a batch of this plan is sent. */
function requestsOf(
  { ctx, registerRequest }: SendDeps,
  plan: ActionPlan,
  signal: AbortSignal,
): (batch: readonly Target[]) => Promise<TargetsAnswer> {
  const { connectionId, exceptions } = plan;
  if (exceptions) {
    const make = exceptionsOf(exceptions, flagsOf(ctx.connection(connectionId).flags));
    const late = delayedAbort(signal);
    return async ([target]) => {
      const request = make(target?.entityId ?? '');
      registerRequest(request);
      const { success } = await ctx.upstream.send(connectionId, 'exceptions.create-external', request, {
        signal: late,
      });
      if (!success) throw new ParapetError('bad-request', 'The service reported that it was not done.');
      return { success };
    };
  }
  if (plan.call === 'query.delete')
    return (batch) => {
      const request = { params: { id: batch[0]?.entityId ?? '' } };
      registerRequest(request);
      return ctx.upstream.send(connectionId, 'query.delete', request, { signal });
    };
  const { operator } = plan;
  if (plan.call === 'policies.operation' && operator)
    return async (batch) => {
      const policies_ids = batch.map(({ entityId }) => entityId);
      const request = { body: { operator, policies_ids } };
      registerRequest(request);
      const { outcomes, ...answer } = await ctx.upstream.send(connectionId, 'policies.operation', request, {
        signal,
      });
      return { ...answer, outcomes: outcomes?.map(({ id, ...rest }) => ({ ...rest, entity_id: id })) };
    };
  if (plan.call === 'query.update') {
    const versionOf = versionsOf(plan);
    return async ([target]) => {
      const id = target?.entityId ?? '';
      const { body, note } = versionOf(id, await readNow(ctx, connectionId, id, signal));
      const request = { params: { id }, body };
      registerRequest(request);
      await ctx.upstream.send(connectionId, 'query.update', request, { signal });
      return { success: true, outcomes: [{ entity_id: id, success: true, error: note }] };
    };
  }
  if (plan.call === 'exceptions.create')
    return (batch) => {
      const sec_type = String(plan.params['tool']);
      const request = {
        body: {
          files: batch.map(({ entityId }) => ({ entity_type: plan.domain, entity_id: entityId, sec_type })),
        },
      };
      registerRequest(request);
      return ctx.upstream.send(connectionId, 'exceptions.create', request, { signal });
    };
  if (plan.call === 'manual-actions.create')
    return (batch) => {
      const request = {
        body: {
          entity_ids: batch.map(({ entityId }) => entityId),
          entity_type: plan.domain,
          data: { ...plan.params, action: plan.actionId, reason: plan.reason },
          date_trigger: null,
        },
      };
      registerRequest(request);
      return ctx.upstream.send(connectionId, 'manual-actions.create', request, { signal });
    };
  let { queryId } = plan;
  const sendAction = (batch: readonly Target[]) => {
    const request = requestOf({ ...plan, queryId }, batch);
    registerRequest(request);
    return ctx.upstream.send(connectionId, 'query.action', request, { signal });
  };
  return async (batch) => {
    try {
      return await sendAction(batch);
    } catch (error) {
      const isGone = error instanceof ParapetError && error.code === 'not-found';
      if (!isGone || queryId === null) throw error;
      // Somebody else deleted the saved query. The request names its targets itself.
      queryId = null;
      return sendAction(batch);
    }
  };
}

/** The request for one value; throws when the shared validation refuses it, so that it is never sent. */
function exceptionsOf(
  { secType, rule, isExclusive, comment, comments }: ExceptionOrder,
  flags: Readonly<Record<string, boolean>>,
): (value: string) => Request<'exceptions.create-external'> {
  const commentsById = new Map(comments);
  const { field, matching, ...common } = rule;
  return (value) => {
    const rule: ExceptionRule = { ...common, conditions: [{ field, matching, value }] };
    const ownComment = (commentsById.get(value) ?? comment)?.trim() || null;
    const [error] = validateRule(rule, flags, ownComment ?? '');
    if (error) throw new ParapetError('invalid-input', error.message);
    return {
      body: { sec_type: secType, exception: exceptionOf(rule, { comment: ownComment, isExclusive }) },
    };
  };
}

/** Aborts some time after `signal`, so that requests in flight can still be answered after a cancel. */
function delayedAbort(signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const begin = () => void setTimeout(() => late.abort(), LINGER_MS).unref();
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return late.signal;
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });

function requestOf(plan: ActionPlan, batch: readonly Target[]): Request<'query.action'> {
  const named: ConditionGroup | null =
    plan.entityField === null
      ? null
      : entityCondition(
          plan.entity ?? { field: plan.entityField, operator: 'in_list', takesList: true },
          batch.map(({ entityId }) => entityId),
        );
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

const GONE = 'The service no longer has it.';
const UNMENTIONED = 'The service did not say what came of it.';
const NOTHING_DONE = 'The service changed nothing and did not say why.';

/**
 * The outcome of targets that the response does not name. The embedded service names every target; another service may
 * name only failed ones, and then the number of changed targets decides.
 */
function unnamed(
  named: readonly { success: boolean }[],
  count: number,
  { affected, success }: Pick<TargetsAnswer, 'affected' | 'success'>,
): [TargetOutcome[1], TargetOutcome[2]] {
  const changed = affected == null ? null : affected - named.filter((outcome) => outcome.success).length;
  // An answer that names nothing and reports a failure says nothing about what the service still has.
  if (changed === 0) return ['failed', named.length === 0 && !success ? NOTHING_DONE : GONE];
  if (changed !== null && changed >= count) return ['done', null];
  return changed === null && named.length === 0 && success ? ['done', null] : ['unknown', UNMENTIONED];
}

/** The service's answer as one outcome per target. */
function outcomesOf(batch: readonly Target[], answer: TargetsAnswer): TargetOutcome[] {
  const { outcomes, affected, success } = answer;
  if (outcomes) {
    // A target with several outcomes, as of its copies, is done when all of them are.
    const named = new Map(
      [...outcomes]
        .sort((a, b) => Number(b.success) - Number(a.success))
        .map((outcome) => [outcome.entity_id, outcome]),
    );
    const foundOutcomes = batch.flatMap(({ entityId }) => named.get(entityId) ?? []);
    const other = unnamed(foundOutcomes, batch.length - foundOutcomes.length, answer);
    return batch.map(({ position, entityId }): TargetOutcome => {
      const outcome = named.get(entityId);
      if (outcome === undefined) return [position, ...other];
      if (outcome.success) return [position, 'done', outcome.error ?? null];
      return [position, 'failed', outcome.error ?? 'The service refused it without saying why.'];
    });
  }
  const whole = success && (affected == null || affected >= batch.length);
  if (whole) return batch.map(({ position }): TargetOutcome => [position, 'done', null]);
  const words =
    affected == null
      ? 'The service says that it did not succeed, but not for which targets.'
      : `The service changed ${affected} of ${batch.length} and did not say which.`;
  const none = affected === 0;
  return batch.map(({ position }): TargetOutcome => [position, none ? 'failed' : 'unknown', words]);
}
