/** What can be done to this email now, and why not; and sending it. */
import { useState } from 'react';
import { openScreen } from '#renderer/state/navigation.ts';
import { respond } from '#renderer/state/respond.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { roleRefusal } from '#shared/model/actors.ts';
import { RESPONSES, type ResponseKind, type ResponseOrder } from '#shared/model/responses.ts';
import { type Lifecycle, lifecycleOf } from './lifecycle.ts';
import type { EmailReads } from './use-email.ts';

/** Why the state of the email speaks against it; null: it does not, or is not known. */
export function stateRefusal(
  kind: ResponseKind,
  lifecycle: Lifecycle | null,
  more: { direction?: string | null; deleted?: boolean | null; restorable?: string | null },
): string | null {
  if (lifecycle === null) return null;
  const { held, state } = lifecycle;
  switch (kind) {
    case 'quarantine':
      if (held) return 'It is in quarantine already.';
      return more.direction === 'outgoing' ? 'It was sent to others and cannot be taken back.' : null;
    case 'restore':
      if (!held) return 'It is not in quarantine.';
      return more.restorable ?? null;
    case 'decline':
      return held && state === 'requested' ? null : 'Nobody asks for it back.';
    case 'request_restore':
      if (!held) return 'It is not in quarantine.';
      return state === 'requested' ? 'It was asked back already.' : null;
    case 'delete':
      return more.deleted ? 'It is deleted already.' : null;
    default:
      return null;
  }
}

export interface Response {
  lifecycle: Lifecycle | null;
  /** Why this cannot be done; null: it can. */
  refusal: (kind: ResponseKind) => string | null;
  /** The one whose dialog is open. */
  open: ResponseKind | null;
  start: (kind: ResponseKind) => void;
  close: () => void;
  pending: boolean;
  error: BridgeError | null;
  send: (order: ResponseOrder) => Promise<void>;
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

/** The response bar's state. `send` keeps the dialog open when it failed. */
export function useResponse(email: EmailReads): Response {
  const profile = email.profile.data;
  const lifecycle = lifecycleOf(profile, email.props.data);
  const [open, setOpen] = useState<ResponseKind | null>(null);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<BridgeError | null>(null);
  const { entityId } = email;
  // Another email in the same tab closes what was begun for the one before.
  const [of, setOf] = useState(entityId);
  if (of !== entityId) {
    setOf(entityId);
    setOpen(null);
    setError(null);
  }
  const restorable = email.restorable.data;
  const refusal = (kind: ResponseKind): string | null => {
    const { permission } = RESPONSES[kind];
    return (
      email.sendRefusal ??
      (profile ? null : 'The profile is not loaded.') ??
      (permission === null ? null : roleRefusal(email.props.data ?? {}, permission)) ??
      stateRefusal(kind, lifecycle, {
        direction: profile?.direction ?? null,
        deleted: profile?.is_deleted ?? null,
        restorable: restorable?.restorable === false ? (restorable.reason ?? 'It cannot be restored.') : null,
      })
    );
  };
  const start = (kind: ResponseKind) => {
    setError(null);
    setOpen(kind);
  };
  const send = async (order: ResponseOrder) => {
    if (open === null) return;
    setPending(true);
    setError(null);
    try {
      await respond(open, { type: 'email', entityId }, order);
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
  return { lifecycle, refusal, open, start, close: () => setOpen(null), pending, error, send };
}
