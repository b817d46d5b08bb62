import { beforeEach, expect, it } from 'vitest';
import { fakeBridge } from '#tests/support/reads.ts';
import { blankQuery, currentDraft } from './drafts.ts';
import { openPivot, openScreen } from './navigation.ts';
import { activeTab, loadTabs } from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';

beforeEach(async () => {
  setWindowBridge(fakeBridge({ call: () => Promise.resolve({ value: null }) }));
  await loadTabs('c');
});

/** Where the front query's back link leads. */
const back = () => {
  const route = activeTab()?.route;
  return route?.screen === 'query' ? currentDraft(route.draftId)?.origin?.route : undefined;
};

it('[promise] a derived query links back to the latest screen it was opened from', () => {
  const question = { ...blankQuery(), name: 'From one sender' };
  openScreen('home');
  const first = openPivot(question);
  expect(back()).toEqual({ screen: 'home' });
  openScreen('activity');
  expect(openPivot(question)).toBe(first);
  expect(back()).toEqual({ screen: 'activity' });
  // Opened from its own rows, it does not link back to itself.
  expect(openPivot(question)).toBe(first);
  expect(back()).toEqual({ screen: 'activity' });
});
