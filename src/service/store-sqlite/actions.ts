/** What an action does to an entity (POST manual_actions, POST query/{id}/action). */

import { type ActionOutcome, type ActionRequest, checkAction, failed } from '../store/action.ts';
import type { FileRow } from '../store/files.ts';
import { actOnEmail } from './email-actions.ts';
import { findEmail } from './emails.ts';
import { onMessage } from './entity-rules.ts';
import { changeState } from './entity-state.ts';
import { happened } from './events.ts';
import { findFile } from './files.ts';
import type { Store } from './store.ts';

/** Acts on one entity, in the caller's transaction or its own, and records it as an event. */
export function act(store: Store, request: ActionRequest): ActionOutcome {
  const allowed = checkAction(request.data, request.actor.role);
  if (!allowed.success) return allowed;
  return store.db.transaction(() => acted(store, request))();
}

function acted(store: Store, request: ActionRequest): ActionOutcome {
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

function actOnFile(store: Store, row: FileRow, request: ActionRequest): ActionOutcome {
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
      return { success: true };
    case 'restore':
      if (row.is_quarantined === 0) return failed('It is not in quarantine');
      set('is_quarantined', 0);
      changeState(store, row.entity_id, { restored: info });
      happened(store, request, row.entity_id, 'restored', 'Restored from quarantine');
      return { success: true };
    case 'delete':
      set('is_deleted', 1);
      happened(store, request, row.entity_id, 'deleted', 'Deleted');
      return { success: true };
    default:
      return failed('Only an email can be asked back by its recipient');
  }
}
