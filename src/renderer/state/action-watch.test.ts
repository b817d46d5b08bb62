import { afterEach, expect, it, vi } from 'vitest';
import { readToasts } from '#renderer/ui/toaster.ts';
import type { AppEvent, Job } from '#shared/bridge/operations.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { soon } from '#tests/support/soon.ts';
import { closeActionOutcome, openActionOutcome } from './action-order.ts';
import { startActionWatch } from './action-watch.ts';
import { setWindowBridge } from './window-bridge.ts';

const heard = vi.hoisted(() => ({ job: (_: { job: Job }): void => {} }));
vi.mock('./app-events.ts', () => ({
  onAppEvent: (_: AppEvent['type'], handler: (event: { job: Job }) => void) => {
    heard.job = handler;
  },
}));

const endpoint = { name: 'query.action' };
const calls: string[] = [];
const answer = async (name: string, { before }: { before?: number }) => {
  calls.push(name);
  if (name === 'actions.targets') return { targets: [] };
  const entry = {
    id: (before ?? 0) - 1,
    connectionId: 'c',
    endpoint: endpoint.name,
    request: '{}',
    outcome: 'partial',
    message: null,
    action: null,
  };
  return { entries: [entry] };
};
setWindowBridge(fakeBridge({ call: answer }));
startActionWatch();

const ended = (journalId: number, state: Job['state'] = 'partial') =>
  heard.job({
    job: {
      kind: 'action',
      state,
      outcome: { journalId, done: 2, failed: 1, 'not-sent': 0, unknown: 0 },
    } as unknown as Job,
  });

afterEach(() => {
  closeActionOutcome();
  calls.length = 0;
});

it('[promise] a toast reports the outcome of an action without an open dialog, with counts, and stays if targets failed', async () => {
  ended(7, 'running');
  ended(7);
  ended(7);
  await soon(() => expect(readToasts()).toHaveLength(1));
  const [toast] = readToasts();
  expect(toast).toMatchObject({ intent: 'caution', stays: true });
  expect(toast?.title).toMatch(/: 2 done, 1 failed$/);
  expect(toast?.action?.label).toBe('Outcome');
});

it('no toast is shown while a dialog shows the outcome', async () => {
  openActionOutcome(8);
  ended(8);
  await soon(() => expect(calls).toContain('actions.targets'));
  expect(readToasts()).toHaveLength(0);
});
