import type { RoleName } from '../roles.ts';
import type { ActionData, Scheduled } from '../store/action.ts';
import type { SqliteStore } from './sqlite-store.ts';

export function schedule(store: SqliteStore, it: Scheduled): void {
  store.db
    .prepare(
      `INSERT INTO pending_actions (due_at, asked_at, actor, role, entity_type, entity_id, data)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(it.dueAt, it.askedAt, it.actor, it.role, it.entityType, it.entityId, JSON.stringify(it.data));
}

interface PendingRow {
  id: number;
  due_at: number;
  asked_at: number;
  actor: string | null;
  role: string;
  entity_type: string;
  entity_id: string;
  data: string;
}

/** Removes and returns what is due, in order of date. */
export function takeDue(store: SqliteStore, now: number): Scheduled[] {
  const rows = store.db
    .prepare<unknown[], PendingRow>('DELETE FROM pending_actions WHERE due_at <= ? RETURNING *')
    .all(now);
  return rows
    .sort((a, b) => a.due_at - b.due_at || a.id - b.id)
    .map((row) => ({
      dueAt: row.due_at,
      askedAt: row.asked_at,
      actor: row.actor,
      role: row.role as RoleName,
      entityType: row.entity_type,
      entityId: row.entity_id,
      data: JSON.parse(row.data) as ActionData,
    }));
}

export function pendingOf(
  store: SqliteStore,
  entityId: string,
): { action: string; time: string; by: string | null; reason: string | null }[] {
  const rows = store.db
    .prepare<unknown[], PendingRow>(
      'SELECT * FROM pending_actions WHERE entity_id = ? OR (entity_id > ? AND entity_id < ?) ORDER BY due_at, id',
    )
    .all(entityId, `${entityId}.`, `${entityId}/`);
  return rows.map(({ due_at, actor, data }) => {
    const { action, reason } = JSON.parse(data) as ActionData;
    return { action, time: new Date(due_at).toISOString(), by: actor, reason: reason ?? null };
  });
}
