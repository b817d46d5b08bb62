/** Undo of changes, from the toast that reports them and from the journal. */
import { readKeyText, readState } from '#renderer/bridge/read-store.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { callRefusal } from '#shared/api/access.ts';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { JournalEntry } from '#shared/bridge/operations.ts';
import { inverseOf, RESPONSE_KINDS, RESPONSES, type ResponseKind } from '#shared/model/responses.ts';
import { currentConnection } from './connection.ts';
import { type ResponseTarget, respond } from './respond.ts';
import { windowBridge } from './window-bridge.ts';

/** Whether the caller's role may undo an action, as far as the role is known. */
function mayDo(call: 'query.action' | 'manual-actions.create', action: string): boolean {
  const connectionId = currentConnection()?.id ?? '';
  const list = readState(
    readKeyText({ connectionId, endpoint: 'query.list', request: { query: {} } as never }),
  );
  return callRefusal((list.data as AnswerOf<'query.list'> | undefined)?.caller, call, { action }) === null;
}

const isResponse = (action: string | null): action is ResponseKind =>
  RESPONSE_KINDS.some((kind) => kind === action);

const failed = (error: unknown) =>
  showToast({ intent: 'error', stays: true, title: 'Not undone', detail: toBridgeError(error).message });

/** Undoes a response to one entity; null: it cannot be undone, or the role may not. */
export function undoResponse(
  kind: ResponseKind,
  target: ResponseTarget,
  reason: string,
): (() => void) | null {
  const inverse = inverseOf(kind);
  if (!isResponse(inverse) || !mayDo('manual-actions.create', inverse)) return null;
  const order = {
    reason: `Undo: ${reason}`.slice(0, 2000),
    at: null,
    tools: [],
    report: 'clean',
    identifier: '',
  } as const;
  return () => {
    respond(inverse, target, order).then(
      () =>
        showToast({
          intent: 'success',
          title: `Undone: ${RESPONSES[inverse].done.toLowerCase()}`,
          detail: target.name,
        }),
      failed,
    );
  };
}

interface Sent {
  entity_ids?: unknown;
  entity_type?: unknown;
  data?: { action?: unknown; reason?: unknown };
  date_trigger?: unknown;
}

function ofResponse({ request, about }: JournalEntry): (() => void) | null {
  const body = (JSON.parse(request) as { body?: Sent } | null)?.body;
  const { entity_ids: ids, entity_type: type, data, date_trigger: later } = body ?? {};
  const action = typeof data?.action === 'string' ? data.action : null;
  const id: unknown = Array.isArray(ids) && ids.length === 1 ? ids[0] : null;
  if (!isResponse(action) || typeof id !== 'string' || (type !== 'email' && type !== 'file')) return null;
  // Scheduled actions have not been carried out yet.
  if (typeof later === 'string') return null;
  const reason = typeof data?.reason === 'string' ? data.reason : '';
  return undoResponse(action, { type, entityId: id, name: about ?? id }, reason);
}

/** Undoes a journal entry; null: it cannot be undone. */
export function undoOf(entry: JournalEntry): (() => void) | null {
  const { action, outcome, endpoint, id } = entry;
  if (entry.connectionId !== currentConnection()?.id || (outcome !== 'done' && outcome !== 'partial'))
    return null;
  if (endpoint === 'manual-actions.create') return ofResponse(entry);
  if (action === null || endpoint !== 'query.action' || action.undone || action.counts.done === 0)
    return null;
  const inverse = inverseOf(action.actionId);
  if (inverse === null || !mayDo('query.action', inverse)) return null;
  return () => {
    windowBridge().call('actions.undo', { journalId: id }).catch(failed);
  };
}
