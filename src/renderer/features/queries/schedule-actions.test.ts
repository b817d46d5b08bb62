/** What is said of schedules is what the service answered. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startConnections } from '#renderer/state/connection.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { closeToast, readToasts } from '#renderer/ui/toaster.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Query, ScheduledExport } from '#shared/model/entities.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { saveSchedule, sendNow } from './schedule-actions.ts';

/** An error is thrown. */
let answer: object;
let sent = 0;
beforeEach(async () => {
  setWindowBridge(
    fakeBridge({
      call: async (name: string) => {
        if (name === 'connections.list')
          return {
            connections: [{ id: 'c' }],
            state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: 1, error: null },
          };
        sent += 1;
        if (answer instanceof Error) throw answer;
        return { data: answer };
      },
      stream: async (_: string, __: object, onSnapshot: (snapshot: object) => void) =>
        onSnapshot({ data: answer, freshness: { source: 'network', fetchedAt: 1 }, error: null }),
    }),
  );
  await startConnections();
});
afterEach(() => {
  for (const { id } of readToasts()) closeToast(id);
});
const toast = () => readToasts().map(({ intent, title, detail }) => [intent, title, detail])[0];

it('a result that the service did not send is not reported as sent', async () => {
  answer = { success: false };
  await sendNow({ id: '1', name: 'Q1', scheduledExport: null }, 'c');
  expect(toast()).toEqual(['error', '“Q1” was not sent', 'The service reported that it was not done.']);
});

it('a change that the service did not answer is not reported as not done', async () => {
  answer = new ParapetError('timeout', 'No answer.');
  await sendNow({ id: '1', name: 'Q1', scheduledExport: null }, 'c');
  expect(toast()).toEqual(['caution', 'Send “Q1”: unknown, may have arrived', 'No answer.']);
});

it('results on their way are not sent again, also from another dialog', async () => {
  answer = { success: true };
  const query = { id: '1', name: 'Q1', scheduledExport: null };
  sent = 0;
  await Promise.all([sendNow(query, 'c'), sendNow(query, 'c')]);
  expect(sent).toBe(1);
  await sendNow(query, 'c');
  expect(sent).toBe(2);
});

it('a schedule saved for a query that somebody stopped meanwhile is not reported as if it ran', async () => {
  const schedule = { emails: ['soc@a.example'], format: 'csv', frequency: 'daily', time: '06:00' };
  const query = { id: '1', name: 'Q1', domain: 'email', columns: [], scheduledExport: schedule };
  const stopped = { ...query, status: 'stopped' };
  answer = stopped;
  const running = { ...query, status: 'running' } as unknown as Query;
  await saveSchedule(running, schedule as ScheduledExport, false);
  expect(toast()).toEqual([
    'success',
    'Saved the schedule of “Q1”',
    'The query is not running: nothing is sent until it is enabled.',
  ]);
});
