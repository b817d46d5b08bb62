// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { startAppEvents } from '#renderer/state/app-events.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { AppEvent } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { OfflinePinMark } from './offline-pins.tsx';

test('a profile is no longer marked as available offline once the pins are released, in whichever window', async () => {
  let since: number | null = Date.UTC(2026, 10, 27);
  let hear: (event: AppEvent) => void = () => undefined;
  const bridge = fakeBridge({
    call: async () => ({ profiles: since === null ? 0 : 1, bytes: 1, since }),
    stream: (_: string, __: object, on: typeof hear) => {
      hear = on;
      return new Promise(() => undefined);
    },
  });
  setWindowBridge(bridge);
  startAppEvents(bridge, false);
  setActiveConnectionId('c');
  const { container, unmount } = await mount(
    <OfflinePinMark profile={{ kind: 'email', saas: 's', entityId: 'e' }} />,
  );
  expect(container.textContent).toContain('offline');
  since = null;
  await doing(() => hear({ type: 'pins' }));
  expect(container.textContent).toBe('');
  await unmount();
});
