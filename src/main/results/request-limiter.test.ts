import { expect, test, vi } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import { soon } from '#tests/support/soon.ts';
import { RequestLimiter } from './request-limiter.ts';

test('after a sleep no request waits because of an earlier refusal', async () => {
  const limiter = new RequestLimiter({ ticks: () => performance.now(), now: Date.now });
  const work = vi.fn(async () => 'answer');
  work.mockRejectedValueOnce(new ParapetError('rate-limited', 'later', { data: { retryAfterMs: 60_000 } }));
  const waits: boolean[] = [];
  const answer = limiter.run('a', work, new AbortController().signal, (until) => waits.push(until !== null));
  await soon(() => expect(waits).toEqual([true]));
  limiter.resumed();
  expect(await answer).toBe('answer');
  expect(waits).toEqual([true, false]);
  expect(work).toHaveBeenCalledTimes(2);
});

test('a cancelled wait rejects as cancelled, before and after a sleep', async () => {
  const limiter = new RequestLimiter({ ticks: () => performance.now(), now: Date.now });
  const controller = new AbortController();
  const waiting = limiter.wait('a', 9, controller.signal, () => {});
  limiter.resumed();
  await waiting;
  const again = limiter.wait('a', 9, controller.signal, () => {});
  controller.abort();
  await expect(again).rejects.toMatchObject({ code: 'cancelled' });
});
