import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';

/** Shows the error in a toast, unless the user cancelled; what ended for another reason can be tried again, and is shown. */
export function showFailure(title: string, error: unknown): void {
  const { code, message, retryable } = toBridgeError(error);
  if (code !== 'cancelled' || retryable) showToast({ intent: 'error', title, detail: message });
}

/** Resolves with null if it failed, which is shown. */
export async function attempt<T>(title: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    showFailure(title, error);
    return null;
  }
}
