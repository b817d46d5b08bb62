// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppEvent } from '#shared/bridge/operations.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { startAppEvents } from './app-events.ts';
import { startAppInfo } from './app-info.ts';
import { setWindowBridge } from './window-bridge.ts';

const reload = location.reload;
let reloads = 0;
beforeEach(() => {
  reloads = 0;
  Object.defineProperty(location, 'reload', { configurable: true, value: () => (reloads += 1) });
});
afterEach(() => Object.defineProperty(location, 'reload', { configurable: true, value: reload }));

test('a window reloads when the profile is unlocked in another one, and not for other news', async () => {
  let locked = true;
  let hear: (event: AppEvent) => void = () => undefined;
  const bridge = fakeBridge({
    call: async () => ({ version: '1', secrets: { mode: 'passphrase', locked, reason: null }, notices: [] }),
    stream: (_: string, __: object, on: typeof hear) => {
      hear = on;
      return new Promise(() => undefined);
    },
  });
  setWindowBridge(bridge);
  startAppEvents(bridge, false);
  await startAppInfo();
  const reloadsAfter = async () => {
    hear({ type: 'info' });
    await new Promise(setImmediate);
    return reloads;
  };
  expect(await reloadsAfter()).toBe(0);
  locked = false;
  expect(await reloadsAfter()).toBe(1);
  expect(await reloadsAfter()).toBe(1);
});
