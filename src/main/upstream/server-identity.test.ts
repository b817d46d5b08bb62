import type { PeerCertificate } from 'node:tls';
import { expect, test } from 'vitest';
import { checkAlternativeNames } from './server-identity.ts';

test.each([
  ['DNS:host.example', undefined],
  ['email:a@host.example, DNS:host.example', undefined],
  ['DNS:other.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['IP Address:192.0.2.1', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['email:a@host.example', 'CERT_NO_ALTNAME'],
  ['URI:https://host.example/', 'CERT_NO_ALTNAME'],
  ['DirName:CN = host.example', 'CERT_NO_ALTNAME'],
  ['email:"a, DNS:host.example"', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['', 'CERT_NO_ALTNAME'],
])('a certificate for CN=host.example with the alternative names %j: %s', (subjectaltname, code) => {
  const certificate = { subject: { CN: 'host.example' }, subjectaltname } as unknown as PeerCertificate;
  const error = checkAlternativeNames('host.example', certificate);
  expect(error === undefined ? undefined : 'code' in error && error.code).toBe(code);
});
