/** The dialog of a response to one entity, and the request it sends. */
import { useEffect, useRef, useState } from 'react';
import type { ResponseTarget } from '#renderer/state/respond.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { ResponseKind, ResponseOrder } from '#shared/model/responses.ts';
import { isUnderway, sendResponse, useUnderway } from './sending-store.ts';

export interface Sending {
  /** The response whose dialog is open. */
  open: ResponseKind | null;
  /** The entity the dialog belongs to; a dialog for another one starts empty. */
  entityId: string;
  start: (kind: ResponseKind) => void;
  close: () => void;
  pending: boolean;
  error: BridgeError | null;
  /** On failure the dialog stays open. */
  send: (order: ResponseOrder) => Promise<void>;
  /** Why this response cannot be started: the same one is being sent. Null if it can. */
  underway: (kind: ResponseKind) => string | null;
}

/** Responses available for an entity now. */
export interface Response extends Omit<Sending, 'underway'> {
  /** Tools found something in it: only then is a button red. */
  harmful?: boolean;
  /** Why this cannot be done, or null if it can. */
  refusal: (kind: ResponseKind) => string | null;
}

const ON_ITS_WAY = 'Already sent; waiting for an answer.';

/** One opening of the dialog, for one entity. An answer that arrives after it has closed goes to a toast. */
interface Dialog {
  entityId: string;
  kind: ResponseKind;
  pending: boolean;
  error: BridgeError | null;
}

/** The dialog belongs to the entity it was opened for: when the tab shows another entity, it is closed. */
export function useSending(target: ResponseTarget): Sending {
  const { entityId } = target;
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const isOnItsWay = useUnderway(target);
  const current = dialog?.entityId === entityId ? dialog : null;
  if (dialog !== null && current === null) setDialog(null);
  const shown = useRef<Dialog | null>(null);
  shown.current = current;
  useEffect(
    () => () => {
      shown.current = null;
    },
    [],
  );
  const send = async (order: ResponseOrder) => {
    if (current === null || current.pending || isUnderway(target, current.kind)) return;
    const sent = { ...current, pending: true, error: null };
    setDialog(sent);
    const error = await sendResponse(target, current.kind, order, () => shown.current === sent);
    setDialog((now) => (now !== sent ? now : error === null ? null : { ...sent, pending: false, error }));
  };
  return {
    open: current?.kind ?? null,
    entityId,
    start: (kind) => setDialog({ entityId, kind, pending: false, error: null }),
    close: () => setDialog(null),
    // Two tabs may show the same entity: a response sent from one is not sent again from the other.
    pending: current !== null && (current.pending || isOnItsWay(current.kind)),
    error: current?.error ?? null,
    send,
    underway: (kind) => (isOnItsWay(kind) ? ON_ITS_WAY : null),
  };
}
