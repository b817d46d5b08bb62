import { beforeEach, describe, expect, it, test } from 'vitest';
import { fakeBridge } from '#tests/support/reads.ts';
import {
  activateTab,
  activeTab,
  closeOtherTabs,
  closeTab,
  loadTabs,
  moveTab,
  openTab,
  reopenTab,
  setSplitShare,
  setTabDirty,
  setTabTitle,
  stepTab,
  toggleSplit,
  useTabs,
} from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';
import { flushWorkspace } from './workspace.ts';

const values = new Map<string, unknown>();
const bridge = fakeBridge({
  call: (operation: string, input: { key: string; value?: unknown }) => {
    if (operation === 'workspace.put') values.set(input.key, structuredClone(input.value));
    return Promise.resolve({ value: values.get(input.key) ?? null });
  },
});

const titles = () => useTabs.getState().tabs.map(({ title }) => title);
const email = (entityId: string) => openTab({ screen: 'email', saas: 's', entityId }, { title: entityId });

beforeEach(async () => {
  await flushWorkspace().catch(() => undefined);
  values.clear();
  setWindowBridge(bridge);
  await loadTabs('c1');
});

describe('tabs', () => {
  it('calls a chat message a message, not an email', () => {
    openTab({ screen: 'email', entityType: 'message', saas: 's', entityId: 'm' });
    expect(titles()).toContain('Message');
  });

  it('[promise] move once to the new id of a connection whose id changed', async () => {
    const a = email('a');
    setTabDirty(a, true);
    await loadTabs(null);
    expect(titles()).toEqual(['Home']);
    await loadTabs('c2', 'c1');
    expect(titles()).toEqual(['Home', 'a']);
    const { active, dirty, tabs } = useTabs.getState();
    expect([active, [...dirty], tabs.map(({ connectionId }) => connectionId)]).toEqual([
      a,
      [a],
      ['c2', 'c2'],
    ]);
    closeTab(a);
    await flushWorkspace();
    await loadTabs(null);
    await loadTabs('c2', 'c1');
    expect(titles()).toEqual(['Home']);
  });

  it('start with Home', () => expect(titles()).toEqual(['Home']));

  it('open beside the active one, and routes that show the same share a tab', () => {
    const a = email('a');
    openTab({ screen: 'home' });
    email('b');
    expect(titles()).toEqual(['Home', 'b', 'a']);
    expect(email('a')).toBe(a);
    expect(titles()).toHaveLength(3);
    expect(activeTab()?.id).toBe(a);
  });

  it('[promise] reopen at their positions, the last closed one first', () => {
    const a = email('a');
    email('b');
    email('c');
    closeTab(a);
    closeOtherTabs();
    expect(titles()).toEqual(['c']);
    expect([reopenTab(), reopenTab(), reopenTab()]).toEqual([true, true, true]);
    expect(titles()).toEqual(['Home', 'a', 'b', 'c']);
    expect(activeTab()?.id).toBe(a);
    expect(reopenTab()).toBe(false);
  });

  it('are activated instead of reopened if the same one was opened meanwhile', () => {
    closeTab(email('a'));
    const again = email('a');
    openTab({ screen: 'home' });
    reopenTab();
    expect(activeTab()?.id).toBe(again);
    expect(titles()).toEqual(['Home', 'a']);
  });

  it('open in the background without being activated', () => {
    openTab({ screen: 'queries' }, { background: true });
    expect(activeTab()?.title).toBe('Home');
  });

  it('activate the previously active one when the active one closes', () => {
    const a = email('a');
    email('b');
    activateTab(a);
    const settings = openTab({ screen: 'settings' });
    closeTab(settings);
    expect(activeTab()?.id).toBe(a);
  });

  it('show Home when the last one closes', () => {
    closeTab(activeTab()?.id ?? '');
    expect(titles()).toEqual(['Home']);
    expect(activeTab()?.title).toBe('Home');
  });

  it('wrap around at both ends when stepping', () => {
    email('a');
    stepTab(1);
    expect(activeTab()?.title).toBe('Home');
    stepTab(-1);
    expect(activeTab()?.title).toBe('a');
  });

  it('can be moved, renamed and marked', () => {
    const a = email('a');
    moveTab(a, 0);
    setTabTitle(a, 'renamed');
    setTabDirty(a, true);
    expect(titles()).toEqual(['renamed', 'Home']);
    expect(useTabs.getState().dirty.has(a)).toBe(true);
    closeTab(a);
    expect(useTabs.getState().dirty.size).toBe(0);
  });

  it('survive a restart, separately for each connection', async () => {
    email('a');
    await flushWorkspace();
    await loadTabs('c2');
    expect(titles()).toEqual(['Home']);
    await loadTabs('c1');
    expect(titles()).toEqual(['Home', 'a']);
    expect(activeTab()?.title).toBe('a');
  });

  it('start over if the saved value is of another version', async () => {
    values.set('tabs:c3', { tabs: [{ id: 1, route: 'somewhere' }], active: 7 });
    await loadTabs('c3');
    expect(titles()).toEqual(['Home']);
  });
});

describe('two tabs beside each other', () => {
  const sides = () => {
    const { split, active, tabs } = useTabs.getState();
    const name = (id: string | undefined) => tabs.find((tab) => tab.id === id)?.title;
    return split && [name(split.left), name(split.right), name(active ?? '')];
  };

  it('are the active one, and the previously active one to its left', () => {
    expect(toggleSplit()).toBe(false);
    email('a');
    email('b');
    email('c');
    activateTab(useTabs.getState().tabs.find(({ title }) => title === 'a')?.id ?? '');
    expect(toggleSplit()).toBe(true);
    expect(sides()).toEqual(['c', 'a', 'a']);
    toggleSplit();
    expect(sides()).toBeNull();
  });

  it('a new tab replaces the active side; a tab that is already visible is only activated', () => {
    const a = email('a');
    email('b');
    toggleSplit();
    activateTab(a);
    expect(sides()).toEqual(['a', 'b', 'a']);
    email('c');
    expect(sides()).toEqual(['c', 'b', 'c']);
    activateTab(a);
    expect(sides()).toEqual(['a', 'b', 'a']);
  });

  it('a tab beside a closed one gets the full width', () => {
    const a = email('a');
    email('b');
    email('c');
    activateTab(a);
    toggleSplit();
    closeTab(a);
    expect([sides(), activeTab()?.title]).toEqual([null, 'c']);
  });

  it('survive a restart, with their widths', async () => {
    email('a');
    email('b');
    toggleSplit();
    setSplitShare(0.3);
    await flushWorkspace();
    await loadTabs('c2');
    expect(sides()).toBeNull();
    await loadTabs('c1');
    expect(sides()).toEqual(['a', 'b', 'b']);
    expect(useTabs.getState().split?.share).toBe(0.3);
  });
});

test('a tab opened while the tabs of another tenant are being loaded is added to those', async () => {
  email('here');
  const loaded = loadTabs('c2');
  email('there');
  await loaded;
  expect([titles(), activeTab()?.title, activeTab()?.connectionId]).toEqual([
    ['Home', 'there'],
    'there',
    'c2',
  ]);
  await loadTabs('c1');
  expect(titles()).toEqual(['Home', 'here']);
});
