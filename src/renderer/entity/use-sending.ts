/** The dialog of a response to one entity, and sending it. */
import { useState } from 'react';
import { openScreen } from '#renderer/state/navigation.ts';
import { type ResponseTarget, respond } from '#renderer/state/respond.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { RESPONSES, type ResponseKind, type ResponseOrder } from '#shared/model/responses.ts';

export interface Sending {
  /** The one whose dialog is open. */
  open: ResponseKind | null;
  start: (kind: ResponseKind) => void;
  close: () => void;
  pending: boolean;
  error: BridgeError | null;
  /** Keeps the dialog open when it failed. */
  send: (order: ResponseOrder) => Promise<void>;
}

/** What can be done to an entity now. */
export interface Response extends Sending {
  /** Why this cannot be done; null: it can. */
  refusal: (kind: ResponseKind) => string | null;
}

const DONE: Readonly<Record<ResponseKind, string>> = {
  quarantine: 'Quarantined',
  restore: 'Restored',
  decline: 'Request declined',
  request_restore: 'Asked back',
  delete: 'Deleted',
  rescan: 'Asked to look again',
  report: 'Reported',
  identify: 'Identifier set',
};

export function useSending({ type, entityId }: ResponseTarget): Sending {
  const [open, setOpen] = useState<ResponseKind | null>(null);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<BridgeError | null>(null);
  // Another entity in the same tab closes what was begun for the one before.
  const [of, setOf] = useState(entityId);
  if (of !== entityId) {
    setOf(entityId);
    setOpen(null);
    setError(null);
  }
  const start = (kind: ResponseKind) => {
    setError(null);
    setOpen(kind);
  };
  const send = async (order: ResponseOrder) => {
    if (open === null) return;
    setPending(true);
    setError(null);
    try {
      await respond(open, { type, entityId }, order);
      setOpen(null);
      showToast({
        intent: 'success',
        title: order.at === null ? DONE[open] : `Planned: ${RESPONSES[open].verb.toLowerCase()}`,
        detail: 'It stands in the journal.',
        action: { label: 'Journal', run: () => openScreen('activity') },
      });
    } catch (reason) {
      setError(toBridgeError(reason));
    } finally {
      setPending(false);
    }
  };
  return { open, start, close: () => setOpen(null), pending, error, send };
}
