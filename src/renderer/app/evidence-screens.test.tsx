// @vitest-environment happy-dom
/** Screens over a folder of mail leave out what only a tenant has. */
import { type ComponentType, useEffect } from 'react';
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import ExceptionsScreen from '#renderer/features/exceptions/exceptions-screen.tsx';
import StackScreen from '#renderer/features/stack/stack-screen.tsx';
import { startConnections } from '#renderer/state/connection.ts';
import { loadTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { soon } from '#tests/support/soon.ts';
import { useSections } from './rail.tsx';

const CHECK = {
  name: 'check_links',
  label: 'Links',
  state: 'enabled',
  category: 'Checks of the mail itself',
  family: null,
  is_saas: false,
  license_info: null,
  options: {},
  app_store_order: 1,
  security_stack_order: 0,
};
const ANSWER = {
  rows: [CHECK],
  exceptions: [],
  entries: [],
  queries: [],
  counts: [],
  total: 0,
  total_rows: 1,
  apps: [],
  tools: [],
};

let kind = 'evidence';
const bridge = fakeBridge({
  call: async (operation: string) => {
    if (operation === 'connections.list')
      return {
        connections: [{ id: kind, kind, name: 'mail' }],
        state: { connectionId: kind, phase: 'online', since: 0, latencyMs: 1, error: null },
      };
    return operation === 'jobs.list' ? { jobs: [] } : {};
  },
  stream: async (_: string, __: object, next: (answer: object) => void) =>
    next({
      data: ANSWER,
      freshness: { source: 'network', fetchedAt: 1, offline: false },
      error: null,
      revalidating: false,
    }),
});

let leave = async () => {};
beforeEach(() => setWindowBridge(bridge));
afterEach(() => leave());

async function show(of: string, Screen: ComponentType): Promise<HTMLElement> {
  kind = of;
  await startConnections();
  await loadTabs(of);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Screen />
    </BridgeProvider>,
  );
  leave = unmount;
  return container;
}

const wordsOf = (container: HTMLElement) =>
  [...container.querySelectorAll('button, label, dt')].map(
    (part) => part.getAttribute('aria-label') ?? part.textContent ?? '',
  );

it.each([
  ['evidence', false],
  ['demo', true],
])('the stack of %s: licences, a store, and counts of the last days are there: %s', async (of, isThere) => {
  const container = await show(of, StackScreen);
  await soon(() => expect(container.textContent).toContain('Flagged emails'));
  for (const words of ['App store', '7 days', 'Exceptions', 'Licence'])
    expect([words, wordsOf(container).includes(words)]).toEqual([words, isThere]);
  expect(container.textContent?.includes('Flagged emails, 7 days')).toBe(isThere);
});

it.each([
  ['evidence', false],
  ['demo', true],
])('exceptions of %s: new ones are offered: %s', async (of, isThere) => {
  const container = await show(of, ExceptionsScreen);
  await soon(() => expect(wordsOf(container)).toContain('Export'));
  expect(wordsOf(container).includes('New exception')).toBe(isThere);
});

test.each([
  ['evidence', false],
  ['demo', true],
])('the sections of %s have exceptions: %s', async (of, isThere) => {
  let labels: string[] = [];
  function Sections() {
    const sections = useSections();
    useEffect(() => {
      labels = sections.map(({ label }) => label);
    });
    return null;
  }
  await show(of, Sections);
  expect(labels).toContain('Security stack');
  expect(labels.includes('Exceptions')).toBe(isThere);
});
