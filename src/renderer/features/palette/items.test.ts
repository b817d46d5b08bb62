import { expect, it } from 'vitest';
import { matching, type PaletteItem, placeItems } from './items.tsx';

const item = (text: string, detail = ''): PaletteItem =>
  ({ id: text, text, detail, run: () => undefined }) as never;
const texts = (items: readonly PaletteItem[]) => items.map(({ text }) => text);

it.each([
  ['istanbul', 'İSTANBUL sign-ins'],
  ['muller', 'Müller and partners'],
  ['STRASSE', 'Straße 7'],
])('%s finds %s: texts are compared as everywhere', (typed, expected) => {
  expect(texts(matching([item('Other'), item(expected)], typed, 9))).toEqual([expected]);
});

it('items match every word, in text or detail; those that start with the first word come first', () => {
  const items = [
    item('Daily phishing', 'email query'),
    item('Phishing, daily', 'email query'),
    item('Daily'),
  ];
  expect(texts(matching(items, 'phish daily', 9))).toEqual(['Phishing, daily', 'Daily phishing']);
  expect(texts(matching(items, 'daily', 1))).toHaveLength(1);
});

const places = placeItems({
  tabs: [
    {
      id: 't1',
      route: { screen: 'file', saas: 's', entityId: 'f' },
      title: 'Budget.xlsx',
      connectionId: null,
    },
    { id: 't2', route: { screen: 'home' }, title: 'Home', connectionId: null },
  ],
  queries: [],
  connections: [],
  activeConnection: null,
});
it.each([
  ['exceptions', 'Exceptions'],
  ['blocklist', 'Exceptions'],
  ['login map', 'Login map'],
  ['heat map', 'Login map'],
  ['active users', 'Login map'],
  ['catalogue', 'Security stack'],
  ['policies', 'Security stack'],
  ['allow list', 'Exceptions'],
  ['block list', 'Exceptions'],
  ['sign-ins', 'Login map'],
  ['audit', 'Activity'],
  ['passphrase', 'Settings'],
  ['budget', 'Budget.xlsx'],
])('[promise] every screen and tab is found: %s is %s', (typed, expected) =>
  expect(texts(matching(places, typed, 9))).toContain(expected),
);
it('a screen that exists once is listed once', () =>
  expect(texts(matching(places, 'home', 9))).toEqual(['Home']));
