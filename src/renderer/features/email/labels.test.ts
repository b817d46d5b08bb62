import { expect, test } from 'vitest';
import { isCounted, noClicks } from './labels.ts';

const links = (...states: (string | null)[]) =>
  states.map((status) => ({ url: 'https://a.example/', status }));
const REPLACED = 'link_replaced';
const NOT = 'no_link_replaced';

test.each([
  [
    'nothing counts',
    { rows: [], counted: false },
    { links: links(REPLACED) },
    'Clicks are not counted',
    false,
  ],
  ['no link', { rows: [] }, { links: [] }, 'No clicks recorded', false],
  ['links are not known', { rows: [] }, undefined, 'No clicks recorded', false],
  ['no link is replaced', { rows: [] }, { links: links(NOT, null) }, 'No clicks recorded', false],
  ['a link is replaced', { rows: [] }, { links: links(REPLACED, NOT) }, 'No clicks', true],
  ['all are', { rows: [] }, { links: links(null), link_replacement: 'links_replaced' }, 'No clicks', true],
])('%s', (_, clicks, profile, title, known) => {
  expect(noClicks(clicks, profile)).toMatchObject({ title, known });
});

test('says which clicks nobody sees', () => {
  expect(noClicks({ rows: [] }, { links: links(REPLACED, REPLACED, NOT) }).reason).toBe(
    'Click-time protection counted 0 clicks on 2 replaced links. Clicks on the other 1 are not seen.',
  );
});

test('a link that was not replaced has no count of clicks', () => {
  expect(isCounted(REPLACED, null, { rows: [] })).toBe(true);
  expect(isCounted(null, 'links_replaced', { rows: [] })).toBe(true);
  expect(isCounted(NOT, 'links_replaced', { rows: [] })).toBe(false);
  expect(isCounted(null, null, { rows: [] })).toBe(false);
  expect(isCounted(REPLACED, null, { rows: [], counted: false })).toBe(false);
  expect(isCounted(REPLACED, null, undefined)).toBe(false);
});
