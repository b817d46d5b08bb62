/** Actions on rows: prepared, sent once as a job, and retried where they failed. Never queued. */
import { endpointOf } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { type Job, TARGET_STATES } from '#shared/bridge/operations.ts';
import type { ActionConfig } from '#shared/model/entities.ts';
import { inverseOf } from '#shared/model/responses.ts';
import { expandProduct } from '#shared/model/white-label.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import type { JobsService } from '../jobs/jobs.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf, OperationIn } from '../kernel/handlers.ts';
import { type Frozen, offlineRefusal, type PrepareDeps, prepare } from './prepare.ts';
import {
  type ActionPlan,
  createActionRepository,
  type NamedTarget,
  outcomeOf,
  type Target,
} from './record.ts';
import { pause, sendAll } from './send.ts';

const NO_NAME = { name: null, recipient: null };
/** Prepared actions held at a time; the oldest is dropped first. */
const KEPT = 8;

export interface ActionsService {
  handlers: HandlersOf<OperationIn<'actions'> | 'queries.delete' | 'exceptions.create-many'>;
  /** Whether a request is part of an action, which the journal then has already. */
  ownsRequest(request: object): boolean;
}

export function createActions(
  ctx: Context,
  jobs: JobsService,
  deps: Omit<PrepareDeps, 'ctx'>,
): ActionsService {
  const records = createActionRepository(ctx);
  const frozen = new Map<string, Frozen>();
  const requests = new WeakSet<object>();
  const running = new Set<number>();
  /** Journal entries whose targets are being reserved for another attempt, or taken back. */
  const retrying = new Set<number>();
  const undoing = new Set<number>();

  /** `first` runs before the first target is sent; if it rejects, the reason is journaled and nothing is sent. */
  const begin = async (
    plan: ActionPlan,
    targets: readonly NamedTarget[],
    first: (signal: AbortSignal) => Promise<void> = async () => {},
  ) => {
    const journalId = await records.begin(plan, targets);
    const handle = ctx.jobs.create({
      kind: 'action',
      title: `${plan.actionLabel}: ${plan.queryLabel}`,
      connectionId: plan.connectionId,
      unit: 'items',
      total: targets.length,
      retry: async () => (await retry(journalId, false)).job,
      memo: { journalId: String(journalId) },
    });
    handle.update({ outcome: { journalId } });
    const list = targets.map(({ entityId }, position): Target => ({ position, entityId }));
    running.add(journalId);
    const work = async () => {
      let stopped: string | null = null;
      try {
        checkService(plan);
        await first(handle.signal);
        stopped = await sendAll(
          { ctx, records, registerRequest: (request) => void requests.add(request) },
          journalId,
          plan,
          list,
          handle.signal,
          (done) => handle.update({ done }),
        );
      } catch (error) {
        stopped = error instanceof Error ? error.message : String(error);
      }
      const counts = await records.end(journalId, stopped);
      running.delete(journalId);
      // Each exception marked caches stale as it was sent; screens are notified once, here.
      if (plan.call === 'exceptions.create-external' && counts.done + counts.unknown > 0)
        ctx.publish({
          type: 'invalidated',
          connectionId: plan.connectionId,
          tags: [...endpointOf(plan.call).invalidates],
        });
      const outcome = { journalId, ...counts };
      const state = outcomeOf(counts);
      if (state === 'done') handle.done(outcome);
      else if (handle.signal.aborted && counts.done === 0)
        handle.fail(new ParapetError('cancelled', 'Cancelled.'));
      // When nothing succeeded, it is a failure rather than a partial success.
      else if (state === 'failed')
        handle.fail(new ParapetError('server-error', words(counts, stopped), { retryable: true }), outcome);
      else handle.partial(words(counts, stopped), outcome);
    };
    void work().catch((error: unknown) => {
      running.delete(journalId);
      handle.fail(error);
    });
    return { job: handle.current(), journalId };
  };

  /** Targets of one service must never reach another, nor another account. */
  const checkService = ({ connectionId, generation }: ActionPlan) => {
    if ((generation ?? 0) !== ctx.generations.mark(connectionId).service)
      throw new ParapetError(
        'not-allowed',
        'Not sent: this connection became another service or account before the action left.',
      );
  };

  /** One attempt at a time: a second one has to see which targets the first has reserved. */
  const retry = async (journalId: number, unknown: boolean): Promise<{ job: Job; journalId: number }> => {
    if (retrying.has(journalId))
      throw new ParapetError('not-allowed', 'These targets are being tried again already.');
    retrying.add(journalId);
    try {
      return await takeAgain(journalId, unknown);
    } finally {
      retrying.delete(journalId);
    }
  };

  const takeAgain = async (journalId: number, unknown: boolean) => {
    const plan = await records.plan(journalId);
    if (plan === null) throw new ParapetError('not-found', 'The journal has no such action.');
    if (running.has(journalId)) throw new ParapetError('not-allowed', 'This action is still running.');
    if (ctx.upstream.isOffline(plan.connectionId)) throw offlineRefusal();
    if ((plan.generation ?? 0) !== ctx.generations.mark(plan.connectionId).service)
      throw new ParapetError(
        'not-allowed',
        'This connection was another service or account when the action was sent: its targets are not those of the one that it is now.',
      );
    if (plan.entityField === null)
      throw new ParapetError(
        'not-allowed',
        'This service takes conditions only: run the query again and act on what it finds.',
      );
    const states = ['failed', 'not-sent', ...(unknown ? (['unknown'] as const) : [])] as const;
    const targets = await records.notRetried(journalId, states);
    if (targets.length === 0) {
      const tried = (await records.targets(journalId, states)).length > 0;
      const doubtful = (await records.notRetried(journalId, ['unknown'])).length;
      throw new ParapetError(
        'not-allowed',
        tried
          ? 'These targets were tried again already: the journal has a later entry with what became of them. Go on from there.'
          : doubtful > 0
            ? `Nothing was sent: what is left has no answer, it is not known whether it arrived. Look at it on the service, then choose “Try ${doubtful} not known again…” under its entry in the journal.`
            : 'No target is left to try again.',
      );
    }
    return begin({ ...plan, retryOf: journalId }, targets);
  };

  /** Sends the inverse of an action to the targets it was done to, as a new action. */
  const undo = async (journalId: number, signal: AbortSignal): Promise<{ job: Job; journalId: number }> => {
    const plan = await records.plan(journalId);
    const inverse =
      plan === null || (plan.call ?? 'query.action') !== 'query.action' ? null : inverseOf(plan.actionId);
    if (plan === null || inverse === null || plan.entityField === null)
      throw new ParapetError('not-allowed', 'Nothing takes this change back.');
    if (running.has(journalId)) throw new ParapetError('not-allowed', 'This action is still running.');
    if (ctx.upstream.isOffline(plan.connectionId)) throw offlineRefusal();
    checkService(plan);
    const { connectionId, saas, domain } = plan;
    const { actions } = await ctx.upstream.send(
      connectionId,
      'query.config',
      { query: { saas_id: saas, query_domain: domain } },
      { signal },
    );
    const action = actions.find(({ id }) => id === inverse);
    if (action === undefined)
      throw new ParapetError(
        'not-allowed',
        `The service does not offer what takes “${plan.actionLabel}” back.`,
      );
    if (undoing.has(journalId) || (await records.isUndone(journalId)))
      throw new ParapetError('not-allowed', 'This was undone already; the journal has a later entry.');
    undoing.add(journalId);
    try {
      const targets = await records.targets(journalId, ['done']);
      if (targets.length === 0) throw new ParapetError('not-allowed', 'Nothing of it was done.');
      const undone = {
        ...plan,
        actionId: inverse,
        actionLabel: action.label,
        params: {},
        reason: `Undo: ${plan.reason}`.slice(0, 2000),
        retryOf: null,
        undoOf: journalId,
      };
      return await begin(undone, targets);
    } finally {
      undoing.delete(journalId);
    }
  };

  jobs.revive('action', {
    async lost({ journalId = '' }) {
      await records.end(Number(journalId), 'Parapet closed while it ran.');
    },
    retry: async ({ journalId = '' }) => (await retry(Number(journalId), false)).job,
  });

  return {
    ownsRequest: (request) => requests.has(request),
    handlers: {
      async 'actions.prepare'(input, { signal }) {
        const prepared = await prepare({ ctx, ...deps }, input, signal);
        frozen.set(prepared.shown.id, prepared);
        const [oldest] = frozen.keys();
        if (frozen.size > KEPT && oldest !== undefined) frozen.delete(oldest);
        return prepared.shown;
      },

      async 'actions.preview'({ preparedId, start, end }, { signal }) {
        const prepared = frozen.get(preparedId);
        if (prepared === undefined)
          throw new ParapetError(
            'not-found',
            'This preparation is no longer kept. Prepare the action again.',
          );
        const ids = prepared.entityIds.slice(start, Math.min(end, start + 1_000));
        return { rows: await deps.rows(prepared.shown.resultId, ids, signal) };
      },

      // A confirmed action must not end with the window in which it was confirmed.
      async 'actions.send'({ preparedId, actionId, params, reason }) {
        const prepared = frozen.get(preparedId);
        if (prepared === undefined)
          throw new ParapetError(
            'not-allowed',
            'This preparation was sent already or is no longer kept. Prepare the action again.',
          );
        const { shown, record, entityField, actions, entityIds, names, queryId, mark } = prepared;
        const { payload, connectionId } = record;
        if (ctx.upstream.isOffline(connectionId)) throw offlineRefusal();
        ctx.generations.check(mark);
        const action = actions.find(({ id }) => id === actionId);
        if (action === undefined)
          throw new ParapetError('invalid-input', 'The service does not offer this action here.', {
            data: { field: 'actionId' },
          });
        checkParams(action, params);
        // Removed at once, so that the same targets cannot be sent twice.
        frozen.delete(preparedId);
        try {
          return await begin(
            {
              connectionId,
              queryId,
              queryLabel: shown.queryLabel,
              scope: shown.scope,
              domain: payload.query_domain,
              saas: payload.saas_id,
              columns: payload.columns,
              includeCopies: payload.include_copies,
              entityField,
              condition: payload.condition,
              actionId,
              actionLabel: action.label,
              params,
              reason,
              retryOf: null,
              generation: mark.service,
            },
            entityIds.map((entityId) => ({ entityId, ...(names.get(entityId) ?? NO_NAME) })),
            (signal) => (entityField === null ? sameCount(ctx, prepared, signal) : Promise.resolve()),
          );
        } catch (error) {
          // The journal entry could not be written, so nothing was sent and the analyst may try again.
          frozen.set(preparedId, prepared);
          throw error;
        }
      },

      async 'queries.delete'({ connectionId, queries, undoMs }) {
        ctx.connection(connectionId);
        const mark = ctx.generations.mark(connectionId);
        if (ctx.upstream.isOffline(connectionId)) throw offlineRefusal();
        const [first] = queries;
        const started = ctx.ports.now();
        return begin(
          {
            call: 'query.delete',
            connectionId,
            queryId: null,
            queryLabel: queries.length === 1 ? (first?.name ?? '') : `${queries.length} queries`,
            scope: 'selected',
            domain: 'query',
            saas: '',
            columns: [],
            includeCopies: false,
            entityField: 'id',
            condition: emptyGroup(),
            actionId: 'delete',
            actionLabel: 'Delete',
            params: {},
            reason: '',
            retryOf: null,
            generation: mark.service,
          },
          queries.map(({ id, name }) => ({ entityId: id, name, recipient: null })),
          async (signal) => {
            await pause(Math.max(0, undoMs - (ctx.ports.now() - started)), signal);
            if (signal.aborted)
              throw new ParapetError(
                'cancelled',
                'Not sent: it was undone, or Parapet closed, before the time for Undo was over.',
              );
          },
        );
      },

      async 'exceptions.create-many'({ connectionId, rule, isExclusive, comment, rows }) {
        const { product } = ctx.connection(connectionId);
        const mark = ctx.generations.mark(connectionId);
        if (ctx.upstream.isOffline(connectionId)) throw offlineRefusal();
        const secType = expandProduct(rule.tool, product);
        return begin(
          {
            call: 'exceptions.create-external',
            exceptions: {
              secType,
              rule,
              isExclusive,
              comment,
              comments: rows.flatMap((row): [string, string][] =>
                row.comment === undefined ? [] : [[row.value, row.comment]],
              ),
            },
            connectionId,
            queryId: null,
            queryLabel: rows.length === 1 ? (rows[0]?.value ?? '') : `${rows.length} exceptions`,
            scope: 'pasted',
            domain: 'exception',
            saas: '',
            columns: [],
            includeCopies: false,
            entityField: 'string',
            condition: emptyGroup(),
            actionId: rule.list,
            actionLabel: rule.list === 'allow' ? 'Allow' : 'Block',
            params: { tool: secType, type: rule.type, field: rule.field, matching: rule.matching },
            reason: comment ?? '',
            retryOf: null,
            generation: mark.service,
          },
          rows.map(({ value }) => ({ entityId: value, ...NO_NAME })),
        );
      },

      'actions.retry': ({ journalId, unknown }) => retry(journalId, unknown),

      'actions.undo': ({ journalId }, { signal }) => undo(journalId, signal),

      'actions.targets': ({ journalId, states, start, end }) =>
        records.page(journalId, states ?? TARGET_STATES, start, Math.min(end, start + 10_000)),
    },
  };
}

/** Rejects `invalid-input` with the parameter as field `params.<id>`. */
function checkParams(action: ActionConfig, params: Readonly<Record<string, unknown>>): void {
  for (const { id, label, required, allowedValues } of action.params ?? []) {
    const value = params[id];
    const isEmpty =
      value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
    const wrong = (message: string) =>
      new ParapetError('invalid-input', message, { data: { field: `params.${id}` } });
    if (isEmpty && required) throw wrong(`${label} is missing.`);
    if (!isEmpty && allowedValues && !allowedValues.some((one) => one.value === value))
      throw wrong(`${label} is one of ${allowedValues.map((one) => one.label).join(', ')}.`);
  }
}

/** This service cannot be given targets by id, so the query must still match as many rows as were prepared. */
async function sameCount(ctx: Context, { record, entityIds }: Frozen, signal: AbortSignal): Promise<void> {
  const { total_rows } = await ctx.upstream.send(
    record.connectionId,
    'query.execute',
    { body: { ...record.payload, search_after: null, size: 0, count_only: true } },
    { signal },
  );
  if (total_rows !== entityIds.length)
    throw new ParapetError(
      'conflict',
      `The query matched ${entityIds.length} when the action was prepared and ${total_rows} now. Nothing was sent: run it again and prepare anew.`,
    );
}

function words(counts: Readonly<Record<string, number>>, stopped: string | null): string {
  const parts = [
    [counts['done'], 'done'],
    [counts['failed'], 'failed'],
    [counts['not-sent'], 'not sent'],
    [counts['unknown'], 'without an answer'],
  ] as const;
  const told = parts.flatMap(([count, word]) => (count ? [`${count} ${word}`] : [])).join(', ');
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}.${stopped === null ? '' : ` ${stopped}`}`;
}
