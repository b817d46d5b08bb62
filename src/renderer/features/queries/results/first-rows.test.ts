// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import type { OutputOf, ResultSet } from '#shared/bridge/operations.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { afterFirstRows, askFirstRows, takeFirstRows } from './first-rows.ts';

const set = (id: string, loaded: number) => ({ id, loaded }) as ResultSet;

function bridgeWith(answer: Promise<Partial<OutputOf<'results.page'>>>) {
  const inputs: unknown[] = [];
  const call = (_: string, input: unknown) => {
    inputs.push(input);
    return answer;
  };
  return { asked: inputs, bridge: fakeBridge({ call }) };
}

it('requests the loaded rows, at most one block, once per run', async () => {
  const { asked, bridge } = bridgeWith(Promise.resolve({ count: 3 }));
  for (const [id, loaded] of [
    ['few', 25],
    ['few', 25],
    ['many', 5000],
    ['none', 0],
  ] as const)
    void askFirstRows(bridge, set(id, loaded));
  expect(asked).toEqual([
    { resultId: 'few', start: 0, end: 25 },
    { resultId: 'many', start: 0, end: 200 },
  ]);
  expect(await takeFirstRows('few')).toEqual({ count: 3 });
  expect(takeFirstRows('few')).toBeNull();
  expect(takeFirstRows('none')).toBeNull();
});

it('panels wait until the request succeeds or fails, and not at all without one', async () => {
  const answer = Promise.withResolvers<Partial<OutputOf<'results.page'>>>();
  void askFirstRows(bridgeWith(answer.promise).bridge, set('slow', 25));
  let waited = false;
  const waiting = afterFirstRows('slow').then(() => {
    waited = true;
  });
  await afterFirstRows('another');
  expect(waited).toBe(false);
  answer.reject(new Error('gone'));
  await waiting;
  expect(waited).toBe(true);
});

it('panels wait until a frame with the rows has been drawn', async () => {
  const { bridge } = bridgeWith(Promise.resolve({ count: 3 }));
  const frames: FrameRequestCallback[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  try {
    await askFirstRows(bridge, set('here', 25));
    let waited = false;
    const waiting = afterFirstRows('here').then(() => {
      waited = true;
    });
    await takeFirstRows('here');
    await Promise.resolve();
    expect([waited, frames.length]).toEqual([false, 1]);
    frames[0]?.(0);
    expect([waited, frames.length]).toEqual([false, 2]);
    frames[1]?.(0);
    // Released by the frame, as the timer for hidden windows has not fired yet.
    await vi.advanceTimersByTimeAsync(0);
    await waiting;
  } finally {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  }
});
