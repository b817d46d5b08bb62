/** Freezes the targets of an action. */
import { randomUUID } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import {
  type ActionScope,
  type LeftOut,
  MIX_COLUMNS,
  type ParsedInputOf,
  type PreparedAction,
} from '#shared/bridge/operations.ts';
import type { ActionConfig, Row } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { targetKind } from '#shared/model/targets.ts';
import { type EntityTest, entityTest } from '#shared/query/entity-condition.ts';
import type { Context } from '../kernel/context.ts';
import type { Mark } from '../kernel/generations.ts';
import { reasonOf, rowsWord } from '../results/reason.ts';
import type { SetRecord } from '../results/record.ts';
import type { ResultSets } from '../results/sets.ts';
import type { Chosen } from '../results/sort-index.ts';
import type { TargetName } from './record.ts';

const MAX_TARGETS = 100_000;
const PREVIEW = 100;
const PAGE = 10_000;

export interface Frozen {
  shown: PreparedAction;
  queryId: string | null;
  record: SetRecord;
  entity: EntityTest | null;
  /** The service has no condition for ids, so its manual actions, which take them, carry the action out. */
  isManual: boolean;
  /** The actions that the service offered at that time. */
  actions: readonly ActionConfig[];
  entityIds: readonly string[];
  names: ReadonlyMap<string, TargetName>;
  mark: Mark;
}

export interface PrepareDeps {
  ctx: Context;
  sets: ResultSets;
  rows(resultId: string, entityIds: string[], signal: AbortSignal): Promise<Row[]>;
}

/** What `manual_actions` acts on (specification section 7), and how. */
const MANUAL_DOMAINS: ReadonlySet<string> = new Set(['email', 'file', 'message']);
export const MANUAL_ACTIONS: ReadonlySet<string> = new Set(['quarantine', 'restore', 'decline', 'delete']);

export const notForRows = () =>
  new ParapetError(
    'not-allowed',
    'This service takes this action on everything that a query matches, not on selected rows. Select all matching rows, without a filter.',
  );

export const offlineRefusal = () =>
  new ParapetError(
    'offline',
    'You are offline: nothing was sent, and nothing is queued to be sent later. Go online and try again.',
    { retryable: true },
  );

/** Rejects offline, not-cached, too-large, and bad-request when a row could not be read. */
export async function prepare(
  { ctx, sets, rows }: PrepareDeps,
  { resultId, queryId, queryLabel, scope, leaveOut = [] }: ParsedInputOf<'actions.prepare'>,
  signal: AbortSignal,
): Promise<Frozen> {
  const record = await sets.record(resultId);
  const { connectionId, payload } = record;
  const mark = ctx.generations.mark(connectionId);
  if (ctx.upstream.isOffline(connectionId)) throw offlineRefusal();
  const config = await ctx.upstream.send(
    connectionId,
    'query.config',
    { query: { saas_id: payload.saas_id, query_domain: payload.query_domain } },
    { signal },
  );
  const entity = entityTest(config);
  const isChoice = scope.kind !== 'matching' || scope.filter !== undefined || leaveOut.length > 0;
  const isManual = entity === null && isChoice;
  if (isManual && !MANUAL_DOMAINS.has(payload.query_domain)) throw notForRows();
  const { entityIds: matching, withoutId } = await idsOf(sets, resultId, scope, signal);
  const columns = MIX_COLUMNS.filter((id) => record.columns.some((column) => column.id === id));
  const read = (ids: string[]) => rows(resultId, ids, signal);
  const { entityIds, mix, names } = await mixOf(payload.query_domain, matching, columns, leaveOut, read);
  if (entityIds.length === 0)
    throw new ParapetError(
      'not-allowed',
      withoutId > 0
        ? 'The service returned these rows without their ids, so nothing can be done to them from here.'
        : 'There are no rows to act on.',
    );
  const preview = await rows(resultId, entityIds.slice(0, PREVIEW), signal);
  const shown: PreparedAction = {
    id: randomUUID(),
    connectionId,
    resultId,
    domain: payload.query_domain,
    queryLabel,
    scope: scope.kind,
    count: entityIds.length,
    withoutId,
    exact: entity !== null || isManual,
    preview,
    mix,
    leftOut: matching.length - entityIds.length,
    preparedAt: ctx.ports.now(),
  };
  return { shown, queryId, record, entity, isManual, actions: config.actions, entityIds, names, mark };
}

const NAME_MAX = 300;

/** A row's name and recipient, from columns that most services have. */
function nameOf(domain: string, row: Row): TargetName {
  const first = (ids: readonly string[]): string | null => {
    for (const id of ids) {
      const value = Array.isArray(row[id]) ? row[id][0] : row[id];
      if (typeof value === 'string' && value !== '') return value.slice(0, NAME_MAX);
    }
    return null;
  };
  const { names, people } = targetKind(domain);
  return { name: first(names), recipient: first(people) };
}

/** Counts each distinct value of the columns among the rows, leaving out the ids to skip; and names each target. */
async function mixOf(
  domain: string,
  foundIds: string[],
  columns: readonly string[],
  leaveOut: readonly LeftOut[],
  read: (ids: string[]) => Promise<Row[]>,
): Promise<{ entityIds: string[]; mix: PreparedAction['mix']; names: Map<string, TargetName> }> {
  const names = new Map<string, TargetName>();
  const out = new Map<string, ReadonlySet<string>>(
    leaveOut.map(({ column, values }) => [column, new Set(values)]),
  );
  const counts = new Map(columns.map((column) => [column, new Map<string, number>()]));
  // Several rows may share an entity id; they are one target.
  const entityIds = new Set<string>();
  for (let start = 0; start < foundIds.length; start += PAGE) {
    for (const row of await read(foundIds.slice(start, start + PAGE))) {
      const words = columns.map((column) => [column, String(row[column] ?? '')] as const);
      const id = String(row['entity_id']);
      if (entityIds.has(id) || words.some(([column, word]) => out.get(column)?.has(word))) continue;
      entityIds.add(id);
      names.set(id, nameOf(domain, row));
      for (const [column, word] of words) {
        const count = counts.get(column);
        count?.set(word, (count.get(word) ?? 0) + 1);
      }
    }
  }
  const mix = [...counts].map(([column, values]) => ({
    column,
    values: [...values].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count),
  }));
  return { entityIds: [...entityIds], mix, names };
}

const tooMany = (count: number) =>
  new ParapetError(
    'too-large',
    `An action takes at most ${rowsWord(MAX_TARGETS)}; these are ${rowsWord(count)}. Narrow the query.`,
  );

const chosenOf = (scope: ActionScope): Chosen | undefined => {
  if (scope.kind === 'selected') return { ids: scope.entityIds, others: false };
  return scope.kind === 'loaded' && scope.except !== undefined
    ? { ids: scope.except, others: true }
    : undefined;
};

async function idsOf(
  sets: ResultSets,
  resultId: string,
  scope: ActionScope,
  signal: AbortSignal,
): Promise<{ entityIds: string[]; withoutId: number }> {
  if (scope.kind === 'matching') {
    const { total } = await sets.record(resultId);
    // Rejected before the rows are fetched rather than after.
    if (scope.filter === undefined && total > MAX_TARGETS) throw tooMany(total);
    const record = await sets.fetchAll(resultId, signal, () => undefined);
    if (record.state !== 'complete')
      throw new ParapetError(
        'not-cached',
        `Not all rows could be read: ${rowsWord(record.loaded)} of ${exact(record.total)} are here. ${reasonOf(record) ?? ''} Try again, or act on the rows that are here.`.replace(
          / {2,}/g,
          ' ',
        ),
        { retryable: true },
      );
  }
  const needsFreeze = scope.kind !== 'selection';
  const { id: selectionId } = needsFreeze
    ? await sets.selections.freeze(
        resultId,
        scope.kind === 'selected' ? undefined : scope.filter,
        [],
        chosenOf(scope),
      )
    : { id: scope.selectionId };
  // Leased while it is read, whatever the grid selects in the meantime.
  const selection = sets.selections.lease(selectionId);
  try {
    if (selection.rows.record.id !== resultId)
      throw new ParapetError('invalid-input', 'The selection belongs to other results.');
    if (selection.count > MAX_TARGETS) throw tooMany(selection.count);
    const ids = new Set<string>();
    let withoutId = 0;
    for (let start = 0; start < selection.count; start += PAGE) {
      for (const id of await sets.selections.ids(selection.id, start, start + PAGE, signal))
        if (id === null) withoutId += 1;
        else ids.add(id);
    }
    const missing = scope.kind === 'selected' ? new Set(scope.entityIds).size - ids.size : 0;
    if (missing > 0)
      throw new ParapetError(
        'not-cached',
        `${rowsWord(missing)} of the selected ones are not among the results on this machine. Select again.`,
      );
    return { entityIds: [...ids], withoutId };
  } finally {
    selection.release();
    if (needsFreeze) sets.selections.release(selectionId);
  }
}
