/** Actions in the journal: one entry each, with a row for every target. */
import type { JournalAction, TargetState } from '#shared/bridge/operations.ts';
import { TARGET_STATES } from '#shared/bridge/operations.ts';
import type { PasteDefaults } from '#shared/exceptions/paste.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Context } from '../kernel/context.ts';
import type { SqlParams } from '../store/database.ts';
import { currentUser, outcomeSql, REQUEST_MAX, RUNNING } from '../workspace/journal.ts';

/** What the exceptions of one order have in common; the value of each is its target's id. */
export interface ExceptionOrder {
  /** The tool as the service names it. */
  secType: string;
  rule: PasteDefaults;
  isExclusive: boolean;
  comment: string | null;
  /** Values with a comment of their own. */
  comments: [value: string, comment: string][];
}

/** What is needed to send an action, and to send it again. */
export interface ActionPlan {
  /** The call that does it; entries of old have none, and mean query.action. */
  call?: 'query.action' | 'query.delete' | 'exceptions.create-external';
  /** For exceptions.create-external alone. */
  exceptions?: ExceptionOrder;
  connectionId: string;
  queryId: string | null;
  queryLabel: string;
  scope: string;
  domain: string;
  saas: string;
  columns: string[];
  includeCopies: boolean;
  /** The field that names a row's entity; null: the service takes the query's own condition only. */
  entityField: string | null;
  condition: ConditionGroup;
  actionId: string;
  actionLabel: string;
  params: JournalAction['params'];
  reason: string;
  retryOf: number | null;
  /** Generation of the connection: targets of one service are never sent to another. Entries of old have none. */
  generation?: number | null;
}

export interface Target {
  position: number;
  entityId: string;
}

export type TargetOutcome = readonly [position: number, state: TargetState, error: string | null];
export type Counts = Record<TargetState, number>;

export interface ActionRecords {
  /** Writes the entry with its targets, all or nothing, before anything is sent. Answers its id. */
  begin(plan: ActionPlan, entityIds: readonly string[]): Promise<number>;
  settle(journalId: number, outcomes: readonly TargetOutcome[]): Promise<void>;
  /** What is still pending was not sent; what was on its way may be done. */
  end(journalId: number, message: string | null): Promise<Counts>;
  plan(journalId: number): Promise<ActionPlan | null>;
  targets(journalId: number, states: readonly TargetState[]): Promise<Target[]>;
  /** The same without those that a later entry has tried again: what becomes of them is told there. */
  untried(journalId: number, states: readonly TargetState[]): Promise<Target[]>;
  page(
    journalId: number,
    states: readonly TargetState[],
    start: number,
    end: number,
  ): Promise<{ targets: { entityId: string; state: TargetState; error: string | null }[]; count: number }>;
}

/** How an action ended, from what became of its targets. */
export function outcomeOf(counts: Counts): 'done' | 'partial' | 'failed' | 'unknown' {
  const left = counts.failed + counts['not-sent'];
  if (counts.done > 0) return left + counts.unknown > 0 ? 'partial' : 'done';
  if (counts.unknown > 0) return 'unknown';
  return left > 0 ? 'failed' : 'done';
}

/** Of thousands of comments the journal shows how many there were; they are kept for another try. */
function shortened(told: Partial<ActionPlan>): string {
  const text = JSON.stringify(told);
  if (text.length <= REQUEST_MAX || told.exceptions === undefined) return text;
  const { comments, ...exceptions } = told.exceptions;
  return JSON.stringify({ ...told, exceptions: { ...exceptions, comments: { omitted: comments.length } } });
}

export function createActionRecords({
  workspace,
  ports,
  run,
}: Pick<Context, 'workspace' | 'ports' | 'run'>): ActionRecords {
  const chosen = (states: readonly TargetState[]) => JSON.stringify(states);

  const countsOf = async (journalId: number): Promise<Counts> => {
    const rows = await workspace.all<{ state: TargetState; n: number }>(
      'SELECT state, count(*) AS n FROM journal_targets WHERE journal_id = ? GROUP BY state',
      [journalId],
    );
    const counts = Object.fromEntries(TARGET_STATES.map((state) => [state, 0])) as Counts;
    for (const { state, n } of rows) counts[state] = n;
    return counts;
  };

  return {
    async begin(plan, entityIds) {
      const { connectionId, condition: _condition, columns: _columns, ...told } = plan;
      const [written] = await workspace.write([
        {
          sql: `INSERT INTO journal (at, connection_id, endpoint, request, outcome, who, action, run)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          params: [
            ports.now(),
            connectionId,
            plan.call ?? 'query.action',
            shortened(told),
            RUNNING,
            currentUser(),
            JSON.stringify(plan),
            run,
          ],
        },
        {
          sql: `INSERT INTO journal_targets (journal_id, position, entity_id, state)
            SELECT (SELECT max(id) FROM journal), key, value, 'pending' FROM json_each(?)`,
          params: [JSON.stringify(entityIds)],
        },
      ]);
      return Number(written?.lastInsertRowid);
    },

    async settle(journalId, outcomes) {
      await workspace.write([
        {
          sql: 'UPDATE journal_targets SET state = ?, error = ? WHERE journal_id = ? AND position = ?',
          many: outcomes.map(([position, state, error]) => [state, error, journalId, position]),
        },
      ]);
    },

    async end(journalId, message) {
      await workspace.write([
        {
          sql: "UPDATE journal_targets SET state = 'not-sent' WHERE journal_id = ? AND state = 'pending'",
          params: [journalId],
        },
        {
          sql: "UPDATE journal_targets SET state = 'unknown' WHERE journal_id = ? AND state = 'sending'",
          params: [journalId],
        },
        {
          sql: `UPDATE journal SET outcome = ${outcomeSql('?')} WHERE id = ?`,
          params: [message, journalId],
        },
      ]);
      return countsOf(journalId);
    },

    async plan(journalId) {
      const row = await workspace.get<{ action: string | null }>('SELECT action FROM journal WHERE id = ?', [
        journalId,
      ]);
      return row?.action == null ? null : (JSON.parse(row.action) as ActionPlan);
    },

    targets: (journalId, states) =>
      workspace.all<{ position: number; entityId: string } & Target>(
        `SELECT position, entity_id AS entityId FROM journal_targets WHERE journal_id = ?
          AND state IN (SELECT value FROM json_each(?)) ORDER BY position`,
        [journalId, chosen(states)],
      ),

    untried: (journalId, states) =>
      workspace.all<Target>(
        `SELECT position, entity_id AS entityId FROM journal_targets WHERE journal_id = ?1
          AND state IN (SELECT value FROM json_each(?2)) AND entity_id NOT IN (
            SELECT entity_id FROM journal_targets WHERE journal_id IN (
              SELECT id FROM journal WHERE id > ?1 AND action ->> 'retryOf' = ?1))
          ORDER BY position`,
        { 1: journalId, 2: chosen(states) },
      ),

    async page(journalId, states, start, end) {
      const params: SqlParams = [journalId, chosen(states)];
      const where = 'journal_id = ? AND state IN (SELECT value FROM json_each(?))';
      const targets = await workspace.all<{ entityId: string; state: TargetState; error: string | null }>(
        `SELECT entity_id AS entityId, state, error FROM journal_targets WHERE ${where}
          ORDER BY position LIMIT ? OFFSET ?`,
        [...params, Math.max(0, end - start), start],
      );
      const counted = await workspace.get<{ n: number }>(
        `SELECT count(*) AS n FROM journal_targets WHERE ${where}`,
        params,
      );
      return { targets, count: counted?.n ?? 0 };
    },
  };
}
