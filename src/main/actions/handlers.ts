/** Actions on rows: prepared, sent once as a job, retried where they failed. Never queued. */
import { endpointOf } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { type Job, TARGET_STATES } from '#shared/bridge/operations.ts';
import type { ActionConfig } from '#shared/model/entities.ts';
import { expandProduct } from '#shared/model/white-label.ts';
import { emptyGroup } from '#shared/query/tree.ts';
import type { JobsService } from '../jobs/jobs.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf, OperationIn } from '../kernel/handlers.ts';
import { type Frozen, offlineRefusal, type PrepareDeps, prepare } from './prepare.ts';
import { type ActionPlan, createActionRecords, outcomeOf, type Target } from './record.ts';
import { pause, sendAll } from './send.ts';

/** Prepared actions kept; the oldest goes first. */
const KEPT = 8;

export interface ActionsService {
  handlers: HandlersOf<OperationIn<'actions'> | 'queries.delete' | 'exceptions.create-many'>;
  /** Is this request part of an action? Then the journal has it already. */
  owns(request: object): boolean;
}

export function createActions(
  ctx: Context,
  jobs: JobsService,
  deps: Omit<PrepareDeps, 'ctx'>,
): ActionsService {
  const records = createActionRecords(ctx);
  const frozen = new Map<string, Frozen>();
  const requests = new WeakSet<object>();
  const running = new Set<number>();
  /** Entries whose targets are being taken for another try. */
  const retrying = new Set<number>();

  /** `first`: done before the first target is sent; what it rejects with stands in the journal, and nothing is sent. */
  const begin = async (
    plan: ActionPlan,
    targets: readonly string[],
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
    const list = targets.map((entityId, position): Target => ({ position, entityId }));
    running.add(journalId);
    const work = async () => {
      let stopped: string | null = null;
      try {
        checkService(plan);
        await first(handle.signal);
        stopped = await sendAll(
          { ctx, records, own: (request) => void requests.add(request) },
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
      // Each exception marked answers old by itself; whoever shows one asks again now, once.
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
      // Nothing of it was done: that is no part of it.
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

  /** Targets of one service are never sent to another, nor to another account. */
  const checkService = ({ connectionId, generation }: ActionPlan) => {
    if ((generation ?? 0) !== ctx.generations.mark(connectionId).service)
      throw new ParapetError(
        'not-allowed',
        'Not sent: this connection became another service or account before the action left.',
      );
  };

  /** One try at a time: a second one must see what the first has taken. */
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
    const targets = await records.untried(journalId, states);
    if (targets.length === 0) {
      const tried = (await records.targets(journalId, states)).length > 0;
      const doubtful = (await records.untried(journalId, ['unknown'])).length;
      throw new ParapetError(
        'not-allowed',
        tried
          ? 'These targets were tried again already: the journal has a later entry with what became of them. Go on from there.'
          : doubtful > 0
            ? `Nothing was sent: what is left has no answer, it is not known whether it arrived. Look at it on the service, then choose “Try ${doubtful} not known again…” under its entry in the journal.`
            : 'No target is left to try again.',
      );
    }
    return begin(
      { ...plan, retryOf: journalId },
      targets.map(({ entityId }) => entityId),
    );
  };

  jobs.revive('action', {
    async lost({ journalId = '' }) {
      await records.end(Number(journalId), 'Parapet closed while it ran.');
    },
    retry: async ({ journalId = '' }) => (await retry(Number(journalId), false)).job,
  });

  return {
    owns: (request) => requests.has(request),
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

      // Once it was confirmed it no longer depends on the window that it was confirmed in.
      async 'actions.send'({ preparedId, actionId, params, reason }) {
        const prepared = frozen.get(preparedId);
        if (prepared === undefined)
          throw new ParapetError(
            'not-allowed',
            'This preparation was sent already or is no longer kept. Prepare the action again.',
          );
        const { shown, record, entityField, actions, entityIds, queryId, mark } = prepared;
        const { payload, connectionId } = record;
        if (ctx.upstream.isOffline(connectionId)) throw offlineRefusal();
        ctx.generations.check(mark);
        const action = actions.find(({ id }) => id === actionId);
        if (action === undefined)
          throw new ParapetError('invalid-input', 'The service does not offer this action here.', {
            data: { field: 'actionId' },
          });
        checkParams(action, params);
        // Taken at once: a second send of the same targets finds nothing.
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
            entityIds,
            (signal) => (entityField === null ? sameCount(ctx, prepared, signal) : Promise.resolve()),
          );
        } catch (error) {
          // It could not be noted, so nothing was sent: the analyst may send it again.
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
          queries.map(({ id }) => id),
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
          rows.map(({ value }) => value),
        );
      },

      'actions.retry': ({ journalId, unknown }) => retry(journalId, unknown),

      'actions.targets': ({ journalId, states, start, end }) =>
        records.page(journalId, states ?? TARGET_STATES, start, Math.min(end, start + 10_000)),
    },
  };
}

/** Rejects `invalid-input` naming the parameter as `params.<id>`. */
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

/** The service cannot be given targets by name: what it matches now has to be what was prepared. */
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
