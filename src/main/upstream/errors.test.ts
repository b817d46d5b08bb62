import { expect, test } from 'vitest';
import { NoConnection } from './agent.ts';
import { transportError } from './errors.ts';

const failed = (code: string, message = 'in the words of OpenSSL') =>
  new NoConnection(Object.assign(new Error(message), { code }));

test.each([
  [
    'UNSPECIFIED',
    'EE certificate key too weak',
    /not accepted \(EE certificate key too weak\), so nothing was sent/,
  ],
  ['INVALID_PURPOSE', 'unsuitable certificate purpose', /not accepted \(unsuitable certificate purpose\)/],
  ['PATH_LENGTH_EXCEEDED', 'path length constraint exceeded', /not accepted \(path length/],
  ['CERT_REVOKED', 'certificate revoked', /not accepted \(certificate revoked\)/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', '', /does not send the intermediate certificate/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', '', /only clients with a certificate of their own/],
  ['ERR_SSL_SOMETHING_NEW', '', /No safe connection .* \(ERR_SSL_SOMETHING_NEW\), so nothing was sent/],
])(
  '[bad input] a certificate refused for %s is not reported as an unreachable service',
  (code, message, words) => {
    expect(transportError(failed(code, message), 'apps.list', false)).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(words),
      data: { reason: code },
    });
  },
);

test('the advice to name an authority is left out if one is named already', () => {
  const message = (hasAuthority: boolean) =>
    transportError(failed('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'apps.list', false, {
      proxy: null,
      hasAuthority,
    }).message;
  expect(message(false)).toMatch(/If it is your own authority, add its certificate/);
  expect(message(true)).toMatch(
    /nor from the one in the connection settings.*certificate of the root authority/,
  );
});

test('a TLS failure after the connection was made does not say that nothing was sent', () => {
  const error = Object.assign(new Error(), { code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' });
  expect(transportError(error, 'email.report', false)).toMatchObject({
    code: 'unreachable',
    retryable: true,
  });
  expect(transportError(error, 'email.report', true)).toMatchObject({ code: 'truncated' });
});

test.each([
  ['UND_ERR_HEADERS_TIMEOUT', false],
  ['UND_ERR_SOCKET', false],
  ['Z_DATA_ERROR', false],
  ['ECONNRESET', true],
])(
  '[bad input] a change without a response (%s, started: %s) is not to be simply tried again',
  (code, started) => {
    const message = (endpoint: string) =>
      transportError(Object.assign(new Error(), { code }), endpoint, started).message;
    expect(message('query.save')).toMatch(
      /It is unknown whether this was done: check before you try again\.$/,
    );
    expect(message('query.list')).toMatch(/Try again/);
  },
);
