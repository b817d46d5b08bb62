/** Runs before every test file: files that share a process share the window's toasts, which may come after their test. */
import { beforeEach } from 'vitest';
import { closeToast, readToasts } from '#renderer/ui/toaster.ts';

beforeEach(() => {
  for (const { id } of readToasts()) closeToast(id);
});
