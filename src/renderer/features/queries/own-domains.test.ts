import { expect, test } from 'vitest';
import { domainsOf } from './own-domains.ts';

test('own domains are those of a fifth of the users; guests are not', () => {
  const users = [
    ...Array.from({ length: 6 }, (_, at) => `u${at}@Own.example`),
    ...Array.from({ length: 3 }, (_, at) => `u${at}@second.example`),
    'guest@elsewhere.example',
  ];
  expect(domainsOf(users)).toEqual(new Set(['own.example', 'second.example']));
  expect(domainsOf([])).toEqual(new Set());
  expect(domainsOf(['nobody', '@none'])).toEqual(new Set());
});
