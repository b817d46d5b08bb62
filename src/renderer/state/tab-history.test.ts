import { beforeEach, expect, it } from 'vitest';
import { fakeBridge } from '#tests/support/reads.ts';
import { listPlace, setListPlace } from './neighbours.ts';
import { backToTab, forwardToTab, goInTab, goToList, stepInTab } from './tab-history.ts';
import { activeTab, closeTab, loadTabs, openTab } from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';

const source = { label: 'Phishing', count: 9, rows: () => Promise.resolve([]) };
const place = (index: number) => ({ source, index });
const route = (entityId: string) => ({ screen: 'email' as const, saas: 's', entityId });
let tab = '';
const shown = () => [activeTab()?.title, listPlace(tab)?.index];
/** Goes to the next record of the list, as J does. */
const next = (index: number) =>
  goInTab(tab, listPlace(tab), { route: route(`e${index}`), title: `Email ${index}`, place: place(index) });
const step = (to: 'back' | 'forward') => stepInTab(tab, to, listPlace(tab));

beforeEach(async () => {
  setWindowBridge(fakeBridge({ call: () => Promise.resolve({ value: null }) }));
  await loadTabs('c');
  tab = openTab(route('e0'), { title: 'Email 0' });
  setListPlace(tab, place(0));
});

it('goes back and forward together with the position in the list', () => {
  next(1);
  next(2);
  expect(step('back')).toBe(true);
  expect(shown()).toEqual(['Email 1', 1]);
  expect(step('back')).toBe(true);
  expect(shown()).toEqual(['Email 0', 0]);
  expect(step('back')).toBe(false);
  expect(step('forward')).toBe(true);
  expect(step('forward')).toBe(true);
  expect(step('forward')).toBe(false);
  expect(shown()).toEqual(['Email 2', 2]);
});

it('drops the forward steps when another record is opened', () => {
  next(1);
  step('back');
  next(5);
  expect(step('forward')).toBe(false);
  step('back');
  expect(shown()).toEqual(['Email 0', 0]);
});

it('keeps the latest hundred records', () => {
  for (let index = 1; index <= 120; index += 1) next(index);
  let steps = 0;
  while (step('back')) steps += 1;
  expect(steps).toBe(100);
  expect(shown()).toEqual(['Email 20', 20]);
});

it('of a closed tab does nothing', () => {
  expect(stepInTab('none', 'back', null)).toBe(false);
  goInTab('none', null, { route: route('e9'), title: 'Email 9', place: null });
  expect(shown()).toEqual(['Email 0', 0]);
});

it('[promise] leads back to the list that the profile was opened from, while that is open', () => {
  const list = openTab({ screen: 'activity' });
  openTab(route('e1'), { title: 'Email 1' });
  const opened = { source: { ...source, tabId: list }, index: 1 };
  expect(goToList(opened)).toBe(true);
  expect(activeTab()?.id).toBe(list);
  closeTab(list);
  expect([goToList(opened), goToList(place(1)), goToList(null)]).toEqual([false, false, false]);
});

it('returns to the tab that was left by going back to another one, once and while that is open', () => {
  const list = openTab({ screen: 'activity' });
  const email = openTab(route('e1'), { title: 'Email 1' });
  expect(forwardToTab()).toBe(false);
  goToList({ source: { ...source, tabId: list }, index: 1 });
  expect([forwardToTab(), activeTab()?.id]).toEqual([true, email]);
  expect(forwardToTab()).toBe(false);
  backToTab(() => openTab({ screen: 'activity' }));
  expect(activeTab()?.id).toBe(list);
  closeTab(email);
  expect([forwardToTab(), activeTab()?.id]).toEqual([false, list]);
});
