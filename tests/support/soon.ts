/** Waiting in tests. */
import { vi } from 'vitest';

/** Resolves once `check` no longer throws: at once when it holds, and long enough for a machine full of other work. */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 30_000, interval: 20 });
