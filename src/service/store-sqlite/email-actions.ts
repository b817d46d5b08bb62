/** Quarantine, restore, decline, delete and restore requests of emails and of their delivered copies. */

import { roleOf } from '../roles.ts';
import { type ActionOutcome, type ActionRequest, failed, SUCCESS } from '../store/action.ts';
import { detailOf, type EmailRow } from '../store/emails.ts';
import type { EmailDetail } from '../store/records.ts';
import { happened } from './events.ts';
import type { SqliteStore } from './sqlite-store.ts';

export const IN_QUARANTINE: readonly string[] = ['Quarantined', 'Restore asked'];
interface Change {
  state?: string;
  detail: EmailDetail;
  quarantined: boolean;
  restoreState: string | null;
}

function write(store: SqliteStore, row: EmailRow, change: Change): void {
  store.db
    .prepare('UPDATE emails SET state = ?, detail = ?, quarantined = ?, restore_state = ? WHERE id = ?')
    .run(
      change.state ?? row.state,
      JSON.stringify(change.detail),
      change.quarantined ? 1 : 0,
      change.restoreState,
      row.id,
    );
  if (change.state !== undefined)
    // External copies have no folder here.
    store.db
      .prepare('UPDATE recipients SET state = ? WHERE email_id = ? AND state IS NOT NULL')
      .run(change.state, row.id);
}

/** `row` is the email; the request may name one of its copies, `<id>.<position>`. */
export function actOnEmail(store: SqliteStore, row: EmailRow, request: ActionRequest): ActionOutcome {
  if (request.entityId !== row.entity_id) return actOnCopy(store, row, request);
  const detail = detailOf(row);
  const held = IN_QUARANTINE.includes(row.state ?? '');
  const isRequested = detail.restore?.requestedAt !== undefined && detail.restore.restoredAt === undefined;
  const by = request.actor.name;
  const { at } = request;
  const reason = request.data.reason?.trim() ?? '';
  const { label } = roleOf(request.actor.role);
  const say = (type: string, summary: string): ActionOutcome => {
    happened(store, request, row.entity_id, type, summary);
    return SUCCESS;
  };
  switch (request.data.action) {
    case 'quarantine': {
      if (held) return failed('It is in quarantine already');
      if (row.direction === 'outgoing') return failed('It was sent to others and cannot be taken back');
      const { restore: _restore, decline: _decline, ...rest } = detail;
      const quarantine = { at, by, label, reason, ...(row.state === null ? {} : { from: row.state }) };
      write(store, row, {
        state: 'Quarantined',
        detail: { ...rest, quarantine },
        quarantined: true,
        restoreState: null,
      });
      return say('quarantined', 'Quarantined');
    }
    case 'restore': {
      if (!held) return failed('It is not in quarantine');
      const { decline: _decline, ...rest } = detail;
      const restore = { by, label, reason, ...detail.restore, restoredAt: at, restoredBy: by };
      write(store, row, {
        state: detail.quarantine?.from ?? 'Inbox',
        detail: { ...rest, restore },
        quarantined: false,
        restoreState: 'restored',
      });
      return say('restored', 'Restored to its recipients');
    }
    case 'decline':
      if (!held || !isRequested) return failed('Nobody asks for it back');
      if (detail.decline) return failed('The request is declined already');
      write(store, row, {
        state: 'Quarantined',
        detail: { ...detail, decline: { at, by, label, reason } },
        quarantined: true,
        restoreState: 'declined',
      });
      return say('declined', 'Restore request declined');
    case 'request_restore': {
      if (!held) return failed('It is not in quarantine');
      if (isRequested && !detail.decline) return failed('It was asked back already');
      const { decline: _decline, ...rest } = detail;
      write(store, row, {
        state: 'Restore asked',
        detail: { ...rest, restore: { requestedAt: at, by, label, reason } },
        quarantined: true,
        restoreState: 'requested',
      });
      return say('restore_requested', 'Release requested');
    }
    case 'delete':
      if (row.state === 'Deleted') return failed('It is deleted already');
      write(store, row, {
        state: 'Deleted',
        detail: { ...detail, deleted: true },
        quarantined: false,
        restoreState: row.restore_state,
      });
      return say('deleted', 'Deleted from the mailboxes');
    default:
      return failed('There is no such action for an email');
  }
}

/** One delivered copy: changes only its folder, unless it is the last copy of its email. */
function actOnCopy(store: SqliteStore, row: EmailRow, request: ActionRequest): ActionOutcome {
  const position = Number(request.entityId.slice(row.entity_id.length + 1));
  const copies = store.db
    .prepare<unknown[], { position: number; email: string; state: string }>(
      'SELECT position, email, state FROM recipients WHERE email_id = ? AND state IS NOT NULL',
    )
    .all(row.id);
  const target = copies.find((copy) => copy.position === position);
  if (!target) return failed('There is no such copy in these mailboxes');
  const { action } = request.data;
  const whole: ActionRequest = { ...request, entityId: row.entity_id };
  const held = (state: string): boolean => IN_QUARANTINE.includes(state);
  const isPossible =
    action === 'restore' ? !held(target.state) : action === 'quarantine' ? held(target.state) : null;
  if (isPossible === null) return actOnEmail(store, row, whole);
  if (isPossible)
    return failed(action === 'restore' ? 'It is not in quarantine' : 'It is in quarantine already');
  const others = copies.filter((copy) => copy !== target);
  const last = others.every((copy) => held(copy.state) === (action === 'quarantine'));
  if (last && held(row.state ?? '') === (action === 'restore')) return actOnEmail(store, row, whole);
  store.db
    .prepare('UPDATE recipients SET state = ? WHERE email_id = ? AND position = ?')
    .run(action === 'restore' ? 'Inbox' : 'Quarantined', row.id, position);
  const type = action === 'restore' ? 'restored' : 'quarantined';
  happened(store, request, row.entity_id, type, `Copy of ${target.email} ${type}`);
  return SUCCESS;
}
