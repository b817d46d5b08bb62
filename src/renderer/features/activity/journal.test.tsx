// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { listenForKeys } from '#renderer/state/hotkeys.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { Journal } from './journal.tsx';

let leave = async () => {};
afterEach(() => leave());

async function journal(list: () => Promise<object>) {
  const bridge = fakeBridge({
    call: (name: string) => (name === 'journal.list' ? list() : new Promise(() => {})),
    stream: () => new Promise(() => {}),
  });
  setWindowBridge(bridge);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Journal />
    </BridgeProvider>,
  );
  leave = unmount;
  return () => container.querySelector('.pp-journal-bar')?.textContent;
}

it('the key for searching a screen finds the search of the journal', async () => {
  await journal(async () => ({ entries: [], count: 0, next: null }));
  expect(document.querySelector('[data-search]')?.getAttribute('aria-label')).toBe('Search the journal');
});

it('a journal that cannot be read does not show “0 changes”', async () => {
  const bar = await journal(() => Promise.reject(new ParapetError('damaged', 'It is damaged.')));
  expect(bar()).not.toContain('0 changes');
});

it('an empty journal shows “0 changes”', async () => {
  const bar = await journal(async () => ({ entries: [], count: 0, next: null }));
  await expect.poll(bar).toContain('0 changes');
});

it.each([
  [2, true],
  [0, false],
])(
  'E pressed while the journal is being read: with %i changes the menu opens is %s',
  async (count, opens) => {
    const unlisten = listenForKeys();
    const { promise, resolve } = Promise.withResolvers<object>();
    const bar = await journal(() => promise);
    await doing(() => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'e', bubbles: true })));
    await doing(() => resolve({ entries: [], count, next: null }));
    await expect.poll(bar).toContain(`${count} changes`);
    const isOpen = () => document.querySelector('[role="menu"][aria-label="Export"]') !== null;
    await expect.poll(isOpen).toBe(opens);
    unlisten();
  },
);
