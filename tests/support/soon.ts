/** Waiting in tests. */
import { vi } from 'vitest';

/** Resolves once `check` no longer throws; long enough for two busy cores, and at once when it holds. */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000, interval: 20 });
