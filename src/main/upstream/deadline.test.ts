import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDeadline } from './deadline.ts';

/** How long the process was suspended, by SIGSTOP or a sleep: the monotonic clock advanced, timers did not fire. */
let stopped = 0;
beforeEach(() => {
  vi.useFakeTimers();
  stopped = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + stopped);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const LIMITS = { callMs: 60_000, slowest: 1_000 };

it('[limit 16 KiB/s, limit 60 s] ends a call after its time, and later for each byte', async () => {
  const plain = createDeadline(LIMITS, 0);
  const carrying = createDeadline(LIMITS, 5_000);
  carrying.carried(5_000);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(plain.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect([plain.signal.aborted, carrying.signal.aborted]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(carrying.signal.aborted).toBe(true);
});

it('does not count the time for which the process was suspended', async () => {
  const { signal } = createDeadline(LIMITS, 0);
  await vi.advanceTimersByTimeAsync(30_000);
  stopped = 300_000;
  // Timers that became due meanwhile fire at once.
  await vi.advanceTimersToNextTimerAsync();
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(24_999);
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(signal.aborted).toBe(true);
});
