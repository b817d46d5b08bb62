import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import { ConnectionHealth, REPORT_LATENCY_MS } from './health.ts';

const unreachable = () => new ParapetError('unreachable', 'nobody listens', { retryable: true });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const make = (ask: (id: string) => Promise<number>) => {
  const states = new ConnectionHealth({ now: Date.now, ask, changed() {} });
  return { states, phase: (id: string) => states.of(id).phase };
};

test('after a sleep an unreachable service is probed at once, and then at the initial interval', async () => {
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
  // The next probe comes soon: the network needs a moment after waking.
  ask.mockResolvedValue(7);
  await vi.advanceTimersByTimeAsync(5000);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(phase('a')).toBe('online');
});

test('after a sleep a connected service is probed, and is not shown as connected if it is gone', async () => {
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

test('a service is probed once when calls time out, and is offline if it does not respond', async () => {
  const late = () => new ParapetError('timeout', 'too slow', { retryable: true });
  const ask = vi.fn(async () => 5);
  const { states, phase } = make(ask);
  states.succeeded('a', 1);
  // Only the query was slow.
  states.failed('a', late());
  await vi.advanceTimersByTimeAsync(0);
  expect(phase('a')).toBe('online');
  const answers = Promise.withResolvers<number>();
  ask.mockClear();
  ask.mockReturnValue(answers.promise);
  for (let calls = 0; calls < 9; calls++) states.failed('a', late());
  expect(ask).toHaveBeenCalledTimes(1);
  answers.reject(unreachable());
  await vi.advanceTimersByTimeAsync(0);
  expect(phase('a')).toBe('offline-auto');
  // It responds again.
  ask.mockResolvedValue(7);
  await vi.advanceTimersByTimeAsync(5000);
  expect(phase('a')).toBe('online');
});

test('a proxy that refused is not probed: a repeated wrong password can lock an account', async () => {
  const ask = vi.fn(async (): Promise<number> => {
    throw new ParapetError('proxy', 'The proxy did not accept the password.');
  });
  const { states, phase } = make(ask);
  states.failed('a', unreachable());
  for (let tries = 0; tries < 6; tries++) await vi.runOnlyPendingTimersAsync();
  expect(ask).toHaveBeenCalledTimes(1);
  expect(phase('a')).toBe('failed');
});

test('a connection that is offline by choice stays offline', async () => {
  const ask = vi.fn(async () => 1);
  const { states, phase } = make(ask);
  states.succeeded('a', 1);
  states.setByChoice(true);
  states.resumed();
  expect(ask).not.toHaveBeenCalled();
  expect(phase('a')).toBe('offline-user');
});

test('the reported latency is the shortest of the last half minute, and is not published with every call', () => {
  const reported: (number | null)[] = [];
  const states = new ConnectionHealth({
    now: Date.now,
    ask: async () => 1,
    changed: (id) => reported.push(states.of(id).latencyMs),
  });
  states.succeeded('a', 2_800);
  for (let call = 0; call < 3; call++) states.succeeded('a', 40 + call);
  vi.advanceTimersByTime(REPORT_LATENCY_MS - 1);
  states.succeeded('a', 900);
  expect(reported).toEqual([2_800]);
  vi.advanceTimersByTime(1);
  states.succeeded('a', 900);
  expect(reported).toEqual([2_800, 40]);
  vi.advanceTimersByTime(REPORT_LATENCY_MS + 1);
  // An answer of a service on this machine says nothing about the network.
  states.succeeded('a', null);
  expect(reported).toEqual([2_800, 40]);
  states.succeeded('a', 70);
  expect(reported).toEqual([2_800, 40, 70]);
});
