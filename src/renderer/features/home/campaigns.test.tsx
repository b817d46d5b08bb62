// @vitest-environment happy-dom
/** Campaigns on Home: those that deserve a look, and what their absence means. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { currentDraft } from '#renderer/state/drafts.ts';
import { activeTab, loadTabs } from '#renderer/state/tabs.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { soon } from '#tests/support/soon.ts';
import { Campaigns } from './campaigns.tsx';

const campaign = (id: string, flagged: number) => ({
  id,
  name: `“Parcel ${id}” from cheap-host.xyz`,
  emails: 14,
  flagged,
  score: 9,
  senders: 3,
  recipients: 12,
  first: '2026-11-03T08:00:00.000Z',
  last: null,
  reason: flagged > 0 ? 'A link leads to http://evil.test/a' : null,
});

let rows: object[];
let deserving: number;
const bridge = fakeBridge({
  call: async () => ({}),
  stream: async (_: string, __: object, next: (answer: object) => void) =>
    next({
      data: { rows, total_rows: rows.length, deserving },
      freshness: { source: 'network', fetchedAt: 1, offline: false },
      error: null,
      revalidating: false,
    }),
});

let leave = async () => {};
let container: HTMLElement;
let connections = 0;
beforeEach(async () => {
  connections += 1;
  setWindowBridge(bridge);
  setActiveConnectionId(`campaigns-${connections}`);
  await loadTabs(`campaigns-${connections}`);
});
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

async function show(isPartial = false) {
  const shown = await mount(
    <BridgeProvider bridge={bridge}>
      <Campaigns isPartial={isPartial} />
    </BridgeProvider>,
  );
  leave = shown.unmount;
  container = shown.container;
}
const press = (label: string) =>
  doing(() =>
    [...container.querySelectorAll('button')]
      .find(({ textContent }) => textContent?.includes(label))
      ?.click(),
  );

it('lists those that deserve a look and no newsletter, with reach, reason and defanged text', async () => {
  [rows, deserving] = [[campaign('1', 12), campaign('2', 0)], 1];
  await show();
  await soon(() => expect(container.querySelectorAll('tbody tr')).toHaveLength(1));
  expect(container.textContent).toContain('12 of 14');
  expect(container.textContent).toContain('hxxp://evil[.]test/a');
  expect(container.textContent).toContain('Unknown');
  expect(container.textContent).not.toContain('Parcel 2');
  await press('Parcel 1');
  expect(activeTab()?.route).toMatchObject({ screen: 'campaign', campaignId: '1' });
  await press('Show all 2');
  const route = activeTab()?.route;
  expect(route?.screen === 'query' && currentDraft(route.draftId)?.query.filter).toMatchObject({
    conditions: [{ field: 'campaign', operator: 'is_not_empty' }],
  });
});

it('never calls groups clean in which nothing was found, nor an import that goes on complete', async () => {
  [rows, deserving] = [[campaign('2', 0)], 0];
  await show(true);
  await soon(() => expect(container.textContent).toContain('None so far'));
  expect(container.textContent).toContain('1 group of similar emails');
  expect(container.textContent).toContain('That does not make them clean');
});
