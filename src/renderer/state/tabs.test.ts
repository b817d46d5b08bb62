import { beforeEach, describe, expect, it } from 'vitest';
import type { Bridge } from '#shared/bridge/bridge.ts';
import {
  activateTab,
  activeTab,
  closeTab,
  loadTabs,
  moveTab,
  openTab,
  setTabDirty,
  setTabTitle,
  stepTab,
  useTabs,
} from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';
import { flushWorkspace } from './workspace.ts';

const values = new Map<string, unknown>();
const bridge = {
  call: (operation: string, input: { key: string; value?: unknown }) => {
    if (operation === 'workspace.put') values.set(input.key, structuredClone(input.value));
    return Promise.resolve({ value: values.get(input.key) ?? null });
  },
} as unknown as Bridge;

const titles = () => useTabs.getState().tabs.map(({ title }) => title);
const email = (entityId: string) => openTab({ screen: 'email', saas: 's', entityId }, { title: entityId });

beforeEach(async () => {
  await flushWorkspace().catch(() => undefined);
  values.clear();
  setWindowBridge(bridge);
  await loadTabs('c1');
});

describe('tabs', () => {
  it('start with Home', () => expect(titles()).toEqual(['Home']));

  it('open beside the active one and share what shows the same', () => {
    const a = email('a');
    openTab({ screen: 'home' });
    email('b');
    expect(titles()).toEqual(['Home', 'b', 'a']);
    expect(email('a')).toBe(a);
    expect(titles()).toHaveLength(3);
    expect(activeTab()?.id).toBe(a);
  });

  it('open in the background without coming forward', () => {
    openTab({ screen: 'queries' }, { background: true });
    expect(activeTab()?.title).toBe('Home');
  });

  it('go back to the tab seen before when one closes', () => {
    const a = email('a');
    email('b');
    activateTab(a);
    const settings = openTab({ screen: 'settings' });
    closeTab(settings);
    expect(activeTab()?.id).toBe(a);
  });

  it('give way to Home when the last one closes', () => {
    closeTab(activeTab()?.id ?? '');
    expect(titles()).toEqual(['Home']);
    expect(activeTab()?.title).toBe('Home');
  });

  it('step around both ends', () => {
    email('a');
    stepTab(1);
    expect(activeTab()?.title).toBe('Home');
    stepTab(-1);
    expect(activeTab()?.title).toBe('a');
  });

  it('move, are renamed and marked', () => {
    const a = email('a');
    moveTab(a, 0);
    setTabTitle(a, 'renamed');
    setTabDirty(a, true);
    expect(titles()).toEqual(['renamed', 'Home']);
    expect(useTabs.getState().dirty.has(a)).toBe(true);
    closeTab(a);
    expect(useTabs.getState().dirty.size).toBe(0);
  });

  it('survive a restart, each connection its own', async () => {
    email('a');
    await flushWorkspace();
    await loadTabs('c2');
    expect(titles()).toEqual(['Home']);
    await loadTabs('c1');
    expect(titles()).toEqual(['Home', 'a']);
    expect(activeTab()?.title).toBe('a');
  });

  it('start anew over a value of another version', async () => {
    values.set('tabs:c3', { tabs: [{ id: 1, route: 'somewhere' }], active: 7 });
    await loadTabs('c3');
    expect(titles()).toEqual(['Home']);
  });
});
