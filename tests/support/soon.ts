/** Waiting in tests. */
import { vi } from 'vitest';

/** Resolves once `check` no longer throws. Waits long enough for a very busy machine. */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 30_000, interval: 20 });
