// @vitest-environment happy-dom
/** Saving the conditions of a query as a rule: only of emails of evidence, and only if there are any. */
import type { JSX } from 'react';
import { beforeEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { startConnections } from '#renderer/state/connection.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { TabContext } from '#renderer/state/tab-context.ts';
import { type RulePrefill, usePayload } from '#renderer/state/tab-payload.ts';
import { loadTabs, useTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { useQueryCommands } from './query-commands.ts';
import { QueryMenu } from './query-menu.tsx';

let kind: string;
const bridge = fakeBridge({
  call: async (operation: string) =>
    operation === 'connections.list'
      ? {
          connections: [{ id: 'c', kind, name: 'c' }],
          state: { connectionId: 'c', phase: 'online', since: 0, latencyMs: 1, error: null },
        }
      : { value: null },
  stream: () => new Promise(() => {}),
});

const FILTER: NewQuery['filter'] = {
  operator: 'and',
  conditions: [{ field: 'subject', operator: 'is', values: ['x'] }],
};
let openedWith: RulePrefill | null;
function Rules(): null {
  usePayload('rules', true, (prefill) => {
    openedWith = prefill;
  });
  return null;
}

/** The menu item of a query, if it is offered. */
async function itemOf(of: string, query: Partial<NewQuery>) {
  kind = of;
  setWindowBridge(bridge);
  setActiveConnectionId('c');
  await startConnections();
  await loadTabs('c');
  const draft = { id: 'd', savedId: null, saved: null, query: { ...blankQuery(), ...query } } as Draft;
  const does = { onOpen: () => undefined, onRun: () => undefined, onToggle: () => undefined };
  function Menu(): JSX.Element {
    return <QueryMenu draft={draft} commands={useQueryCommands(draft, does)} onOpen={does.onOpen} />;
  }
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Menu />
      <TabContext value={{ tabId: 'rules', isActive: true, isShown: true }}>
        <Rules />
      </TabContext>
    </BridgeProvider>,
  );
  const item = [...container.querySelectorAll<HTMLElement>('[role="menuitem"]')].find(({ textContent }) =>
    textContent?.startsWith('Save as rule'),
  );
  return { item, unmount };
}

beforeEach(() => {
  openedWith = null;
});

it('a rule begins with the conditions, name, description and severity of the query', async () => {
  const { item, unmount } = await itemOf('evidence', {
    name: 'Mine',
    description: 'Says x',
    severity: 'high',
    filter: FILTER,
  });
  await doing(() => item?.click());
  expect(openedWith).toEqual({ name: 'Mine', sentence: 'Says x', severity: 4, condition: FILTER });
  expect(useTabs.getState().tabs.map(({ route }) => route.screen)).toContain('rules');
  await unmount();
});

it.each<[string, string, Partial<NewQuery>, 'absent' | 'off']>([
  ['of a tenant', 'server', { filter: FILTER }, 'absent'],
  ['of files', 'evidence', { domain: 'file', filter: FILTER }, 'absent'],
  ['without conditions', 'evidence', {}, 'off'],
])('a query %s makes no rule', async (_, of, query, offered) => {
  const { item, unmount } = await itemOf(of, query);
  expect(item === undefined ? 'absent' : item.getAttribute('aria-disabled') === 'true' ? 'off' : 'on').toBe(
    offered,
  );
  await unmount();
});
