/** Actions that are one conditional update of a row. */
import { dictionary } from '#shared/dictionary.ts';
import { type ActionOutcome, type ActionRequest, failed, SUCCESS } from '../store/action.ts';
import { happened } from './events.ts';
import type { SqliteStore } from './sqlite-store.ts';

export interface Rule {
  /** Holds for rows that stay as they are. */
  unless: string;
  why: string;
  set: string;
  event: string;
  summary: string;
}

/** One conditional update: rows that the rule excludes fail with its words. */
function update(
  store: SqliteStore,
  request: ActionRequest,
  table: string,
  rule: Rule,
  params: readonly (string | number)[] = [],
): ActionOutcome {
  const where = table === 'clicks' ? "'click-' || id = ?" : 'entity_id = ?';
  const row = store.db
    .prepare<[string], { id: number; excluded: number }>(
      `SELECT id, coalesce(${rule.unless}, 0) AS excluded FROM ${table} WHERE ${where}`,
    )
    .get(request.entityId);
  if (!row) return failed('It no longer exists');
  if (row.excluded === 1) return failed(rule.why);
  store.db.prepare(`UPDATE ${table} SET ${rule.set} WHERE id = ?`).run(...params, row.id);
  happened(store, request, request.entityId, rule.event, rule.summary);
  return SUCCESS;
}

export const rule = (unless: string, why: string, set: string, event: string, summary: string): Rule => ({
  unless,
  why,
  set,
  event,
  summary,
});

export const byRule = (
  store: SqliteStore,
  request: ActionRequest,
  table: string,
  rules: Readonly<Record<string, Rule>>,
  params: readonly (string | number)[] = [],
): ActionOutcome => {
  const rule = rules[request.data.action];
  return rule ? update(store, request, table, rule, params) : failed('There is no such action here');
};

const MESSAGE_RULES: Readonly<Record<string, Rule>> = dictionary({
  quarantine: rule(
    "state <> 'posted'",
    'It is quarantined or deleted already',
    "state = 'quarantined'",
    'quarantined',
    'Quarantined',
  ),
  restore: rule(
    "state <> 'quarantined'",
    'It is not in quarantine',
    "state = 'posted'",
    'restored',
    'Restored',
  ),
  delete: rule("state = 'deleted'", 'It is deleted already', "state = 'deleted'", 'deleted', 'Deleted'),
  rescan: rule(
    'links_count = 0',
    'It has no link to look at',
    'verdict = verdict',
    'scanned',
    'Scanned again',
  ),
});

export const onMessage = (store: SqliteStore, request: ActionRequest): ActionOutcome =>
  byRule(store, request, 'messages', MESSAGE_RULES);
