/** journal.list: what was sent to services, newest first. */
import type { JournalAction, JournalEntry } from '#shared/bridge/operations.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf } from '../kernel/handlers.ts';
import type { SqlValue } from '../store/database.ts';
import { type ActionPlan, type Counts, countsOf, inverseBy, responseIn } from './record.ts';

interface JournalRow {
  id: number;
  at: number;
  connection_id: string;
  who: string | null;
  endpoint: string;
  request: string;
  about: string | null;
  state: string;
  outcome: string;
  action: string | null;
  counts: string | null;
  only: string | null;
  undone: number;
}

/** Outcomes of early versions have no state; no answer means unknown. */
const STATE = `coalesce(outcome ->> 'state', CASE WHEN outcome ->> 'ok' THEN 'done'
  WHEN outcome ->> 'code' IN ('timeout', 'unreachable', 'truncated', 'cancelled') THEN 'unknown' ELSE 'failed' END)`;

export const createJournalHandlers = ({
  workspace,
}: Pick<Context, 'workspace'>): HandlersOf<'journal.list'> => ({
  async 'journal.list'({ connectionId, text, outcome, kind, before, limit }) {
    const parts = ['1'];
    const params: SqlValue[] = [];
    const also = (sql: string, ...values: SqlValue[]) => {
      parts.push(sql);
      params.push(...values);
    };
    if (connectionId !== null) also('connection_id = ?', connectionId);
    if (outcome !== undefined) also(`${STATE} = ?`, outcome);
    if (kind !== undefined) also(kind === 'action' ? 'action IS NOT NULL' : 'action IS NULL');
    // Bulk exceptions list their values as targets.
    for (const word of (text ?? '').toLowerCase().split(/\s+/).filter(Boolean))
      also(
        `(instr(lower(coalesce(who, '') || ' ' || endpoint || ' ' || request || ' ' || outcome), ?) > 0
          OR (action IS NOT NULL AND endpoint = 'exceptions.create-external' AND EXISTS (SELECT 1 FROM journal_targets
            WHERE journal_id = journal.id AND instr(lower(entity_id), ?) > 0)))`,
        word,
        word,
      );
    const where = parts.join(' AND ');
    const counted = await workspace.get<{ n: number }>(
      `SELECT count(*) AS n FROM journal WHERE ${where}`,
      params,
    );
    const rows = await workspace.all<JournalRow>(
      `SELECT id, at, connection_id, who, endpoint, request ->> '$.about' AS about,
        json_remove(request, '$.about', '$.service') AS request, ${STATE} AS state, outcome,
        json_remove(action, '$.exceptions.comments', '$.before', '$.after') AS action,
        CASE WHEN action IS NOT NULL THEN (SELECT json_group_object(state, n) FROM
          (SELECT state, count(*) AS n FROM journal_targets WHERE journal_id = journal.id GROUP BY state)) END AS counts,
        CASE WHEN action IS NOT NULL THEN (SELECT json_object('name', name, 'recipient', recipient)
          FROM journal_targets WHERE journal_id = journal.id AND position = 0) END AS only,
        EXISTS (SELECT 1 FROM journal l WHERE l.id > journal.id AND l.action ->> 'undoOf' = journal.id) AS undone
        FROM journal WHERE ${where} AND id < ? ORDER BY id DESC LIMIT ?`,
      [...params, before ?? Number.MAX_SAFE_INTEGER, limit + 1],
    );
    const page = rows.slice(0, limit);
    return {
      entries: page.map(entryOf),
      count: counted?.n ?? 0,
      next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
    };
  },
});

function entryOf(row: JournalRow): JournalEntry {
  const { message } = JSON.parse(row.outcome) as { message?: string | null };
  const action = row.action === null ? null : actionOf(row, row.action);
  return {
    id: row.id,
    at: row.at,
    connectionId: row.connection_id,
    who: row.who,
    endpoint: row.endpoint,
    about: row.about,
    request: row.request,
    outcome: row.state as JournalEntry['outcome'],
    message: message ?? null,
    action,
    inverse: row.undone === 1 ? null : inverseIn(row, action),
  };
}

/** The action that undoes an entry, or null if nothing does, or nothing of it was done. */
function inverseIn({ endpoint, request, state, action: plan }: JournalRow, action: JournalAction | null) {
  if (action === null) {
    const response = state === 'done' && endpoint === 'manual-actions.create' ? responseIn(request) : null;
    return response === null ? null : inverseBy(endpoint, response.actionId);
  }
  const isSettled = state === 'done' || state === 'partial';
  const { entityField } = JSON.parse(plan ?? '{}') as Partial<ActionPlan>;
  return isSettled && action.counts.done > 0 && entityField != null
    ? inverseBy(endpoint, action.actionId)
    : null;
}

function actionOf({ counts: counted, only }: JournalRow, text: string): JournalAction {
  const plan = JSON.parse(text) as ActionPlan;
  const foundCounts = JSON.parse(counted ?? '{}') as Partial<Counts>;
  const counts = countsOf((state) => foundCounts[state] ?? 0);
  const targets = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    actionId: plan.actionId,
    actionLabel: plan.actionLabel,
    params: plan.params,
    reason: plan.reason,
    domain: plan.domain,
    saas: plan.saas,
    queryId: plan.queryId,
    queryLabel: plan.queryLabel,
    scope: plan.scope,
    targets,
    counts,
    retryOf: plan.retryOf,
    undoOf: plan.undoOf,
    only: targets === 1 && only !== null ? (JSON.parse(only) as JournalAction['only']) : null,
  };
}
