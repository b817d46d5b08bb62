import { expect, test } from 'vitest';
import type { Recipient } from '#shared/model/entities.ts';
import { extractedWords, isCounted, noBody, noClicks, recipientPlace } from './labels.ts';

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
])('%s', (_, clicks, profile, title, isKnown) => {
  expect(noClicks(clicks, profile)).toMatchObject({ title, isKnown });
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

test.each([
  [10, false, 'No text part: this text was extracted from the HTML.'],
  [10, true, 'Text extracted from the HTML; the email’s own text part is under Text.'],
  [
    9_000_000,
    false,
    'No text part: this text was extracted from the HTML. Only the first 8,388,608 of 9,000,000 characters were read.',
  ],
])(
  '[promise] a text taken from HTML of %i characters says which part it is',
  (characters, hasText, words) => {
    expect(extractedWords(characters, hasText)).toBe(words);
  },
);

test('a copy waiting for release says so, however the service names its folder', () => {
  const copy = { email: 'a@house.example', kind: 'to', name: null, is_read: true };
  expect(recipientPlace({ ...copy, folder: 'Restore asked' } as Recipient)).toBe('Release requested, read');
  expect(recipientPlace({ ...copy, folder: 'Inbox' } as Recipient)).toBe('Inbox, read');
});

test.each([
  ['the service sent an empty text', {}, { text: '' }, 'No body'],
  ['the service sent neither part', {}, { html: null, text: null }, 'Body not provided'],
  ['the service sent neither field', undefined, {}, 'Body not provided'],
  ['evidence has no such part', { provenance: {} }, { html: null, text: null }, 'No body'],
  ['the email is encrypted', { encryption_status: 'smime' }, { html: null, text: null }, 'Encrypted'],
])('no body is shown: %s', (_, profile, body, title) => {
  expect(noBody(profile as Parameters<typeof noBody>[0], body).title).toBe(title);
});
