/** Sends responses to one email, file or chat message, and explains when that is not possible. */
import { ParapetError } from '#shared/bridge/errors.ts';
import { inverseOf, type ResponseKind, type ResponseOrder } from '#shared/model/responses.ts';
import { currentConnection } from './connection.ts';
import type { Undoable } from './undo.ts';
import { windowBridge } from './window-bridge.ts';

export interface ResponseTarget {
  type: 'email' | 'file' | 'message';
  entityId: string;
  /** Its subject or file name, for toasts and the journal. */
  name: string;
  /** Its recipient, if known. */
  recipient?: string | undefined;
}

/** "Invoice overdue, to p.kaur@corp.example". */
export const targetName = ({ name, recipient }: ResponseTarget): string =>
  recipient ? `${name}, to ${recipient}` : name;

const OFFLINE = 'You are offline. Actions can’t be sent or queued.';
const EVIDENCE = 'Evidence is read-only.';

/** Why nothing can be sent on this connection now, or null if it can. */
export const sendRefusal = (reach: string, kind: string | undefined): string | null =>
  kind === 'evidence' ? EVIDENCE : reach === 'online' ? null : OFFLINE;

/** The title when no response arrived, so that the change may have been made. */
export const inDoubt = (verb: string): string => `${verb}: unknown, may have arrived`;

function change(kind: ResponseKind, { type, entityId }: ResponseTarget, order: ResponseOrder) {
  const reason = order.reason.trim();
  switch (kind) {
    case 'rescan':
      return {
        endpoint: 'entity.rescan' as const,
        body: { src_entity_type: type, entity_id: entityId, app_names: [...order.tools] },
      };
    case 'report':
      return {
        endpoint: 'email.report' as const,
        body: { entity_id: entityId, report: order.report, ...(reason ? { comment: reason } : {}) },
      };
    case 'identify':
      return {
        endpoint: 'entity.identify' as const,
        body: { entity_id: entityId, identifier: order.identifier.trim() },
      };
    default:
      return {
        endpoint: 'manual-actions.create' as const,
        body: {
          entity_ids: [entityId],
          entity_type: type,
          data: { action: kind, ...(reason ? { reason } : {}) },
          date_trigger: order.at,
        },
      };
  }
}

interface Answer {
  success?: boolean;
  outcomes?: readonly { entity_id?: string; success?: boolean; error?: string | null }[] | null;
}

/**
 * Sends one response once and logs it in the journal, whose entry it resolves with. Rejects with a ParapetError, also if the service answered that
 * it was not done.
 */
export async function respond(
  kind: ResponseKind,
  target: ResponseTarget,
  order: ResponseOrder,
): Promise<Undoable> {
  const connection = currentConnection();
  if (!connection) throw new ParapetError('no-connection', 'No connection is open.');
  const { endpoint, body } = change(kind, target, order);
  const about = targetName(target).slice(0, 300);
  const input = { connectionId: connection.id, endpoint, body, about };
  const { data, journalId } = await windowBridge().call('service.send', input);
  const answer = data as Answer | null;
  const failed = answer?.outcomes?.find(({ success }) => success === false);
  if (answer?.success === false || failed)
    throw new ParapetError('not-allowed', failed?.error || 'The service reported that it was not done.');
  return {
    id: journalId ?? 0,
    connectionId: connection.id,
    endpoint,
    inverse: journalId === null || order.at !== null ? null : inverseOf(kind),
  };
}
