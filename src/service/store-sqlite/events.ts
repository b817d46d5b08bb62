import type { EntityEvent } from '#shared/model/entities.ts';
import { roleOf } from '../roles.ts';
import type { ActionRequest } from '../store/action.ts';
import type { Happening } from '../store/events.ts';
import type { SqliteStore } from './sqlite-store.ts';

export function record(store: SqliteStore, it: Happening): void {
  store.db
    .prepare(
      `INSERT INTO entity_events (entity_id, at, type, actor, actor_label, summary, detail, re_evaluated)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      it.entityId,
      it.at,
      it.type,
      it.actor,
      it.actorLabel,
      it.summary,
      it.detail ?? null,
      it.reEvaluated ? 1 : 0,
    );
}

interface EventRow {
  id: number;
  at: number;
  type: string;
  actor: string | null;
  actor_label: string | null;
  summary: string;
  detail: string | null;
  re_evaluated: number;
}

/** Newest first. */
export function recordedEvents(store: SqliteStore, entityId: string): EntityEvent[] {
  const rows = store.db
    .prepare<unknown[], EventRow>('SELECT * FROM entity_events WHERE entity_id = ? ORDER BY at DESC, id DESC')
    .all(entityId);
  return rows.map(({ id, at, re_evaluated, ...rest }) => ({
    id: `r${id}`,
    time: new Date(at).toISOString(),
    ...rest,
    re_evaluated: re_evaluated === 1,
  }));
}

export function happened(
  store: SqliteStore,
  request: ActionRequest,
  entityId: string,
  type: string,
  summary: string,
): void {
  record(store, {
    entityId,
    at: request.at,
    type,
    actor: request.actor.name,
    actorLabel: roleOf(request.actor.role).label,
    summary,
    detail: request.data.reason?.trim() || null,
  });
}
