// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeBridge } from '#tests/support/reads.ts';
import { BrowserHistory } from './browser-history.ts';
import { activeTab, closeTab, loadTabs, openTab, setTabDirty, setTabRoute, useTabs } from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';

/** A page whose history is a list. */
class Page extends EventTarget {
  entries: unknown[] = [null];
  at = 0;
  readonly history = {
    state: null,
    pushState: (state: unknown) => {
      this.entries = [...this.entries.slice(0, this.at + 1), state];
      this.at += 1;
    },
    replaceState: (state: unknown) => {
      this.entries[this.at] = state;
    },
  };
  /** Back or Forward; false: this leaves the page. */
  go(by: number): boolean {
    if (this.entries[this.at + by] === undefined) return false;
    this.at += by;
    this.dispatchEvent(Object.assign(new Event('popstate'), { state: this.entries[this.at] }));
    return true;
  }
}

const title = () => activeTab()?.title;
let page = new Page();
let stop = () => {};
beforeEach(async () => {
  setWindowBridge(fakeBridge({ call: () => Promise.resolve({ value: null }) }));
  await loadTabs('c1');
  page = new Page();
  stop = new BrowserHistory(page as unknown as Window).start();
});
afterEach(() => stop());

const email = (entityId: string) => openTab({ screen: 'email', saas: 's', entityId }, { title: entityId });

it('[promise] Back and Forward go from tab to tab, with one entry for each', () => {
  openTab({ screen: 'queries' });
  email('a');
  expect(page.entries).toHaveLength(3);
  page.go(-1);
  expect(title()).toBe('Queries');
  page.go(-1);
  expect(title()).toBe('Home');
  page.go(1);
  page.go(1);
  expect(title()).toBe('a');
  // Going back added no entries.
  expect(page.entries).toHaveLength(3);
});

it('Back and Forward go through the profiles that one tab has shown', () => {
  const tab = email('a');
  setTabRoute(tab, { screen: 'email', saas: 's', entityId: 'b' }, 'b');
  page.go(-1);
  expect(title()).toBe('a');
  page.go(1);
  expect(title()).toBe('b');
});

it('Back reopens a tab that was closed meanwhile', () => {
  const tab = email('a');
  openTab({ screen: 'settings' });
  closeTab(tab);
  page.go(-1);
  expect(title()).toBe('a');
  expect(useTabs.getState().tabs.some(({ id }) => id === tab)).toBe(true);
});

it('[promise] leaving asks for confirmation only while work would be lost', () => {
  const leave = () => {
    const event = new Event('beforeunload', { cancelable: true });
    page.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(leave()).toBe(false);
  const tab = email('a');
  setTabDirty(tab, true);
  expect(leave()).toBe(true);
  setTabDirty(tab, false);
  expect(leave()).toBe(false);
  // A draft is kept, and is there again after a reload.
  setTabDirty(openTab({ screen: 'query', draftId: 'd' }), true);
  expect(leave()).toBe(false);
});
