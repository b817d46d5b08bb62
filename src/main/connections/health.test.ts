import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import { createConnectionHealth, TELL_LATENCY_MS } from './health.ts';

const unreachable = () => new ParapetError('unreachable', 'nobody is there', { retryable: true });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const make = (ask: (id: string) => Promise<number>) => {
  const states = createConnectionHealth({ now: Date.now, ask, changed() {} });
  return { states, phase: (id: string) => states.of(id).phase };
};

test('after a sleep an unreachable service is asked at once, and then as at the beginning', async () => {
  const ask = vi.fn(async (): Promise<number> => {
    throw unreachable();
  });
  const { states, phase } = make(ask);
  states.failed('a', unreachable());
  for (let tries = 0; tries < 6; tries++) await vi.runOnlyPendingTimersAsync();
  ask.mockClear();
  states.resumed();
  await vi.advanceTimersByTimeAsync(0);
  expect(ask).toHaveBeenCalledTimes(1);
  // The next try comes soon: the network needs a moment after the machine.
  ask.mockResolvedValue(7);
  await vi.advanceTimersByTimeAsync(5000);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(phase('a')).toBe('online');
});

test('after a sleep a service that answered before is asked, and is not called connected when it is gone', async () => {
  const answers = Promise.withResolvers<number>();
  const { states, phase } = make(() => answers.promise);
  states.succeeded('a', 1);
  states.resumed();
  expect(phase('a')).toBe('online');
  answers.reject(unreachable());
  await vi.advanceTimersByTimeAsync(0);
  expect(phase('a')).toBe('offline-auto');
  states.stop();
});

test('who chose to be offline stays it', async () => {
  const ask = vi.fn(async () => 1);
  const { states, phase } = make(ask);
  states.succeeded('a', 1);
  states.setByChoice(true);
  states.resumed();
  expect(ask).not.toHaveBeenCalled();
  expect(phase('a')).toBe('offline-user');
});

test('the latency that is told is the shortest of the last half minute, and not told with every call', () => {
  const told: (number | null)[] = [];
  const states = createConnectionHealth({
    now: Date.now,
    ask: async () => 1,
    changed: (id) => told.push(states.of(id).latencyMs),
  });
  states.succeeded('a', 2_800);
  for (let call = 0; call < 3; call++) states.succeeded('a', 40 + call);
  vi.advanceTimersByTime(TELL_LATENCY_MS - 1);
  states.succeeded('a', 900);
  expect(told).toEqual([2_800]);
  vi.advanceTimersByTime(1);
  states.succeeded('a', 900);
  expect(told).toEqual([2_800, 40]);
  vi.advanceTimersByTime(TELL_LATENCY_MS + 1);
  // What a copy on this machine answered took no way.
  states.succeeded('a', null);
  expect(told).toEqual([2_800, 40]);
  states.succeeded('a', 70);
  expect(told).toEqual([2_800, 40, 70]);
});
