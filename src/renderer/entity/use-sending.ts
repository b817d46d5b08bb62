/** The dialog of a response to one entity, and sending it. */
import { useEffect, useRef, useState } from 'react';
import type { ResponseTarget } from '#renderer/state/respond.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { ResponseKind, ResponseOrder } from '#shared/model/responses.ts';
import { isUnderway, sendResponse, useUnderway } from './sending-store.ts';

export interface Sending {
  /** The one whose dialog is open. */
  open: ResponseKind | null;
  /** The entity whose dialog it is: another one's begins empty. */
  entityId: string;
  start: (kind: ResponseKind) => void;
  close: () => void;
  pending: boolean;
  error: BridgeError | null;
  /** Keeps the dialog open when it failed. */
  send: (order: ResponseOrder) => Promise<void>;
  /** Why this response cannot be begun now: one is on its way. null: none is. */
  underway: (kind: ResponseKind) => string | null;
}

/** What can be done to an entity now. */
export interface Response extends Omit<Sending, 'underway'> {
  /** Why this cannot be done; null: it can. */
  refusal: (kind: ResponseKind) => string | null;
}

const ON_ITS_WAY = 'Already sent; waiting for an answer.';

/** One opening of the dialog, for one entity; an answer that comes after it is told elsewhere. */
interface Dialog {
  entityId: string;
  kind: ResponseKind;
  pending: boolean;
  error: BridgeError | null;
}

/** The dialog belongs to the entity that it was opened for: another entity in the same tab has none open. */
export function useSending(target: ResponseTarget): Sending {
  const { entityId } = target;
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const isOnItsWay = useUnderway(target);
  const own = dialog?.entityId === entityId ? dialog : null;
  if (dialog !== null && own === null) setDialog(null);
  const shown = useRef<Dialog | null>(null);
  shown.current = own;
  useEffect(
    () => () => {
      shown.current = null;
    },
    [],
  );
  const send = async (order: ResponseOrder) => {
    if (own === null || own.pending || isUnderway(target, own.kind)) return;
    const sent = { ...own, pending: true, error: null };
    setDialog(sent);
    const error = await sendResponse(target, own.kind, order, () => shown.current === sent);
    setDialog((now) => (now !== sent ? now : error === null ? null : { ...sent, pending: false, error }));
  };
  return {
    open: own?.kind ?? null,
    entityId,
    start: (kind) => setDialog({ entityId, kind, pending: false, error: null }),
    close: () => setDialog(null),
    // In two tabs of one entity, what one has sent the other does not send again.
    pending: own !== null && (own.pending || isOnItsWay(own.kind)),
    error: own?.error ?? null,
    send,
    underway: (kind) => (isOnItsWay(kind) ? ON_ITS_WAY : null),
  };
}
