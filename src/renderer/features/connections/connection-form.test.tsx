// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { reloadConnections, startConnections } from '#renderer/state/connection.ts';
import { openConnectionForm } from '#renderer/state/overlays.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { ConnectionForm } from './connection-form.tsx';

test('saving a field keeps what another window changed in the others, and a removed connection closes the form', async () => {
  const connection = {
    ...{ id: 'one', name: 'Contoso', kind: 'tenant', url: 'https://old.example', hasCredential: true },
    ...{ authorityPem: null, authServers: [], flags: {}, product: 'guard', timezone: null, createdAt: 1 },
    sourceLabel: null,
  };
  let connections = [connection];
  const state = { connectionId: 'one', phase: 'online', since: 0, latencyMs: 1, error: null };
  const saved: unknown[] = [];
  const bridge = fakeBridge({
    call: async (operation: string, input: { settings?: unknown }) => {
      if (operation === 'connections.save') saved.push(input.settings);
      return { connections, state };
    },
    stream: () => new Promise(() => {}),
  });
  setWindowBridge(bridge);
  await startConnections();
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <ConnectionForm />
    </BridgeProvider>,
  );
  const open = () => doing(() => openConnectionForm({ id: 'one', kind: 'tenant' }));
  const inputs = () => [
    ...document.querySelectorAll<HTMLInputElement>('input[type="text"], input:not([type])'),
  ];
  await open();
  const name = inputs().find(({ value }) => value === 'Contoso');
  await doing(() => {
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    if (name) set?.call(name, 'Contoso EU');
    name?.dispatchEvent(new Event('input', { bubbles: true }));
  });
  // Another window moves the connection meanwhile.
  connections = [
    { ...connection, url: 'https://new.example', timezone: 'Europe/Paris' } as unknown as typeof connection,
  ];
  await doing(() => reloadConnections());
  expect(inputs().map(({ value }) => value)).toContain('https://new.example');
  const save = [...document.querySelectorAll('button')].find(({ textContent }) =>
    textContent?.startsWith('Save'),
  );
  await doing(() => save?.click());
  expect(saved).toMatchObject([{ name: 'Contoso EU', url: 'https://new.example', timezone: 'Europe/Paris' }]);
  await open();
  connections = [];
  await doing(() => reloadConnections());
  expect(inputs()).toEqual([]);
  await unmount();
});
