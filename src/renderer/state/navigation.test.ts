import { beforeEach, expect, it } from 'vitest';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { blankQuery, currentDraft } from './drafts.ts';
import { openPivot, openScreen } from './navigation.ts';
import { activeTab, loadTabs } from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';

beforeEach(async () => {
  setWindowBridge({ call: () => Promise.resolve({ value: null }) } as unknown as Bridge);
  await loadTabs('c');
});

/** Where the query in front leads back to. */
const back = () => {
  const route = activeTab()?.route;
  return route?.screen === 'query' ? currentDraft(route.draftId)?.origin?.route : undefined;
};

it('leads back to where the question was asked for last', () => {
  const question = { ...blankQuery(), name: 'From one sender' };
  openScreen('home');
  const first = openPivot(question);
  expect(back()).toEqual({ screen: 'home' });
  openScreen('activity');
  expect(openPivot(question)).toBe(first);
  expect(back()).toEqual({ screen: 'activity' });
  // Asked for from its own rows, it does not lead back to itself.
  expect(openPivot(question)).toBe(first);
  expect(back()).toEqual({ screen: 'activity' });
});
