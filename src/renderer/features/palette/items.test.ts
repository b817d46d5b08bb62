import { expect, it } from 'vitest';
import { matching, type PaletteItem } from './items.tsx';

const item = (text: string, detail = ''): PaletteItem =>
  ({ id: text, text, detail, run: () => undefined }) as never;
const texts = (items: readonly PaletteItem[]) => items.map(({ text }) => text);

it.each([
  ['istanbul', 'İSTANBUL sign-ins'],
  ['muller', 'Müller and partners'],
  ['STRASSE', 'Straße 7'],
])('%s finds %s: texts are compared as everywhere', (typed, wanted) => {
  expect(texts(matching([item('Other'), item(wanted)], typed, 9))).toEqual([wanted]);
});

it('every word is found, in text or detail; what begins with the first comes first', () => {
  const items = [
    item('Daily phishing', 'email query'),
    item('Phishing, daily', 'email query'),
    item('Daily'),
  ];
  expect(texts(matching(items, 'phish daily', 9))).toEqual(['Phishing, daily', 'Daily phishing']);
  expect(texts(matching(items, 'daily', 1))).toHaveLength(1);
});
