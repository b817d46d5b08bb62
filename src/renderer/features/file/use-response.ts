/** What can be done to this file now, and why not; and sending it. */
import { useState } from 'react';
import { openScreen } from '#renderer/state/navigation.ts';
import { respond } from '#renderer/state/respond.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { roleRefusal } from '#shared/model/actors.ts';
import { RESPONSES, type ResponseKind, type ResponseOrder } from '#shared/model/responses.ts';
import { stateRefusal } from './refusals.ts';
import type { FileReads } from './use-file.ts';

export interface Response {
  /** Why this cannot be done; null: it can. */
  refusal: (kind: ResponseKind) => string | null;
  /** Why the file cannot be downloaded; null: it can be asked for. */
  noDownload: string | null;
  /** The one whose dialog is open. */
  open: ResponseKind | null;
  start: (kind: ResponseKind) => void;
  close: () => void;
  pending: boolean;
  error: BridgeError | null;
  send: (order: ResponseOrder) => Promise<void>;
}

const DONE: Readonly<Partial<Record<ResponseKind, string>>> = {
  quarantine: 'Quarantined',
  restore: 'Restored',
  delete: 'Deleted',
  rescan: 'Asked to look again',
  report: 'Reported',
  identify: 'Identifier set',
};
const NOT_LOADED = 'The profile is not loaded.';

export function useResponse(file: FileReads): Response {
  const { entityId } = file;
  const profile = file.profile.data;
  const [open, setOpen] = useState<ResponseKind | null>(null);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<BridgeError | null>(null);
  const restorable = file.restorable.data;
  const refusal = (kind: ResponseKind): string | null => {
    if (file.sendRefusal !== null) return file.sendRefusal;
    if (!profile) return NOT_LOADED;
    const { permission } = RESPONSES[kind];
    const notRestorable =
      restorable?.restorable === false
        ? (restorable.reason ?? 'The service says it cannot be restored.')
        : null;
    return (
      (permission === null ? null : roleRefusal(file.props.data ?? {}, permission)) ??
      stateRefusal(kind, { profile, held: file.held, notRestorable })
    );
  };
  const noDownload = file.offline
    ? 'You are offline, and the file itself is not kept on this machine.'
    : profile
      ? roleRefusal(file.props.data ?? {}, 'download')
      : NOT_LOADED;
  const send = async (order: ResponseOrder) => {
    if (open === null) return;
    setPending(true);
    setError(null);
    try {
      await respond(open, { type: 'file', entityId }, order);
      setOpen(null);
      showToast({
        intent: 'success',
        title:
          order.at === null
            ? (DONE[open] ?? RESPONSES[open].verb)
            : `Planned: ${RESPONSES[open].verb.toLowerCase()}`,
        detail: 'It stands in the journal.',
        action: { label: 'Journal', run: () => openScreen('activity') },
      });
    } catch (reason) {
      setError(toBridgeError(reason));
    } finally {
      setPending(false);
    }
  };
  return {
    refusal,
    noDownload,
    open,
    start: (kind) => {
      setError(null);
      setOpen(kind);
    },
    close: () => setOpen(null),
    pending,
    error,
    send,
  };
}
