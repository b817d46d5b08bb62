// @vitest-environment happy-dom
import { type JSX, StrictMode } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { TabContext } from './tab-context.ts';
import { openWith, usePayload } from './tab-payload.ts';
import { activeTab, loadTabs } from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';

const bridge = fakeBridge({ call: () => Promise.resolve({ value: null }) });
let payloads: unknown[] = [];

function Screen({ ready }: { ready: boolean }): JSX.Element | null {
  usePayload('exceptions', ready, (payload) => payloads.push(payload));
  return null;
}
const screen = (isActive: boolean, ready = true) => (
  <StrictMode>
    <TabContext value={{ tabId: 't', isActive, isShown: true }}>
      <Screen ready={ready} />
    </TabContext>
  </StrictMode>
);

beforeEach(async () => {
  payloads = [];
  setWindowBridge(bridge);
  await loadTabs('c');
});

describe('a payload handed to a screen', () => {
  it('is taken once, when the screen is in front and ready', async () => {
    openWith('exceptions', { tool: 'ap_guard' });
    expect(activeTab()?.route).toEqual({ screen: 'exceptions' });
    const { draw, unmount } = await mount(screen(false));
    expect(payloads).toEqual([]);
    await draw(screen(true, false));
    expect(payloads).toEqual([]);
    await draw(screen(true));
    expect(payloads).toEqual([{ tool: 'ap_guard' }]);
    await draw(screen(false));
    await draw(screen(true));
    await unmount();
    const again = await mount(screen(true));
    expect(payloads).toHaveLength(1);
    await again.unmount();
  });

  it('reaches a screen that is already in front, even if the value is the same as before', async () => {
    const { unmount } = await mount(screen(true));
    await doing(() => openWith('exceptions', { tool: 'ap_guard' }));
    await doing(() => openWith('exceptions', { tool: 'ap_guard' }));
    expect(payloads).toEqual([{ tool: 'ap_guard' }, { tool: 'ap_guard' }]);
    await unmount();
  });

  it('is replaced by a later one for the same screen, and never reaches another screen', async () => {
    openWith('exceptions', { tool: 'ap_guard' });
    openWith('login-map', { part: 'users', value: 'ada@aldermoor.example' });
    openWith('exceptions', { tool: 'checkpoint_te' });
    const { unmount } = await mount(screen(true));
    expect(payloads).toEqual([{ tool: 'checkpoint_te' }]);
    await unmount();
  });
});
