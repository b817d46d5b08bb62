// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { setAppInfo } from '#renderer/state/app-info.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { AppInfo, UpdateState } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { UpdatesPanel } from './updates-panel.tsx';

const STATE: UpdateState = {
  unavailable: null,
  on: false,
  channel: 'stable',
  managed: { on: false, channel: false, by: null },
  phase: 'idle',
  checkedAt: null,
  problem: null,
  newest: null,
  done: 0,
  kind: 'appimage',
};
const NEWEST = {
  version: '1.1.0',
  date: '2026-11-02',
  notes: '- Added: something.',
  bytes: 12 * 1024 * 1024,
};

let calls: [string, unknown][];
let state: UpdateState;
let mounted: Awaited<ReturnType<typeof mount>> | null = null;
beforeEach(() => {
  calls = [];
});
afterEach(async () => {
  await mounted?.unmount();
  mounted = null;
});

async function shown(over: Partial<UpdateState>, host: AppInfo['host'] = 'electron') {
  state = { ...STATE, ...over };
  const bridge = fakeBridge({
    call: async (name: string, input: unknown) => {
      calls.push([name, input]);
      return state;
    },
  });
  setWindowBridge(bridge);
  setAppInfo({ host, secrets: { locked: false } } as AppInfo);
  mounted = await mount(
    <BridgeProvider bridge={bridge}>
      <UpdatesPanel />
    </BridgeProvider>,
  );
  const { container } = mounted;
  return {
    container,
    text: () => container.textContent ?? '',
    button: (name: string) =>
      [...container.querySelectorAll('button')].find((element) => element.textContent?.startsWith(name)),
  };
}

test('updates are off by default, and only the analyst’s click sends a request', async () => {
  const { text, button, container } = await shown({});
  expect(container.querySelector<HTMLInputElement>('input[value="off"]')?.checked).toBe(true);
  expect(text()).toContain('Never checked');
  expect(calls).toEqual([['updates.state', {}]]);
  await doing(() => button('Check now')?.click());
  expect(calls.at(-1)).toEqual(['updates.check', {}]);
  await doing(() => container.querySelector<HTMLInputElement>('input[value="on"]')?.click());
  expect(calls.at(-1)).toEqual(['updates.choose', { on: true, channel: 'stable' }]);
});

test('a new version shows its notes as plain text, then the download, then the restart', async () => {
  const notes = '- <img src=x onerror=alert(1)> \u202Egnp.exe\n- [link](https://evil.example)';
  const dialog = await shown({ checkedAt: 0, newest: { ...NEWEST, notes } });
  expect(dialog.text()).toContain('Version 1.1.0 is available');
  expect(dialog.text()).toContain('<img src=x');
  expect(dialog.text()).not.toContain('\u202E');
  expect(dialog.container.querySelector('img, a')).toBeNull();
  await doing(() => dialog.button('Download 12 MB')?.click());
  expect(calls.at(-1)).toEqual(['updates.fetch', {}]);
  await mounted?.unmount();
  const ready = await shown({ phase: 'ready', newest: NEWEST, done: NEWEST.bytes });
  await doing(() => ready.button('Restart to install')?.click());
  expect(calls.at(-1)).toEqual(['updates.install', {}]);
});

test.each<[string, Partial<UpdateState>, string]>([
  ['had nothing newer', { checkedAt: 0 }, 'No newer version.'],
  [
    'failed',
    { problem: { code: 'unreachable', message: 'The update server cannot be reached.', retryable: true } },
    'cannot be reached',
  ],
  ['belongs to a package manager', { newest: { ...NEWEST, bytes: null } }, 'updated by your package manager'],
  ['is managed', { managed: { on: true, channel: true, by: '/etc/p.json' } }, 'manages this in /etc/p.json'],
  ['has no feed', { unavailable: 'This Parapet is not updated by itself.' }, 'not updated by itself'],
])('it says that it %s', async (_what, over, words) => {
  const { text } = await shown(over);
  expect(text()).toContain(words);
});

test('settings controlled by the policy are disabled', async () => {
  const { container } = await shown({ managed: { on: true, channel: false, by: null } });
  expect([...container.querySelectorAll('input')].map(({ disabled }) => disabled)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test.each([false, true])('“Check now” is disabled if the policy turns updates off: on is %s', async (on) => {
  const { button } = await shown({ on, managed: { on: true, channel: false, by: '/etc/p.json' } });
  expect(button('Check now')?.disabled).toBe(!on);
  expect(button('Check now')?.title.includes('/etc/p.json')).toBe(!on);
});

test('a browser host shows no update settings', async () => {
  const { container } = await shown({}, 'browser');
  expect(container.innerHTML).toBe('');
});
