// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StatusBar } from '#renderer/app/status-bar.tsx';
import type { Connected } from '#renderer/bridge/connect.ts';
import type { Lost } from '#renderer/bridge/wire-browser.ts';
import { createBridge } from '#shared/bridge/client.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { setWindowBridge } from './window-bridge.ts';
import { onWireBack, startWireHealth } from './wire-health.ts';

/** A wire whose host is controlled by the test: it answers, freezes, goes away and comes back. */
function handWire() {
  let onFrame: (frame: unknown) => void = () => {};
  const closes: (() => void)[] = [];
  const opens: (() => void)[] = [];
  const losts: ((lost: Lost) => void)[] = [];
  const host = { frozen: false, waiting: [] as number[] };
  const answer = (id: number) => onFrame({ type: 'done', id, output: {} });
  const wire = {
    send: (frame: { type: string; id: number }) => {
      if (frame.type === 'call' && host.frozen) host.waiting.push(frame.id);
      else if (frame.type === 'call') answer(frame.id);
    },
    onFrame: (handler: typeof onFrame) => {
      onFrame = handler;
    },
    onClose: (handler: () => void) => closes.push(handler),
    onOpen: (handler: () => void) => opens.push(handler),
    onLost: (handler: (lost: Lost) => void) => losts.push(handler),
  };
  const bridge = createBridge(wire as never);
  setWindowBridge(bridge);
  const tell = <T,>(handlers: ((value: T) => void)[], value: T) =>
    doing(() => {
      for (const handler of handlers) handler(value);
    });
  return {
    connected: { bridge, wire } as unknown as Connected,
    host,
    thaw: () => {
      host.frozen = false;
      for (const id of host.waiting.splice(0)) answer(id);
    },
    close: () => tell(closes as ((value: unknown) => void)[], null),
    open: () => tell(opens as ((value: unknown) => void)[], null),
    lost: (lost: Lost) => tell(losts, lost),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (ms: number) => doing(() => vi.advanceTimersByTimeAsync(ms));

async function shown(wire: ReturnType<typeof handWire>) {
  startWireHealth(wire.connected);
  const { container, unmount } = await mount(<StatusBar />);
  return { says: () => container.querySelector('[role=status]')?.textContent ?? '', unmount };
}

it('[promise] a frozen host is reported after five seconds, until it answers', async () => {
  const wire = handWire();
  const { says, unmount } = await shown(wire);
  await pass(10_000);
  expect(says()).not.toContain('does not answer');
  wire.host.frozen = true;
  await pass(4000);
  expect(says()).not.toContain('does not answer');
  await pass(2500);
  expect(says()).toContain('Parapet does not answer');
  wire.thaw();
  await pass(10);
  expect(says()).not.toContain('does not answer');
  await unmount();
});

it('after a wire comes back, events are subscribed to again and calls work', async () => {
  const wire = handWire();
  const { says, unmount } = await shown(wire);
  const back = vi.fn();
  const leave = onWireBack(back);
  await wire.close();
  expect(says()).toContain('Parapet does not answer');
  await expect(wire.connected.bridge.call('app.info', {})).rejects.toMatchObject({ code: 'disconnected' });
  await wire.lost('restarted');
  await pass(3000);
  expect(says()).toContain('Parapet does not answer');
  await wire.open();
  expect(back).toHaveBeenCalledOnce();
  expect(says()).not.toContain('does not answer');
  await expect(wire.connected.bridge.call('app.info', {})).resolves.toEqual({});
  leave();
  await unmount();
});
