// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { openAction, useActionOrder } from '#renderer/state/action-order.ts';
import { startConnections } from '#renderer/state/connection.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { closeToast, readToasts } from '#renderer/ui/toaster.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { ActionsLayer } from './action-dialog.tsx';

const CONFIG = { fields: [], operators: [], columns: [], actions: [] } as unknown as QueryConfig;

it('an order is not confirmed under the name of another connection, which another window may open', async () => {
  let connectionId = 'first';
  const bridge = fakeBridge({
    call: async (operation: string) =>
      operation === 'connections.list'
        ? {
            connections: [{ id: 'first' }, { id: 'second' }],
            state: { connectionId, phase: 'online', since: 1, latencyMs: 1, error: null },
          }
        : new Promise(() => {}),
    stream: async () => ({}),
  });
  setWindowBridge(bridge);
  await startConnections();
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <ActionsLayer />
    </BridgeProvider>,
  );
  await doing(() =>
    openAction({
      action: { id: 'quarantine', label: 'Quarantine' },
      resultId: 'r',
      queryId: null,
      queryLabel: 'New query',
      domain: 'email',
      config: CONFIG,
      choices: [{ label: 'Selected', count: 1, scope: { kind: 'selected', entityIds: ['e'] } }],
    }),
  );
  expect(document.querySelectorAll('.pp-dialog')).toHaveLength(1);
  connectionId = 'second';
  await doing(startConnections);
  expect(useActionOrder.getState().order).toBeNull();
  expect(readToasts()).toMatchObject([{ title: 'Not sent: Quarantine' }]);
  for (const { id } of readToasts()) closeToast(id);
  await unmount();
});
