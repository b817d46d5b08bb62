/** Saves a file from a menu: one at a time, with a toast that reports name and hash, or the failure. */
import { useAct } from '#renderer/bridge/use-call.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { WrittenFile } from '#shared/bridge/operations.ts';
import { bytes } from '#shared/model/format.ts';

/** Reports an exported list, and why it is PARTIAL. `what` is the number and noun. */
export function showExported(
  what: string,
  { name, bytes: size, missing }: { name: string; bytes: number; missing: string | null },
): void {
  const file = `${name}, ${bytes(size)}`;
  if (missing === null) showToast({ intent: 'success', title: `Exported ${what}`, detail: file });
  else
    showToast({
      intent: 'caution',
      stays: true,
      title: `Exported ${what}: PARTIAL`,
      detail: `${missing} ${file}`,
    });
}

/** `save` resolves with null if cancelled; then no toast is shown. `failed` is the title of the failure toast. */
export function useSaving(failed = 'Nothing was saved'): {
  busy: boolean;
  save: (work: () => Promise<WrittenFile | null>) => Promise<unknown>;
} {
  const { run, pending } = useAct((work: () => Promise<WrittenFile | null>) =>
    attempt(failed, async () => {
      const file = await work();
      if (file) {
        const missing = file.missing ?? null;
        showToast({
          ...(missing === null ? { intent: 'success' } : { intent: 'caution', stays: true }),
          title: `Saved ${file.name}`,
          detail: `${missing === null ? '' : `${missing} `}${bytes(file.bytes)}, SHA-256 ${file.sha256.slice(0, 16)}…`,
        });
      }
    }),
  );
  return { busy: pending, save: run };
}
