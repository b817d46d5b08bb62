/** Actions in the journal: one entry each, with a row for every target. */
import type { JournalAction, TargetState } from '#shared/bridge/operations.ts';
import type { PasteDefaults } from '#shared/exceptions/paste.ts';
import type { EntityTest } from '#shared/query/entity-condition.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Context } from '../kernel/context.ts';
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

/** Everything needed to send an action, and to send it again. */
export interface ActionPlan {
  /** The endpoint that carries it out; older entries lack it and mean query.action. */
  call?: 'query.action' | 'manual-actions.create' | 'query.delete' | 'exceptions.create-external';
  /** Only for exceptions.create-external. */
  exceptions?: ExceptionOrder;
  connectionId: string;
  queryId: string | null;
  queryLabel: string;
  scope: string;
  domain: string;
  saas: string;
  columns: string[];
  includeCopies: boolean;
  /** The field that identifies a row's entity; null: the service accepts only the query's own condition. */
  entityField: string | null;
  /** How its ids are compared. Older entries have none: by `in_list`. */
  entity?: EntityTest;
  condition: ConditionGroup;
  actionId: string;
  actionLabel: string;
  params: JournalAction['params'];
  reason: string;
  retryOf: number | null;
  /** The journal entry that this one undoes. Older entries have none. */
  undoOf?: number | null;
  /** Generation of the connection, so that targets never reach another service. Older entries have none. */
  generation?: number | null;
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

/** A count for each state. */
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
  const left = counts.failed + counts['not-sent'];
  if (counts.done > 0) return left + counts.unknown > 0 ? 'partial' : 'done';
  if (counts.unknown > 0) return 'unknown';
  return left > 0 ? 'failed' : 'done';
}

/** The journal shows only the number of comments when there are many; the full plan is kept for retries. */
function shortened(plan: Partial<ActionPlan>): string {
  const text = JSON.stringify(plan);
  if (text.length <= REQUEST_MAX || plan.exceptions === undefined) return text;
  const { comments, ...exceptions } = plan.exceptions;
  return JSON.stringify({ ...plan, exceptions: { ...exceptions, comments: { omitted: comments.length } } });
}

export class ActionRecords {
  readonly #workspace: Context['workspace'];
  readonly #ports: Context['ports'];
  readonly #run: string;

  constructor({ workspace, ports, run }: Pick<Context, 'workspace' | 'ports' | 'run'>) {
    this.#workspace = workspace;
    this.#ports = ports;
    this.#run = run;
  }

  /** Writes the entry and all its targets in one transaction, before anything is sent. Returns its id. */
  async begin(plan: ActionPlan, targets: readonly NamedTarget[]): Promise<number> {
    const { connectionId, condition: _condition, columns: _columns, ...journaled } = plan;
    const [written] = await this.#workspace.write([
      {
        sql: `INSERT INTO journal (at, connection_id, endpoint, request, outcome, who, action, run)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        params: [
          this.#ports.now(),
          connectionId,
          plan.call ?? 'query.action',
          shortened(journaled),
          RUNNING,
          currentUser(),
          JSON.stringify(plan),
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
