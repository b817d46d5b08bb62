import { expect, test, vi } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import { PAUSE_MS, type ProbeAnswer, probeThrice } from './probe.ts';

const signal = new AbortController().signal;
const asking = (...answers: (ProbeAnswer | Error)[]) =>
  vi.fn(async () => {
    const answer = answers.shift();
    if (answer === undefined) throw new Error('asked too often');
    if (answer instanceof Error) throw answer;
    return answer;
  });
const later = { success: false, reason: 'The archive is still fetching the file' };
const yes = { success: true };
const down = new ParapetError('server-error', 'The service failed (HTTP 503).', { retryable: true });

test.each([
  ['at once', [yes], { success: true, attempts: 1, reason: null }],
  ['at the third attempt', [later, down, yes], { success: true, attempts: 3, reason: null }],
  [
    'never, as the service says',
    [later, later, later, yes],
    { success: false, attempts: 3, reason: later.reason },
  ],
  [
    'never, because it does not answer',
    [down, down, down, yes],
    { success: false, attempts: 3, reason: down.message },
  ],
  ['the last reason counts', [down, down, later], { success: false, attempts: 3, reason: later.reason }],
])('%s', async (_, answers, expected) => {
  const wait = vi.fn(async () => undefined);
  const ask = asking(...answers);
  expect(await probeThrice(ask, signal, wait)).toEqual({ ...expected, forbidden: false });
  expect(ask).toHaveBeenCalledTimes(expected.attempts);
  expect(wait.mock.calls).toEqual(Array.from({ length: expected.attempts - 1 }, () => [PAUSE_MS, signal]));
});

test('failures that a retry cannot fix are not retried', async () => {
  const refused = new ParapetError('forbidden', 'The role Read only may not download matched files');
  expect(await probeThrice(asking(refused), signal)).toEqual({
    success: false,
    attempts: 1,
    reason: refused.message,
    forbidden: true,
  });
  const offline = new ParapetError('offline', 'You are offline.');
  expect(await probeThrice(asking(offline), signal)).toMatchObject({ attempts: 1, forbidden: false });
});

test('a cancelled check rejects and sends no more requests', async () => {
  const controller = new AbortController();
  const ask = vi.fn(async () => later);
  const probing = probeThrice(ask, controller.signal);
  controller.abort();
  await expect(probing).rejects.toThrow();
  expect(ask).toHaveBeenCalledTimes(1);
});
