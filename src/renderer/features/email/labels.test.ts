import { expect, test } from 'vitest';
import { EARLIEST } from '#shared/model/constants.ts';
import type { Recipient } from '#shared/model/entities.ts';
import { dateDoubt, extractedWords, isCounted, noClicks, recipientPlace } from './labels.ts';

const links = (...states: (string | null)[]) =>
  states.map((status) => ({ url: 'https://a.example/', status }));
const REPLACED = 'link_replaced';
const NOT = 'no_link_replaced';

test.each([
  [
    'nothing counts',
    { rows: [], counted: false },
    { links: links(REPLACED) },
    'Clicks are not tracked',
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

test('says which clicks are not tracked', () => {
  expect(noClicks({ rows: [] }, { links: links(REPLACED, REPLACED, NOT) }).reason).toBe(
    'Click-time protection recorded 0 clicks on 2 replaced links. Clicks on the other 1 are not tracked.',
  );
});

test('a link that was not replaced has no click count', () => {
  expect(isCounted(REPLACED, null, { rows: [] })).toBe(true);
  expect(isCounted(null, 'links_replaced', { rows: [] })).toBe(true);
  expect(isCounted(NOT, 'links_replaced', { rows: [] })).toBe(false);
  expect(isCounted(null, null, { rows: [] })).toBe(false);
  expect(isCounted(REPLACED, null, { rows: [], counted: false })).toBe(false);
  // Clicks on the link may be among those that the service counts but does not list.
  expect(isCounted(REPLACED, null, { rows: [], total_rows: 1 })).toBe(false);
  expect(isCounted(REPLACED, null, undefined)).toBe(false);
});

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 19);

test.each([
  ['just now', NOW, NOW, null],
  ['the end of 1969', -1, null, /too far in the past/],
  ['the epoch itself', 0, NOW, /too far in the past/],
  ['a moment too early', EARLIEST - 1, null, /too far in the past/],
  ['early enough', EARLIEST, null, null],
  ['a day ahead', NOW + DAY, null, null],
  ['more than that', NOW + DAY + 1, null, /ahead of this machine’s clock, unless that is wrong/],
  ['three days after it came', NOW - 5 * DAY, NOW - 8 * DAY, null],
  ['more than that', NOW - 5 * DAY + 1, NOW - 8 * DAY, /3 days after receipt/],
  ['years before it came', NOW - 900 * DAY, NOW, null],
])('%s', (_, time, received, doubt) => {
  if (doubt === null) expect(dateDoubt(time, received, NOW)).toBeNull();
  else expect(dateDoubt(time, received, NOW)).toMatch(doubt);
});

test.each([
  [10, false, 'No text part: this text was extracted from the HTML.'],
  [10, true, 'Text extracted from the HTML; the email’s own text part is under Text.'],
  [
    9_000_000,
    false,
    'No text part: this text was extracted from the HTML. Only the first 8,388,608 of 9,000,000 characters were read.',
  ],
])('a text taken from HTML of %i characters says which part it is', (characters, hasText, words) => {
  expect(extractedWords(characters, hasText)).toBe(words);
});

test('a copy waiting for release says so, however the service names its folder', () => {
  const copy = { email: 'a@house.example', kind: 'to', name: null, is_read: true };
  expect(recipientPlace({ ...copy, folder: 'Restore asked' } as Recipient)).toBe('Release requested, read');
  expect(recipientPlace({ ...copy, folder: 'Inbox' } as Recipient)).toBe('Inbox, read');
});
