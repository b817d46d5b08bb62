// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { OutputOf, ResultSet } from '#shared/bridge/operations.ts';
import { afterFirstRows, askFirstRows, takeFirstRows } from './first-rows.ts';

const set = (id: string, loaded: number) => ({ id, loaded }) as ResultSet;

function bridgeWith(answer: Promise<Partial<OutputOf<'results.page'>>>) {
  const asked: unknown[] = [];
  const call = (_: string, input: unknown) => {
    asked.push(input);
    return answer;
  };
  return { asked, bridge: { call } as unknown as Bridge };
}

it('asks for the rows that are loaded, at most a block, once for each run', async () => {
  const { asked, bridge } = bridgeWith(Promise.resolve({ count: 3 }));
  for (const [id, loaded] of [
    ['few', 25],
    ['few', 25],
    ['many', 5000],
    ['none', 0],
  ] as const)
    askFirstRows(bridge, set(id, loaded));
  expect(asked).toEqual([
    { resultId: 'few', start: 0, end: 25 },
    { resultId: 'many', start: 0, end: 200 },
  ]);
  expect(await takeFirstRows('few')).toEqual({ count: 3 });
  expect(takeFirstRows('few')).toBeNull();
  expect(takeFirstRows('none')).toBeNull();
});

it('lets panels wait for them, whether they come or fail, and only where they were asked for', async () => {
  const answer = Promise.withResolvers<Partial<OutputOf<'results.page'>>>();
  askFirstRows(bridgeWith(answer.promise).bridge, set('slow', 25));
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
