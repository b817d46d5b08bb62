// @vitest-environment happy-dom
import { expect, it, test } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { invalidateReads } from '#renderer/bridge/read-store.ts';
import { createDraft, currentDraft, isDraftDirty, updateDraft, useDraft } from '#renderer/state/drafts.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { Query } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { isNewerVersion, useNewestVersion } from './saved-version.ts';

const opened: Query = {
  ...{ id: 'q', type: 'query', domain: 'email', entityType: 'email', name: 'Invoices' },
  columns: [],
  updateTime: '2026-11-27T10:00:00Z',
};
const later = { ...opened, updateTime: '2026-11-27T10:05:00Z' };

it.each([
  ['another name, saved later', opened, { ...later, name: 'Bills' }, true],
  ['another name in an older answer', later, { ...opened, name: 'Bills' }, false],
  ['only another time', opened, later, false],
  ['no time', { ...opened, updateTime: null }, { ...later, name: 'Bills' }, false],
])('%s', (_, saved, current, newer) => expect(isNewerVersion(saved, current)).toBe(newer));

function Tab({ of }: { of: Draft }): null {
  const { draft } = useDraft(of.id);
  useNewestVersion(draft ?? of, isDraftDirty(draft ?? of));
  return null;
}

test('a tab follows what another window saves, unless it has edits', async () => {
  let current: Query = opened;
  const bridge = fakeBridge({
    call: async () => ({}),
    stream: async (_: string, __: object, hear: (event: unknown) => void) =>
      hear({
        data: current,
        freshness: { source: 'network', fetchedAt: 1 },
        revalidating: false,
        error: null,
      }),
  });
  setWindowBridge(bridge);
  setActiveConnectionId('c');
  const [clean, edited] = [createDraft(opened), createDraft(opened)];
  updateDraft(edited.id, { query: { ...opened, description: 'mine' } });
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Tab of={clean} />
      <Tab of={edited} />
    </BridgeProvider>,
  );
  current = { ...later, name: 'Bills' };
  await doing(() => invalidateReads('c', ['queries']));
  expect(currentDraft(clean.id)).toMatchObject({ query: { name: 'Bills' }, saved: { name: 'Bills' } });
  expect(currentDraft(edited.id)).toMatchObject({
    query: { name: 'Invoices', description: 'mine' },
    saved: { name: 'Invoices' },
  });
  await unmount();
});
