// @vitest-environment happy-dom
/** When every read fails, each panel of the email and file profiles shows an error, and none looks empty. */
import type { JSX } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { dropReads } from '#renderer/bridge/read-store.ts';
import { openTab, setTabPart } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { type ErrorCode, ParapetError } from '#shared/bridge/errors.ts';
import type { Route } from '#shared/bridge/workspace.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import FileScreen from '../file/file-screen.tsx';
import { TAB_LABELS as FILE_LABELS } from '../file/labels.ts';
import EmailScreen from './email-screen.tsx';
import { TAB_LABELS as EMAIL_LABELS } from './labels.ts';

let leave = async () => {};
beforeEach(() => {
  vi.useFakeTimers();
  setActiveConnectionId('c');
});
afterEach(async () => {
  await leave();
  dropReads('c');
  setActiveConnectionId(null);
  vi.useRealTimers();
});
const settle = () => doing(() => vi.advanceTimersByTimeAsync(1_000));

type Screen = (props: { route: Route; tabId: string }) => JSX.Element;
const SCREENS = {
  email: { Screen: EmailScreen as unknown as Screen, parts: EMAIL_LABELS },
  file: { Screen: FileScreen as unknown as Screen, parts: FILE_LABELS },
} as const;

/** The texts of all panels of all parts when every read fails with this code. */
async function panels(kind: keyof typeof SCREENS, code: ErrorCode) {
  const bridge = fakeBridge({
    call: () => new Promise(() => {}),
    stream: () => Promise.reject(new ParapetError(code, 'It failed.')),
  });
  setWindowBridge(bridge);
  const { Screen, parts } = SCREENS[kind];
  const route = { screen: kind, saas: 'mail', entityId: code } as Route;
  const tabId = openTab(route);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Screen route={route} tabId={tabId} />
    </BridgeProvider>,
  );
  leave = unmount;
  const texts: [string, string][] = [];
  // The debug links are not requested without a product.
  for (const part of Object.keys(parts).filter((name) => name !== 'debug')) {
    await doing(() => setTabPart(tabId, part));
    await settle();
    for (const panel of container.querySelectorAll('[data-panel]'))
      texts.push([`${part}: ${panel.getAttribute('data-panel')}`, panel.textContent]);
  }
  return { texts, container };
}

it.each([
  ['email', 'forbidden'],
  ['email', 'not-found'],
  ['email', 'rate-limited'],
  ['email', 'server-error'],
  ['email', 'timeout'],
  ['email', 'wrong-shape'],
  ['file', 'forbidden'],
  ['file', 'not-found'],
  ['file', 'server-error'],
  ['file', 'timeout'],
] as const)('%s, %s', async (kind, code) => {
  const { texts, container } = await panels(kind, code);
  expect(texts.length).toBeGreaterThan(kind === 'email' ? 15 : 7);
  for (const [panel, text] of texts) {
    // If several parts fail for the same reason, it is shown once above them.
    expect(text, panel).toMatch(/It failed\.|Not loaded\./);
    expect(text, panel).toMatch(/unknown|No data for|may have clicked/i);
    expect(text, panel).not.toMatch(/older|counts 0|reports no|Not split|\bNone\b/);
  }
  expect(container.textContent).toContain('It failed.');
  expect(container.querySelector('.en-verdict')?.textContent).toContain('Verdict unknown');
});
