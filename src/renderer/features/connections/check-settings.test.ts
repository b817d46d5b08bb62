import { describe, expect, it } from 'vitest';
import { missingCredential, sameAddress, urlProblem } from './check-settings.ts';

describe('urlProblem', () => {
  it.each([
    ['https://tenant.example', null],
    ['https://tenant.example:8443/base', null],
    ['http://127.0.0.1:4000', null],
    ['http://[::1]:4000', null],
    ['http://tenant.example', 'The address must start with https://.'],
    ['https://user:secret@tenant.example', 'Enter the credential in its own field, not in the address.'],
    ['file:///etc/passwd', 'The address must start with https://.'],
    ['tenant.example', 'This is not a valid address.'],
    ['https://', 'Enter an address.'],
    [null, 'Enter an address.'],
  ])('%j: %j', (url, expected) => expect(urlProblem(url)).toBe(expected));
});

describe('sameAddress', () => {
  it.each([
    ['https://a.example', 'https://a.example/api/v1/', true],
    ['https://a.example/x/', 'https://A.example/x', true],
    ['https://a.example', 'https://a.example:444', false],
    ['https://a.example/x', 'https://a.example/y', false],
    ['https://a.example', 'https://', false],
  ])('%s and %s: %s', (a, b, expected) => expect(sameAddress(a, b)).toBe(expected));
});

describe('missingCredential', () => {
  const connection = { url: 'https://a.example/x', hasCredential: true };
  it.each([
    ['the same server', connection, 'https://a.example', '', false],
    ['another server', connection, 'https://b.example', '', true],
    ['another port', connection, 'https://a.example:444', '', true],
    ['blanks are no credential', connection, 'https://b.example', '  ', true],
    ['a new credential', connection, 'https://b.example', 'token', false],
    ['none was saved', { ...connection, hasCredential: false }, 'https://b.example', '', false],
    ['a new connection', null, 'https://b.example', '', false],
  ])('%s', (_, before, url, credential, missing) =>
    expect(missingCredential(before, url, credential) !== null).toBe(missing),
  );
});
