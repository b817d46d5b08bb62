import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';

/** Shows the error in a toast, unless the user cancelled. */
export function showFailure(title: string, error: unknown): void {
  const { code, message } = toBridgeError(error);
  if (code !== 'cancelled') showToast({ intent: 'error', title, detail: message });
}
