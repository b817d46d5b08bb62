// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setPreferences } from '#renderer/state/preferences.ts';
import { TabContext } from '#renderer/state/tab-context.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { LiveRefresh } from './live.tsx';

beforeEach(() => {
  setWindowBridge(fakeBridge({ call: () => Promise.resolve({}) }));
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test('[promise] Home refreshes at the chosen interval while it is visible and online', async () => {
  let turns = 0;
  const live = (isShown: boolean, paused = false) => (
    <TabContext value={{ tabId: 'h', isActive: false, isShown }}>
      <LiveRefresh
        refresh={() => {
          turns += 1;
        }}
        paused={paused}
      />
    </TabContext>
  );
  const { draw, unmount } = await mount(live(true));
  const after = async (seconds: number) => {
    turns = 0;
    await doing(() => vi.advanceTimersByTime(seconds * 1000));
    return turns;
  };
  expect(await after(600)).toBe(0);
  await doing(() => setPreferences({ homeRefreshSeconds: 30 }));
  expect(await after(90)).toBe(3);
  await draw(live(true, true));
  expect(await after(90)).toBe(0);
  await draw(live(false));
  expect(await after(90)).toBe(0);
  await unmount();
});
