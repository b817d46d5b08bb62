/** Sending changes from the queries screens, and showing failures. */
import { currentConnection } from '#renderer/state/connection.ts';
import { inDoubt } from '#renderer/state/respond.ts';
import { sendChange } from '#renderer/state/send-change.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { AnswerOf, WriteEndpoint } from '#shared/api/catalogue.ts';
import { IN_DOUBT, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';

/** The current connection's id. Throws `no-connection`. */
export function connectionId(): string {
  const connection = currentConnection();
  if (!connection) throw new ParapetError('no-connection', 'No connection is open.');
  return connection.id;
}

/** One change on the current connection. Rejects with a ParapetError. */
export const send = async <N extends WriteEndpoint>(
  endpoint: N,
  request: Parameters<typeof sendChange>[2],
): Promise<AnswerOf<N>> => sendChange(connectionId(), endpoint, request);

/** Shows the error in a toast, unless the user cancelled. */
export function showFailure(title: string, error: unknown): void {
  const { code, message } = toBridgeError(error);
  if (code !== 'cancelled') showToast({ intent: 'error', title, detail: message });
}

/** The same for a change: without a response, it is reported as unknown instead of not done. `verb`: “Save”. */
export function showNotDone(title: string, error: unknown, verb: string): void {
  const { code, message } = toBridgeError(error);
  if (code !== 'cancelled' && IN_DOUBT.includes(code))
    showToast({ intent: 'caution', stays: true, title: inDoubt(verb), detail: message });
  else showFailure(title, error);
}
