/** Saves a file from a menu: one at a time, with a toast that reports name and hash, or the failure. */
import { useState } from 'react';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { WrittenFile } from '#shared/bridge/operations.ts';
import { bytes } from '#shared/model/format.ts';

/** `save` resolves with null if cancelled; then no toast is shown. `failed`: title of the failure toast. */
export function useSaving(failed = 'Nothing was saved'): {
  busy: boolean;
  save: (work: () => Promise<WrittenFile | null>) => Promise<void>;
} {
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async save(work) {
      setBusy(true);
      try {
        const file = await work();
        if (file)
          showToast({
            intent: 'success',
            title: `Saved ${file.name}`,
            detail: `${bytes(file.bytes)}, SHA-256 ${file.sha256.slice(0, 16)}…`,
          });
      } catch (error) {
        showToast({ intent: 'error', title: failed, detail: toBridgeError(error).message });
      } finally {
        setBusy(false);
      }
    },
  };
}
