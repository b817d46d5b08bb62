// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { startConnections } from '#renderer/state/connection.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { ConnectionsPanel } from './connections-panel.tsx';

let mounted: Awaited<ReturnType<typeof mount>> | null = null;
afterEach(() => mounted?.unmount());

const tenant = (id: string) => ({
  ...{ id, name: id, kind: 'tenant', url: `https://${id}.example`, hasCredential: true, createdAt: 1 },
});

async function rows(proxy: string | undefined): Promise<string[]> {
  const state = { connectionId: 'one', phase: 'online', since: 0, latencyMs: 1, error: null, proxy };
  const bridge = fakeBridge({
    call: async () => ({ connections: [tenant('one'), tenant('two')], state }),
    stream: () => new Promise(() => {}),
  });
  setWindowBridge(bridge);
  await startConnections();
  mounted = await mount(
    <BridgeProvider bridge={bridge}>
      <ConnectionsPanel />
    </BridgeProvider>,
  );
  return [...mounted.container.querySelectorAll('.pp-connection-row .pp-small')].map(
    (row) => row.textContent,
  );
}

test('the address of the current connection names its proxy', async () => {
  expect(await rows('proxy.example:3128')).toEqual([
    'https://one.example · via proxy proxy.example:3128',
    'https://two.example',
  ]);
});

test('a direct connection shows only its address', async () => {
  expect(await rows(undefined)).toEqual(['https://one.example', 'https://two.example']);
});
