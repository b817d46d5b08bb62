/** Runs before every test file: files in one process share the window's toasts, which may appear after their test. */
import { beforeEach } from 'vitest';
import { closeToast, readToasts } from '#renderer/ui/toaster.ts';

beforeEach(() => {
  for (const { id } of readToasts()) closeToast(id);
});
