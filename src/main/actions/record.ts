/** Actions in the journal: one entry each, with a row for every target. */
import { z } from 'zod';
import type { JournalAction, TargetState } from '#shared/bridge/operations.ts';
import type { PasteDefaults } from '#shared/exceptions/paste.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import {
  POLICY_OPERATORS,
  type PolicyOperator,
  type PolicyState,
  REINSTATE,
  REPLACE,
  RESTORE_VERSION,
} from '#shared/model/query-status.ts';
import { inverseOf, readTargetName } from '#shared/model/responses.ts';
import type { EntityTest } from '#shared/query/entity-condition.ts';
import { type ConditionGroup, emptyGroup } from '#shared/query/tree.ts';
import type { Context } from '../kernel/context.ts';
import { withoutSecrets } from '../kernel/redact.ts';
import type { SqlParams } from '../store/database.ts';
import { currentUser, OUTCOME_SQL, REQUEST_MAX, RUNNING } from '../workspace/journal.ts';

/** What the exceptions of one bulk request share; the value of each is its target's id. */
export interface ExceptionOrder {
  /** The tool's name on the service. */
  secType: string;
  rule: PasteDefaults;
  isExclusive: boolean;
  comment: string | null;
  /** Values that have their own comment. */
  comments: [value: string, comment: string][];
}

/** The endpoints that carry out actions. */
export type ActionCall =
  | 'query.action'
  | 'manual-actions.create'
  | 'query.delete'
  | 'policies.operation'
  | 'query.update'
  | 'exceptions.create'
  | 'exceptions.create-external';

/** Everything needed to send an action, and to send it again. */
export interface ActionPlan {
  call: ActionCall;
  /** Only for exceptions.create-external. */
  exceptions?: ExceptionOrder;
  /** Only for operations on saved queries, and for query.update, which undoes them. */
  operator?: PolicyOperator;
  /** Saved queries as they were before, by id, whole where they are replaced; other actions keep none. */
  before?: [id: string, state: PolicyState | NewQuery][];
  /** Only for an import that replaces saved queries: the queries of the file by the id of what they replace. */
  after?: [id: string, query: NewQuery][];
  connectionId: string;
  queryId: string | null;
  queryLabel: string;
  scope: string;
  domain: string;
  saas: string;
  columns: string[];
  includeCopies: boolean;
  /** The field that identifies a row's entity, or null if the service accepts only the query's own condition. */
  entityField: string | null;
  /** How its ids are compared; omitted: by `in_list`. */
  entity?: EntityTest;
  condition: ConditionGroup;
  actionId: string;
  actionLabel: string;
  params: JournalAction['params'];
  reason: string;
  retryOf: number | null;
  /** The journal entry that this one undoes. */
  undoOf: number | null;
  /**
   * Generation of the connection, so that targets never reach another service, or null if there was no such
   * connection.
   */
  generation: number | null;
}

export interface Target {
  position: number;
  entityId: string;
}

/** Name and recipient of a target, for reports; null where the row has neither. */
export interface TargetName {
  name: string | null;
  recipient: string | null;
}
export type NamedTarget = TargetName & { entityId: string };

export type TargetOutcome = readonly [position: number, state: TargetState, error: string | null];
export type Counts = Record<TargetState, number>;

export const countsOf = (count: (state: TargetState) => number): Counts => ({
  pending: count('pending'),
  sending: count('sending'),
  done: count('done'),
  failed: count('failed'),
  'not-sent': count('not-sent'),
  unknown: count('unknown'),
});

/** The outcome of an action, from the outcomes of its targets. */
export function outcomeOf(counts: Counts): 'done' | 'partial' | 'failed' | 'unknown' {
  const unsent = counts.failed + counts['not-sent'];
  if (counts.done > 0) return unsent + counts.unknown > 0 ? 'partial' : 'done';
  if (counts.unknown > 0) return 'unknown';
  return unsent > 0 ? 'failed' : 'done';
}

/** The journal shows only the number of comments or queries when there are many; the full plan is kept. */
function shortened({ exceptions, before, after, ...plan }: Partial<ActionPlan>): string {
  const text = JSON.stringify({ ...plan, exceptions, before, after });
  if (text.length <= REQUEST_MAX) return text;
  return JSON.stringify({
    ...plan,
    ...(exceptions
      ? { exceptions: { ...exceptions, comments: { omitted: exceptions.comments.length } } }
      : {}),
    ...(before ? { before: { omitted: before.length } } : {}),
    ...(after ? { after: { omitted: after.length } } : {}),
  });
}

/** Passwords are sent and not kept; a schedule of a file that has one says so. */
function withoutPasswords(plan: ActionPlan): ActionPlan {
  const after = plan.after?.map(([id, query]): [string, NewQuery] => {
    const schedule = query.scheduledExport;
    return schedule?.password
      ? [id, withoutSecrets({ ...query, scheduledExport: { ...schedule, has_password: true } })]
      : [id, query];
  });
  return { ...plan, ...(plan.before && { before: withoutSecrets(plan.before) }), ...(after && { after }) };
}

/** Stands in for the preparation of a change that does not concern a query's rows. */
export const withoutRows = () => ({
  queryId: null,
  saas: '',
  columns: [],
  includeCopies: false,
  condition: emptyGroup(),
  retryOf: null,
  undoOf: null,
});

const responseRequest = z.object({
  about: z.string().nullish(),
  /** Not in what the journal shows. */
  service: z.number().nullish(),
  body: z.object({
    entity_ids: z.tuple([z.string()]),
    entity_type: z.string(),
    data: z.object({ action: z.string(), reason: z.string().nullish() }),
    date_trigger: z.null().optional(),
  }),
});

/** The response to one entity in a request of `manual-actions.create`, or null if it is to several or scheduled for later. */
export function responseIn(request: string) {
  const read = responseRequest.safeParse(JSON.parse(request));
  if (!read.success) return null;
  const { about, service, body } = read.data;
  return {
    target: {
      entityId: body.entity_ids[0],
      ...(about == null ? { name: null, recipient: null } : readTargetName(about)),
    },
    entityType: body.entity_type,
    actionId: body.data.action,
    reason: body.data.reason ?? '',
    service: service ?? null,
  };
}

/** The action that undoes this one, or null if none does. Changes of queries are undone by saving what they were. */
export function inverseBy(call: string, actionId: string): string | null {
  if (call === 'query.update') {
    if (actionId === REPLACE.id) return RESTORE_VERSION.id;
    return POLICY_OPERATORS.some((operator) => operator === actionId) ? REINSTATE.id : null;
  }
  if (call === 'policies.operation') return REINSTATE.id;
  return call === 'query.action' || call === 'manual-actions.create' ? inverseOf(actionId) : null;
}

export class ActionRecords {
  readonly #workspace: Context['workspace'];
  readonly #ports: Context['ports'];
  readonly #run: string;
  readonly #requireJournal: () => void;

  constructor({
    workspace,
    ports,
    run,
    requireJournal,
  }: Pick<Context, 'workspace' | 'ports' | 'run' | 'requireJournal'>) {
    this.#workspace = workspace;
    this.#ports = ports;
    this.#run = run;
    this.#requireJournal = requireJournal;
  }

  /** Writes the entry and all its targets in one transaction, before anything is sent. Returns its id. */
  async begin(plan: ActionPlan, targets: readonly NamedTarget[]): Promise<number> {
    this.#requireJournal();
    const safePlan = withoutPasswords(plan);
    const { connectionId, condition: _condition, columns: _columns, ...journaled } = safePlan;
    const [written] = await this.#workspace.write([
      {
        sql: `INSERT INTO journal (at, connection_id, endpoint, request, outcome, who, action, run)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        params: [
          this.#ports.now(),
          connectionId,
          plan.call,
          shortened(journaled),
          RUNNING,
          currentUser(),
          JSON.stringify(safePlan),
          this.#run,
        ],
      },
      {
        sql: `INSERT INTO journal_targets (journal_id, position, entity_id, state, name, recipient)
            SELECT (SELECT max(id) FROM journal), key, value ->> 0, 'pending', value ->> 1, value ->> 2
            FROM json_each(?)`,
        params: [JSON.stringify(targets.map(({ entityId, name, recipient }) => [entityId, name, recipient]))],
      },
    ]);
    return Number(written?.lastInsertRowid);
  }

  async recordOutcomes(journalId: number, outcomes: readonly TargetOutcome[]): Promise<void> {
    await this.#workspace.write([
      {
        sql: 'UPDATE journal_targets SET state = ?, error = ? WHERE journal_id = ? AND position = ?',
        many: outcomes.map(([position, state, error]) => [state, error, journalId, position]),
      },
    ]);
  }

  /** Marks pending targets as not sent, and targets in flight as possibly done. */
  async end(journalId: number, message: string | null): Promise<Counts> {
    await this.#workspace.write([
      {
        sql: "UPDATE journal_targets SET state = 'not-sent' WHERE journal_id = ? AND state = 'pending'",
        params: [journalId],
      },
      {
        sql: "UPDATE journal_targets SET state = 'unknown' WHERE journal_id = ? AND state = 'sending'",
        params: [journalId],
      },
      {
        sql: `UPDATE journal SET outcome = ${OUTCOME_SQL} WHERE id = ?`,
        params: [message, journalId],
      },
    ]);
    return this.#countsOf(journalId);
  }

  async plan(journalId: number): Promise<ActionPlan | null> {
    const row = await this.#workspace.get<{ action: string | null }>(
      'SELECT action FROM journal WHERE id = ?',
      [journalId],
    );
    return row?.action == null ? null : (JSON.parse(row.action) as ActionPlan);
  }

  /**
   * A response to one entity as an action on one target, or null if the entry is another change, was not done, or
   * comes later.
   */
  async response(journalId: number): Promise<{ plan: ActionPlan; target: NamedTarget } | null> {
    const row = await this.#workspace.get<{ connectionId: string; request: string }>(
      `SELECT connection_id AS connectionId, request FROM journal WHERE id = ? AND action IS NULL
          AND endpoint = 'manual-actions.create' AND outcome ->> 'state' = 'done'`,
      [journalId],
    );
    const response = row === undefined ? null : responseIn(row.request);
    if (row === undefined || response === null) return null;
    const { target, entityType, actionId, reason, service } = response;
    const plan: ActionPlan = {
      ...withoutRows(),
      call: 'manual-actions.create',
      connectionId: row.connectionId,
      queryLabel: '',
      scope: 'selected',
      domain: entityType,
      entityField: 'entity_id',
      actionId,
      actionLabel: actionId,
      params: {},
      reason,
      generation: service,
    };
    return { plan, target };
  }

  targets(journalId: number, states: readonly TargetState[]): Promise<NamedTarget[]> {
    return this.#workspace.all<NamedTarget>(
      `SELECT entity_id AS entityId, name, recipient FROM journal_targets WHERE journal_id = ?
          AND state IN (SELECT value FROM json_each(?)) ORDER BY position`,
      [journalId, this.#chosen(states)],
    );
  }

  /** Whether a later entry undoes this one. */
  async isUndone(journalId: number): Promise<boolean> {
    const later = await this.#workspace.get<{ id: number }>(
      "SELECT id FROM journal WHERE id > ?1 AND action ->> 'undoOf' = ?1",
      { 1: journalId },
    );
    return later !== undefined;
  }

  /** The same without targets that a later entry retried, whose outcome is recorded there. */
  notRetried(journalId: number, states: readonly TargetState[]): Promise<NamedTarget[]> {
    return this.#workspace.all<NamedTarget>(
      `SELECT entity_id AS entityId, name, recipient FROM journal_targets WHERE journal_id = ?1
          AND state IN (SELECT value FROM json_each(?2)) AND entity_id NOT IN (
            SELECT entity_id FROM journal_targets WHERE journal_id IN (
              SELECT id FROM journal WHERE id > ?1 AND action ->> 'retryOf' = ?1))
          ORDER BY position`,
      { 1: journalId, 2: this.#chosen(states) },
    );
  }

  async page(
    journalId: number,
    states: readonly TargetState[],
    start: number,
    end: number,
  ): Promise<{ targets: (NamedTarget & { state: TargetState; error: string | null })[]; count: number }> {
    const params: SqlParams = [journalId, this.#chosen(states)];
    const where = 'journal_id = ? AND state IN (SELECT value FROM json_each(?))';
    const targets = await this.#workspace.all<NamedTarget & { state: TargetState; error: string | null }>(
      `SELECT entity_id AS entityId, name, recipient, state, error FROM journal_targets WHERE ${where}
          ORDER BY position LIMIT ? OFFSET ?`,
      [...params, Math.max(0, end - start), start],
    );
    const counted = await this.#workspace.get<{ n: number }>(
      `SELECT count(*) AS n FROM journal_targets WHERE ${where}`,
      params,
    );
    return { targets, count: counted?.n ?? 0 };
  }

  #chosen(states: readonly TargetState[]) {
    return JSON.stringify(states);
  }

  async #countsOf(journalId: number): Promise<Counts> {
    const rows = await this.#workspace.all<{ state: TargetState; n: number }>(
      'SELECT state, count(*) AS n FROM journal_targets WHERE journal_id = ? GROUP BY state',
      [journalId],
    );
    const counts = countsOf(() => 0);
    for (const { state, n } of rows) counts[state] = n;
    return counts;
  }
}
