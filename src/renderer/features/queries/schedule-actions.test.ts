/** What is said of schedules is what the service answered. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startConnections } from '#renderer/state/connection.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { closeToast, readToasts } from '#renderer/ui/toaster.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { operate, sendNow } from './schedule-actions.ts';

/** An error is thrown. */
let answer: object;
beforeEach(async () => {
  setWindowBridge(
    fakeBridge({
      call: async (name: string) => {
        if (name === 'connections.list')
          return {
            connections: [{ id: 'c' }],
            state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null },
          };
        if (answer instanceof Error) throw answer;
        return { data: answer };
      },
      stream: async () => ({}),
    }),
  );
  await startConnections();
});
afterEach(() => {
  for (const { id } of readToasts()) closeToast(id);
});
const toast = () => readToasts().map(({ intent, title, detail }) => [intent, title, detail])[0];

const THREE = ['1', '2', '3'].map((id) => ({ id, name: `Q${id}` }));
const HELD = { id: '2', success: false, error: 'Held' };

it.each([
  [{ success: true }, ['success', 'Enabled: 3 queries', undefined]],
  [{ success: true, outcomes: [HELD] }, ['caution', 'Enabled: 2 of 3', 'Q2: Held']],
  [
    { success: false, outcomes: [HELD] },
    ['caution', 'Enabled: 0 of 3', 'Q2: Held. For 2, the service gave no outcome'],
  ],
  [
    { success: false, outcomes: [{ id: '1', success: true }, HELD, { id: '3', success: true }] },
    ['caution', 'Enabled: 2 of 3', 'Q2: Held'],
  ],
  [
    { success: false, outcomes: [{ id: '1', success: true }] },
    ['caution', 'Enabled: 1 of 3', 'For 2, the service gave no outcome'],
  ],
  [
    { success: false, outcomes: THREE.map(({ id }) => ({ id, success: true })) },
    ['caution', 'Enabled: 3 of 3', 'The service also reported that it was not done'],
  ],
  [{ success: false }, ['error', 'Enable failed', 'The service reported that it was not done.']],
])('enabling three queries, answered with %j', async (given, shown) => {
  answer = given;
  await operate('enable', THREE);
  expect(toast()).toEqual(shown);
});

it('a result that the service did not send is not reported as sent', async () => {
  answer = { success: false };
  await sendNow({ id: '1', name: 'Q1' });
  expect(toast()).toEqual(['error', '“Q1” was not sent', 'The service reported that it was not done.']);
});

it('a change that the service did not answer is not reported as not done', async () => {
  answer = new ParapetError('timeout', 'No answer.');
  await sendNow({ id: '1', name: 'Q1' });
  expect(toast()).toEqual(['caution', 'Send “Q1”: unknown, may have arrived', 'No answer.']);
  for (const { id } of readToasts()) closeToast(id);
  await operate('enable', THREE);
  expect(toast()).toEqual(['caution', 'Enable: unknown, may have arrived', 'No answer.']);
});
