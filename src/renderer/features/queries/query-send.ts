/** Sending changes from the queries screens, and showing failures. */

import { currentConnection } from '#renderer/state/connection.ts';
import { inDoubt } from '#renderer/state/respond.ts';
import { showFailure } from '#renderer/state/show-failure.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { mayBeDone, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';

/** The current connection's id. Throws `no-connection`. */
export function connectionId(): string {
  const connection = currentConnection();
  if (!connection) throw new ParapetError('no-connection', 'No connection is open.');
  return connection.id;
}

/** Shows the error of a change in a toast: without a response, it is reported as unknown instead of not done. `verb`: “Save”. */
export function showNotDone(title: string, error: unknown, verb: string): void {
  const failure = toBridgeError(error);
  if (failure.code !== 'cancelled' && mayBeDone(failure))
    showToast({ intent: 'caution', stays: true, title: inDoubt(verb), detail: failure.message });
  else showFailure(title, error);
}
