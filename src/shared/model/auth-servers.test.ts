import { expect, test } from 'vitest';
import { authServersOf, authServersProblem, MAX_AUTH_SERVERS } from './auth-servers.ts';

test('names are compared in lower case, distinct and trimmed', () => {
  expect(authServersOf([' MX.Example.COM. ', '', 'mx.example.com', 'gateway'])).toEqual([
    'mx.example.com',
    'gateway',
  ]);
});

test.each([
  ['none', [], true],
  ['a host', ['mx.example.com'], true],
  ['one word', ['protection-7'], true],
  ['an underscore', ['mx_1.example.com'], true],
  ['a space', ['mx example'], false],
  ['a URL', ['https://mx.example.com'], false],
  ['an address', ['a@mx.example.com'], false],
  ['a semicolon', ['mx.example.com; spf=pass'], false],
  ['a dot in front', ['.example.com'], false],
  ['a wildcard', ['*.example.com'], false],
  ['255 characters', ['a'.repeat(255)], true],
  ['256', ['a'.repeat(256)], false],
  ['as many as there may be', Array.from({ length: MAX_AUTH_SERVERS }, (_, index) => `mx${index}`), true],
  ['one more', Array.from({ length: MAX_AUTH_SERVERS + 1 }, (_, index) => `mx${index}`), false],
])('%s', (_, names, fits) => {
  expect(authServersProblem(names) === null).toBe(fits);
});
