/** Actions as they run: started once as a job, retried where they failed, and undone. */
import { endpointOf } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { type Job, type OutputOf, TARGET_STATES } from '#shared/bridge/operations.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { policyWords, REINSTATE, RESTORE_VERSION } from '#shared/model/query-status.ts';
import { RESPONSE_KINDS, RESPONSES } from '#shared/model/responses.ts';
import { changesBetween, queryFieldLabel } from '#shared/query/import-plan.ts';
import type { JobsService } from '../jobs/jobs.ts';
import type { Context, JobHandle } from '../kernel/context.ts';
import { offlineRefusal } from './prepare.ts';
import {
  type ActionPlan,
  ActionRecords,
  inverseBy,
  type NamedTarget,
  outcomeOf,
  type Target,
} from './record.ts';
import { sendAll } from './send.ts';

type PageOf = Parameters<ActionRecords['page']> extends [number, ...infer Rest] ? Rest : never;

interface Begun {
  job: Job;
  journalId: number;
}

/** Runs before the first target is sent; if it rejects, the reason is journaled and nothing is sent. */
type First = (signal: AbortSignal) => Promise<void>;

export class ActionRuns {
  readonly #ctx: Context;
  readonly #records: ActionRecords;
  readonly #requests = new WeakSet<object>();
  /** Journal entries that are being sent, undone, or whose targets are being reserved for another attempt. */
  readonly #running = new Set<number>();
  readonly #retrying = new Set<number>();
  readonly #undoing = new Set<number>();

  constructor(ctx: Context, jobs: JobsService) {
    this.#ctx = ctx;
    this.#records = new ActionRecords(ctx);
    jobs.revive('action', {
      lost: async ({ journalId = '' }) => {
        await this.#records.end(Number(journalId), 'Parapet closed while it ran.');
      },
      retry: async ({ journalId = '' }) => (await this.retry(Number(journalId), false)).job,
    });
  }

  /** The targets of an entry, as recorded in the journal. */
  async page(journalId: number, ...range: PageOf): Promise<OutputOf<'actions.targets'>> {
    const { targets, count } = await this.#records.page(journalId, ...range);
    const plan = await this.#records.plan(journalId);
    const before = new Map(plan?.before);
    const after = new Map(plan?.after);
    return {
      targets: targets.map((target) => {
        const state = before.get(target.entityId);
        const replacement = after.get(target.entityId);
        if (state === undefined) return { ...target, before: null };
        // The journal has whole queries of replacements only.
        const words = replacement ? replacedWords(state as NewQuery, replacement) : policyWords(state);
        return { ...target, before: words };
      }),
      count,
    };
  }

  ownsRequest(request: object): boolean {
    return this.#requests.has(request);
  }

  async begin(plan: ActionPlan, targets: readonly NamedTarget[], first?: First): Promise<Begun> {
    const { job, journalId } = await this.start(plan, targets, first);
    return { job, journalId };
  }

  /** The same; `ended` resolves when the last outcome is recorded. */
  async start(
    plan: ActionPlan,
    targets: readonly NamedTarget[],
    first: First = async () => {},
  ): Promise<Begun & { ended: Promise<void> }> {
    const journalId = await this.#records.begin(plan, targets);
    const handle = this.#ctx.jobs.create({
      kind: 'action',
      title: `${plan.actionLabel}: ${plan.queryLabel || (targets[0]?.name ?? targets[0]?.entityId)}`,
      connectionId: plan.connectionId,
      unit: 'items',
      total: targets.length,
      retry: async () => (await this.retry(journalId, false)).job,
      memo: { journalId: String(journalId) },
    });
    // Every window withdraws the Undo that `undoOf` names.
    handle.update({ outcome: { journalId, undoOf: plan.undoOf } });
    this.#running.add(journalId);
    const ended = this.#run(journalId, plan, targets, first, handle).catch((error: unknown) => {
      this.#running.delete(journalId);
      handle.fail(error);
    });
    return { job: handle.current(), journalId, ended };
  }

  /** Every target of an entry with its outcome. */
  async outcomes(journalId: number) {
    return (await this.#records.page(journalId, TARGET_STATES, 0, Number.MAX_SAFE_INTEGER)).targets;
  }

  async #run(
    journalId: number,
    plan: ActionPlan,
    targets: readonly NamedTarget[],
    first: First,
    handle: JobHandle,
  ): Promise<void> {
    const stopped = await this.#send(journalId, plan, targets, first, handle);
    const counts = await this.#records.end(journalId, stopped);
    this.#running.delete(journalId);
    // Each exception marked caches stale as it was sent; screens are notified once, here.
    if (plan.call === 'exceptions.create-external' && counts.done + counts.unknown > 0)
      this.#ctx.publish({
        type: 'invalidated',
        connectionId: plan.connectionId,
        tags: [...endpointOf(plan.call).invalidates],
      });
    const outcome = { journalId, undoOf: plan.undoOf, ...counts };
    const state = outcomeOf(counts);
    if (state === 'done') handle.done(outcome);
    else if (handle.signal.aborted && counts.done === 0)
      handle.fail(new ParapetError('cancelled', 'Cancelled.'));
    // When nothing succeeded, it is a failure rather than a partial success.
    else if (state === 'failed')
      handle.fail(new ParapetError('server-error', words(counts, stopped), { retryable: true }), outcome);
    else handle.partial(words(counts, stopped), outcome);
  }

  /** Returns why it stopped early, in words, or null if every target was sent. */
  async #send(
    journalId: number,
    plan: ActionPlan,
    targets: readonly NamedTarget[],
    first: First,
    handle: JobHandle,
  ): Promise<string | null> {
    const list = targets.map(({ entityId }, position): Target => ({ position, entityId }));
    try {
      this.#checkService(plan);
      await first(handle.signal);
      return await sendAll(
        {
          ctx: this.#ctx,
          records: this.#records,
          registerRequest: (request) => void this.#requests.add(request),
        },
        journalId,
        plan,
        list,
        handle.signal,
        (done) => handle.update({ done }),
      );
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Targets of one service must never reach another, nor another account. */
  #checkService({ connectionId, generation }: ActionPlan): void {
    if ((generation ?? 0) !== this.#ctx.generations.mark(connectionId).service)
      throw new ParapetError(
        'not-allowed',
        'Not sent: this connection became another service or account before the action left.',
      );
  }

  /** One attempt at a time: a second one has to see which targets the first has reserved. */
  async retry(journalId: number, unknown: boolean): Promise<Begun> {
    if (this.#retrying.has(journalId))
      throw new ParapetError('not-allowed', 'These targets are being retried already.');
    this.#retrying.add(journalId);
    try {
      return await this.#takeAgain(journalId, unknown);
    } finally {
      this.#retrying.delete(journalId);
    }
  }

  async #takeAgain(journalId: number, unknown: boolean): Promise<Begun> {
    const plan = await this.#records.plan(journalId);
    if (plan === null) throw new ParapetError('not-found', 'The journal has no such action.');
    if (this.#running.has(journalId)) throw stillRunning('retry what failed');
    if (this.#ctx.upstream.isOffline(plan.connectionId)) throw offlineRefusal();
    if ((plan.generation ?? 0) !== this.#ctx.generations.mark(plan.connectionId).service)
      throw new ParapetError(
        'not-allowed',
        'When the action was sent, this connection was another service or account, which these targets belong to.',
      );
    if (plan.entityField === null)
      throw new ParapetError(
        'not-allowed',
        'This service takes conditions only: run the query again and act on its results.',
      );
    const states = ['failed', 'not-sent', ...(unknown ? (['unknown'] as const) : [])] as const;
    const targets = await this.#records.notRetried(journalId, states);
    if (targets.length === 0) {
      const tried = (await this.#records.targets(journalId, states)).length > 0;
      const doubtful = (await this.#records.notRetried(journalId, ['unknown'])).length;
      throw new ParapetError(
        'not-allowed',
        tried
          ? 'These targets were already retried: a later journal entry has their outcome. Continue from there.'
          : doubtful > 0
            ? `Nothing was sent: the remaining targets got no answer, so it is unknown whether the change arrived. Check them on the service, then choose “Try ${doubtful} not known again…” under the entry in the journal.`
            : 'No targets are left to retry.',
      );
    }
    return this.begin({ ...plan, retryOf: journalId }, targets);
  }

  /**
   * Sends the inverse of an action to the targets it was done to, as a new action. Reserved before anything is awaited:
   * of several requests one is sent.
   */
  async undo(journalId: number, signal: AbortSignal): Promise<Begun> {
    if (this.#undoing.has(journalId)) throw alreadyUndone();
    this.#undoing.add(journalId);
    try {
      return await this.#takeBack(journalId, signal);
    } finally {
      this.#undoing.delete(journalId);
    }
  }

  async #takeBack(journalId: number, signal: AbortSignal): Promise<Begun> {
    if (await this.#records.isUndone(journalId)) throw alreadyUndone();
    const response = await this.#records.response(journalId);
    const plan = response?.plan ?? (await this.#records.plan(journalId));
    const inverse = plan === null ? null : inverseBy(plan.call, plan.actionId);
    if (plan === null || inverse === null || plan.entityField === null)
      throw new ParapetError('not-allowed', 'Nothing takes this change back.');
    if (this.#running.has(journalId)) throw stillRunning('undo it');
    if (this.#ctx.upstream.isOffline(plan.connectionId)) throw offlineRefusal();
    this.#checkService(plan);
    const actionLabel = await this.#labelOf(inverse, plan, signal);
    const call = plan.before ? { call: 'query.update' as const } : {};
    const targets = response ? [response.target] : await this.#records.targets(journalId, ['done']);
    if (targets.length === 0)
      throw new ParapetError('not-allowed', 'None of it was done, so there is nothing to undo.');
    const undone = {
      ...plan,
      ...call,
      actionId: inverse,
      actionLabel,
      params: {},
      reason: `Undo: ${plan.reason}`.slice(0, 2000),
      retryOf: null,
      undoOf: journalId,
    };
    return await this.begin(undone, targets);
  }

  /** Manual actions are the specification's own; the others are what the service offers for the plan's rows. */
  async #labelOf(actionId: string, plan: ActionPlan, signal: AbortSignal): Promise<string> {
    const { connectionId, saas, domain } = plan;
    const ofQueries = [REINSTATE, RESTORE_VERSION].find(({ id }) => id === actionId);
    if (ofQueries) return ofQueries.label;
    const response = RESPONSE_KINDS.find((kind) => kind === actionId);
    if (plan.call === 'manual-actions.create' && response !== undefined) return RESPONSES[response].verb;
    const { actions } = await this.#ctx.upstream.send(
      connectionId,
      'query.config',
      { query: { saas_id: saas, query_domain: domain } },
      { signal },
    );
    const action = actions.find(({ id }) => id === actionId);
    if (action === undefined)
      throw new ParapetError(
        'not-allowed',
        `The service does not offer the action that undoes “${plan.actionLabel}”.`,
      );
    return action.label;
  }
}

/** A query before an import replaced it: what it did, and the fields that the file had otherwise. */
function replacedWords(before: NewQuery, file: NewQuery): string {
  const fields = changesBetween(before, file, null)
    .filter(({ field }) => field !== 'scheduledExport')
    .map((change) => `${queryFieldLabel(change.field)}: ${change.before}`);
  return [policyWords(before), ...fields].join('. ');
}

const alreadyUndone = () =>
  new ParapetError('not-allowed', 'This was already undone; the journal has a later entry.');

const stillRunning = (next: string) =>
  new ParapetError('not-allowed', `This action is still running. Wait until it has finished, then ${next}.`);

function words(counts: Readonly<Record<string, number>>, stopped: string | null): string {
  const parts = [
    [counts['done'], 'done'],
    [counts['failed'], 'failed'],
    [counts['not-sent'], 'not sent'],
    [counts['unknown'], 'without an answer'],
  ] as const;
  const text = parts.flatMap(([count, word]) => (count ? [`${count} ${word}`] : [])).join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.${stopped === null ? '' : ` ${stopped}`}`;
}
