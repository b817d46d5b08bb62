/** Actions on rows: prepared, sent once as a job, and retried where they failed. Never queued. */
import { ParapetError } from '#shared/bridge/errors.ts';
import { type ParsedInputOf, TARGET_STATES } from '#shared/bridge/operations.ts';
import { listLabel } from '#shared/exceptions/words.ts';
import type { ActionConfig, Cursor, QueryResult } from '#shared/model/entities.ts';
import { POLICY_OPERATIONS, REPLACE } from '#shared/model/query-status.ts';
import { SERVICE_EXCEPTIONS } from '#shared/model/responses.ts';
import { expandProduct } from '#shared/model/white-label.ts';
import type { JobsService } from '../jobs/jobs.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf, OperationIn } from '../kernel/handlers.ts';
import type { Replacements, ReplaceQueries } from '../queries-file/import.ts';
import { rowsWord } from '../results/reason.ts';
import {
  type Frozen,
  MANUAL_ACTIONS,
  notForRows,
  offlineRefusal,
  type PrepareDeps,
  prepare,
} from './prepare.ts';
import { type ActionPlan, withoutRows } from './record.ts';
import { ActionRuns } from './runs.ts';
import { pause } from './send.ts';

/** What `sectool_exception` takes. */
const EXCEPTION_DOMAINS: ReadonlySet<string> = new Set(['email', 'file']);
const NO_NAME = { name: null, recipient: null };
/** Prepared actions held at a time; the oldest is dropped first. */
const KEPT = 8;

export interface ActionsService {
  handlers: HandlersOf<
    OperationIn<'actions'> | 'queries.delete' | 'queries.operate' | 'exceptions.create-many'
  >;
  /** Whether a request is part of an action, which the journal then has already. */
  ownsRequest(request: object): boolean;
  /** Replaces saved queries by those of a file, as an action; resolves when it has ended. */
  replaceQueries: ReplaceQueries;
}

export function createActions(
  ctx: Context,
  jobs: JobsService,
  deps: Omit<PrepareDeps, 'ctx'>,
): ActionsService {
  const runs = new ActionRuns(ctx, jobs);
  const frozen = new Map<string, Frozen>();

  return {
    ownsRequest: (request) => runs.ownsRequest(request),
    async replaceQueries(connectionId, replacements) {
      const { journalId, ended } = await runs.start(
        replacePlan(connectionId, replacements, serviceOf(ctx, connectionId)),
        replacements.queries.map(({ id, name }) => ({ entityId: id, name, recipient: null })),
      );
      await ended;
      return { journalId, outcomes: await runs.outcomes(journalId) };
    },
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
          throw new ParapetError('not-found', 'This preparation has expired. Prepare the action again.');
        const ids = prepared.entityIds.slice(start, Math.min(end, start + 1_000));
        return { rows: await deps.rows(prepared.shown.resultId, ids, signal) };
      },

      // A confirmed action must not end with the window in which it was confirmed.
      async 'actions.send'(input) {
        const prepared = frozen.get(input.preparedId);
        if (prepared === undefined)
          throw new ParapetError(
            'not-allowed',
            'This preparation was already sent or has expired. Prepare the action again.',
          );
        const { record, entityIds, names, mark } = prepared;
        if (ctx.upstream.isOffline(record.connectionId)) throw offlineRefusal();
        ctx.generations.check(mark);
        const plan = planOf(prepared, input);
        // Removed at once, so that the same targets cannot be sent twice.
        frozen.delete(input.preparedId);
        try {
          return await runs.begin(
            plan,
            entityIds.map((entityId) => ({ entityId, ...(names.get(entityId) ?? NO_NAME) })),
            (signal) => (plan.entityField === null ? sameRows(ctx, prepared, signal) : Promise.resolve()),
          );
        } catch (error) {
          // The journal entry could not be written, so nothing was sent and the analyst may try again.
          frozen.set(input.preparedId, prepared);
          throw error;
        }
      },

      async 'queries.delete'(input) {
        const { connectionId, queries, undoMs } = input;
        ctx.connection(connectionId);
        const generation = serviceOf(ctx, connectionId);
        const started = ctx.ports.ticks();
        return runs.begin(
          deletePlan(input, generation),
          queries.map(({ id, name }) => ({ entityId: id, name, recipient: null })),
          async (signal) => {
            await pause(Math.max(0, undoMs - (ctx.ports.ticks() - started)), signal);
            if (signal.aborted)
              throw new ParapetError(
                'cancelled',
                'Not sent: it was undone, or Parapet closed, before the time for Undo was over.',
              );
          },
        );
      },

      async 'queries.operate'(input) {
        ctx.connection(input.connectionId);
        const plan = operationPlan(input, serviceOf(ctx, input.connectionId));
        return runs.begin(
          plan,
          input.queries.map(({ id, name }) => ({ entityId: id, name, recipient: null })),
        );
      },

      async 'exceptions.create-many'(input) {
        const { product } = ctx.connection(input.connectionId);
        const plan = exceptionsPlan(
          input,
          expandProduct(input.rule.tool, product),
          serviceOf(ctx, input.connectionId),
        );
        return runs.begin(
          plan,
          input.rows.map(({ value }) => ({ entityId: value, ...NO_NAME })),
        );
      },

      'actions.retry': ({ journalId, unknown }) => runs.retry(journalId, unknown),

      'actions.undo': ({ journalId }, { signal }) => runs.undo(journalId, signal),

      'actions.targets': ({ journalId, states, start, end }) =>
        runs.page(journalId, states ?? TARGET_STATES, start, Math.min(end, start + 10_000)),
    },
  };
}

/** The service that a change without rows goes to. */
function serviceOf({ generations, upstream }: Context, connectionId: string): number | null {
  const { service } = generations.mark(connectionId);
  if (upstream.isOffline(connectionId)) throw offlineRefusal();
  return service;
}

/** Rejects `invalid-input` if the service does not offer the action, or a parameter is missing or wrong. */
function planOf(
  { shown, record, entity, isManual, actions, queryId, mark }: Frozen,
  { actionId, call, params, reason }: ParsedInputOf<'actions.send'>,
): ActionPlan {
  const { payload, connectionId } = record;
  const action = call ? SERVICE_EXCEPTIONS : actions.find(({ id }) => id === actionId);
  if (action === undefined)
    throw new ParapetError('invalid-input', 'The service does not offer this action here.', {
      data: { field: 'actionId' },
    });
  if (call && !EXCEPTION_DOMAINS.has(payload.query_domain))
    throw new ParapetError('not-allowed', 'The service derives exceptions from emails and files only.');
  const endpoint = call ?? (isManual ? 'manual-actions.create' : 'query.action');
  if (endpoint === 'manual-actions.create' && !MANUAL_ACTIONS.has(action.id)) throw notForRows();
  checkParams(action, params);
  return {
    connectionId,
    queryId,
    queryLabel: shown.queryLabel,
    scope: shown.scope,
    domain: payload.query_domain,
    saas: payload.saas_id,
    columns: payload.columns,
    includeCopies: payload.include_copies,
    call: endpoint,
    entityField: endpoint === 'query.action' ? (entity?.field ?? null) : 'entity_id',
    ...(entity ? { entity } : {}),
    condition: payload.condition,
    actionId: action.id,
    actionLabel: action.label,
    params,
    reason,
    retryOf: null,
    undoOf: null,
    generation: mark.service,
  };
}

/** The queries as they were on screen. */
const beforeOf = (
  queries: ParsedInputOf<'queries.delete' | 'queries.operate'>['queries'],
): ActionPlan['before'] => queries.map(({ id, name: _, ...state }) => [id, state]);

/** What all actions on saved queries share. */
const queriesPlan = (
  { connectionId, queries }: { connectionId: string; queries: readonly { name: string }[] },
  generation: number | null,
) => ({
  ...withoutRows(),
  connectionId,
  queryLabel: queries.length === 1 ? (queries[0]?.name ?? '') : `${queries.length} queries`,
  scope: 'selected',
  domain: 'query',
  entityField: 'id',
  params: {},
  generation,
});

const deletePlan = (input: ParsedInputOf<'queries.delete'>, generation: number | null): ActionPlan => ({
  ...queriesPlan(input, generation),
  before: beforeOf(input.queries),
  call: 'query.delete',
  actionId: 'delete',
  actionLabel: 'Delete',
  reason: '',
});

const operationPlan = (input: ParsedInputOf<'queries.operate'>, generation: number | null): ActionPlan => ({
  ...queriesPlan(input, generation),
  before: beforeOf(input.queries),
  call: input.call ?? 'policies.operation',
  operator: input.operator,
  actionId: input.operator,
  actionLabel: POLICY_OPERATIONS[input.operator].label,
  reason: input.reason,
});

const replacePlan = (
  connectionId: string,
  { queries, reason }: Replacements,
  generation: number | null,
): ActionPlan => ({
  ...queriesPlan({ connectionId, queries }, generation),
  before: queries.map(({ id, before }) => [id, before]),
  after: queries.map(({ id, after }) => [id, after]),
  call: 'query.update',
  actionId: REPLACE.id,
  actionLabel: REPLACE.label,
  reason,
});

const exceptionsPlan = (
  { connectionId, rule, isExclusive, comment, rows }: ParsedInputOf<'exceptions.create-many'>,
  secType: string,
  generation: number | null,
): ActionPlan => ({
  ...withoutRows(),
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
  queryLabel: rows.length === 1 ? (rows[0]?.value ?? '') : `${rows.length} exceptions`,
  scope: 'pasted',
  domain: 'exception',
  entityField: 'string',
  actionId: rule.list,
  actionLabel: listLabel(rule),
  params: { tool: secType, type: rule.type, field: rule.field, matching: rule.matching },
  reason: comment ?? '',
  generation,
});

/** Rejects `invalid-input` with the parameter as field `params.<id>`. */
function checkParams(action: Pick<ActionConfig, 'params'>, params: Readonly<Record<string, unknown>>): void {
  for (const { id, label, required, allowedValues } of action.params ?? []) {
    const value = params[id];
    const isEmpty =
      value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
    const wrong = (message: string) =>
      new ParapetError('invalid-input', message, { data: { field: `params.${id}` } });
    if (isEmpty && required) throw wrong(`${label} is missing.`);
    if (!isEmpty && allowedValues && !allowedValues.some((allowedValue) => allowedValue.value === value))
      throw wrong(`${label} is one of ${allowedValues.map((value) => value.label).join(', ')}.`);
  }
}

/** Rows per request while the targets are compared. */
const COMPARED = 1_000;

/** This service cannot be given targets by id, so the query must still match exactly the rows that were prepared. */
async function sameRows(ctx: Context, { record, entityIds }: Frozen, signal: AbortSignal): Promise<void> {
  const missing = new Set(entityIds);
  const prepared = new Set(entityIds);
  let others = 0;
  for (let cursor: Cursor | null = null, read = 0; ; ) {
    const { rows, search_after }: QueryResult = await ctx.upstream.send(
      record.connectionId,
      'query.execute',
      { body: { ...record.payload, search_after: cursor, size: COMPARED, count_only: false } },
      { signal },
    );
    for (const { entity_id } of rows) {
      const id = String(entity_id);
      missing.delete(id);
      if (!prepared.has(id)) others += 1;
    }
    read += rows.length;
    // A service that repeats its pages would never end.
    if (rows.length === 0 || search_after == null || others > 0 || read > record.total + COMPARED) break;
    cursor = search_after;
  }
  if (missing.size + others > 0)
    throw new ParapetError(
      'conflict',
      `The query no longer matches the ${rowsWord(entityIds.length)} that were prepared. Nothing was sent: run it again and prepare the action anew.`,
    );
}
