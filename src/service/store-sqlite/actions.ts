/** What an action does to an entity (POST manual_actions, POST query/{id}/action). */

import { roleOf } from '../roles.ts';
import type { Planned, Report } from '../store/action.ts';
import { type ActionOutcome, type ActionRequest, checkAction, failed, SUCCESS } from '../store/action.ts';
import { detailOf } from '../store/emails.ts';
import type { FileRow } from '../store/files.ts';
import { actOnEmail } from './email-actions.ts';
import { findEmail } from './emails.ts';
import { typeOf } from './entities.ts';
import { onMessage } from './entity-rules.ts';
import { changeState } from './entity-state.ts';
import { happened, record } from './events.ts';
import { findFile } from './files.ts';
import { schedule } from './scheduled.ts';
import type { SqliteStore } from './sqlite-store.ts';

export function perform(
  store: SqliteStore,
  ids: readonly string[],
  { due, ...request }: Omit<ActionRequest, 'entityId'> & { due: number | null },
): (ActionOutcome & Partial<Planned>)[] {
  return store.db.transaction(() =>
    ids.map((entityId) =>
      due === null ? act(store, { ...request, entityId }) : plan(store, { ...request, entityId }, due),
    ),
  )();
}

/** Schedules the action; whether it is still possible is checked when it is due. */
function plan(store: SqliteStore, request: ActionRequest, due: number): ActionOutcome & Partial<Planned> {
  const { entityType, entityId, data, actor, at } = request;
  const entity = typeOf(store, entityId);
  if (!entity || entity.type !== entityType) return failed(`There is no such ${entityType.slice(0, 40)}`);
  if (entityType === 'email' && findEmail(store, entityId)?.file_id != null)
    return failed('Mail evidence is only read: nothing can be done to it');
  const scheduled = new Date(due).toISOString();
  const { name, role } = actor;
  schedule(store, { dueAt: due, askedAt: at, actor: name, role, entityType, entityId, data });
  record(store, {
    entityId: entity.id,
    at,
    type: 'action_planned',
    actor: name,
    actorLabel: roleOf(role).label,
    summary: `Planned: ${data.action.replaceAll('_', ' ')} at ${scheduled}`,
    detail: data.reason ?? null,
  });
  return { success: true, scheduled };
}

/** Records what an analyst reports. The first report of an email sets its time; each reporter counts once. */
export function report(
  store: SqliteStore,
  { entityType, entityId, verdict, comment, actor, at }: Report,
): void {
  store.db.transaction(() => {
    const email = entityType === 'email' && verdict !== 'clean' ? findEmail(store, entityId) : null;
    if (email) {
      const detail = detailOf(email);
      const before = detail.report;
      const by = [...new Set([...(before?.by ?? []), actor.name])];
      const report = { at: before?.at ?? at, by, comment: comment.trim() || (before?.comment ?? '') };
      store.db
        .prepare('UPDATE emails SET detail = ?, user_reported = ? WHERE id = ?')
        .run(JSON.stringify({ ...detail, report }), by.length, email.id);
    }
    record(store, {
      entityId,
      at,
      type: 'reported',
      actor: actor.name,
      actorLabel: roleOf(actor.role).label,
      summary: verdict === 'clean' ? 'Reported as no threat' : `Reported as ${verdict}`,
      detail: comment.trim() || null,
    });
  })();
}

/** Acts on one entity, in the caller's transaction or its own, and records it as an event. */
export function act(store: SqliteStore, request: ActionRequest): ActionOutcome {
  const allowed = checkAction(request.data, request.actor.role);
  if (!allowed.success) return allowed;
  return store.db.transaction(() => acted(store, request))();
}

function acted(store: SqliteStore, request: ActionRequest): ActionOutcome {
  switch (request.entityType) {
    case 'email': {
      const row = findEmail(store, request.entityId);
      if (!row) return failed('There is no such email');
      if (row.file_id !== null) return failed('Mail evidence is only read: nothing can be done to it');
      return actOnEmail(store, row, request);
    }
    case 'file': {
      const row = findFile(store, request.entityId);
      return row ? actOnFile(store, row, request) : failed('There is no such file');
    }
    case 'message':
      return onMessage(store, request);
    default:
      return failed(`Nothing can be done to a ${request.entityType.slice(0, 40)}`);
  }
}

function actOnFile(store: SqliteStore, row: FileRow, request: ActionRequest): ActionOutcome {
  const { actor, at, data } = request;
  const set = (column: 'is_quarantined' | 'is_deleted', value: 0 | 1) =>
    store.db.prepare(`UPDATE files SET ${column} = ? WHERE id = ?`).run(value, row.id);
  const info = { at, by: actor.name, reason: data.reason?.trim() ?? '' };
  if (row.is_deleted === 1) return failed('The file is deleted');
  switch (data.action) {
    case 'quarantine':
      if (row.is_quarantined === 1) return failed('It is in quarantine already');
      set('is_quarantined', 1);
      changeState(store, row.entity_id, { quarantine: info });
      happened(store, request, row.entity_id, 'quarantined', 'Quarantined');
      return SUCCESS;
    case 'restore':
      if (row.is_quarantined === 0) return failed('It is not in quarantine');
      set('is_quarantined', 0);
      changeState(store, row.entity_id, { restored: info });
      happened(store, request, row.entity_id, 'restored', 'Restored from quarantine');
      return SUCCESS;
    case 'delete':
      set('is_deleted', 1);
      happened(store, request, row.entity_id, 'deleted', 'Deleted');
      return SUCCESS;
    default:
      return failed('Only an email can be asked back by its recipient');
  }
}
