// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { AppEvent, ConnectionState } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { startAppEvents } from './app-events.ts';
import { startConnections, useConnection } from './connection.ts';
import { setWindowBridge } from './window-bridge.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 27, 12);
const stateOf = (phase: ConnectionState['phase'], since: number): ConnectionState => ({
  connectionId: 'c',
  phase,
  since,
  latencyMs: null,
  error: null,
});

function Shown() {
  return <p>{useConnection().reach}</p>;
}

it('the newest state wins, even after the clock was set back; an answer older than an event is ignored', async () => {
  let publish: (event: AppEvent) => void = () => {};
  const bridge = fakeBridge({
    stream: (_name: string, _input: unknown, listener: (event: AppEvent) => void) => {
      publish = listener;
      return new Promise(() => {});
    },
    call: async () => ({ connections: [], state: stateOf('online', NOON) }),
  });
  setWindowBridge(bridge);
  startAppEvents(bridge, false);
  await startConnections();
  const { container, unmount } = await mount(<Shown />);
  const after = async (state: ConnectionState) => {
    await doing(() => publish({ type: 'connection', state }));
    return container.textContent;
  };
  expect(await after(stateOf('offline-auto', NOON + 5_000))).toBe('offline');
  expect(await after(stateOf('online', NOON + 4_000))).toBe('offline');
  expect(await after(stateOf('online', NOON + 6_000))).toBe('online');
  expect(await after(stateOf('offline-auto', NOON + 20_000 - HOUR))).toBe('offline');
  expect(await after(stateOf('online', NOON + 30_000 - HOUR))).toBe('online');
  await unmount();
});
