import { expect, test } from 'vitest';
import { type DebugLink, linkList, linkSearch, linkVerdict } from './debug-links.ts';

const links: DebugLink[] = [
  {
    url: 'https://login.bad.example/a?n=1',
    host: 'login.bad.example',
    kind: 'href',
    status: 200,
    verdict: 'phishing',
  },
  {
    url: 'https://cdn.good.example/x.png',
    host: 'cdn.good.example',
    kind: 'image',
    status: 200,
    verdict: 'clean',
  },
  {
    url: 'https://go.bad.example/r',
    host: 'go.bad.example',
    kind: 'redirect',
    status: 302,
    verdict: 'Suspicious',
  },
  { url: 'https://unseen.example/', verdict: null },
];
const hitsOf = (text: string, notClean = false) =>
  linkSearch(links)({ text, notClean }).map((link) => links.indexOf(link));

test.each([
  ['', false, [0, 1, 2, 3]],
  ['', true, [0, 2, 3]],
  ['BAD.example', false, [0, 2]],
  ['bad[.]example hxxps://login', false, [0]],
  ['302 redirect', false, [2]],
  ['example clean', false, [1]],
  ['nowhere', false, []],
])('%j, not clean only: %s', (text, notClean, expected) => expect(hitsOf(text, notClean)).toEqual(expected));

test('an empty search returns the same array, so that nothing is rendered again', () => {
  expect(linkSearch(links)({ text: '  ', notClean: false })).toBe(links);
});

test('a link without a verdict is not clean, and an unknown word is kept as sent', () => {
  expect(links.map(linkVerdict)).toEqual(['found', 'clean', 'suspicious', 'not-scanned']);
  expect(linkVerdict({ verdict: 'weird' })).toBe('weird');
});

test('the list is defanged', () => {
  expect(linkList(links.slice(0, 1))).toBe('hxxps://login[.]bad[.]example/a?n=1');
});
