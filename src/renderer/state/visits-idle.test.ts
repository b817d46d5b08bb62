// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeBridge } from '#tests/support/reads.ts';
import { activateConnection } from './connection.ts';
import { startVisits } from './visits.ts';
import { setWindowBridge } from './window-bridge.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('an idle window records no visit', async () => {
  const put: string[] = [];
  const state = { connectionId: 'c', phase: 'online', since: 1, latencyMs: null, error: null };
  setWindowBridge(
    fakeBridge({
      call: async (name: string, input: { key?: string }) => {
        if (name === 'workspace.put') put.push(String(input.key));
        return name === 'workspace.get'
          ? { value: null }
          : name === 'connections.list'
            ? { connections: [], state }
            : state;
      },
    }),
  );
  startVisits();
  await activateConnection('c');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(put).toEqual(['visit:c']);
  await vi.advanceTimersByTimeAsync(8 * 3_600_000);
  expect(put).toHaveLength(1);
  dispatchEvent(new Event('keydown'));
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(put).toHaveLength(2);
});
