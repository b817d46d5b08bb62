/** Messages for errors between Parapet and a service: what happened, why, what to do next. */
import { endpointOf, isEndpointName } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { MOST_LEVELS } from '#shared/model/json-depth.ts';
import type { HttpProxy } from '../kernel/ports.ts';
import { NoConnection } from './agent.ts';
import { TunnelError } from './tunnel.ts';

const SERVICE_TEXT_MAX = 200;

/** A service's text on one line, without control, format and private-use characters, truncated. */
export function cleanText(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > SERVICE_TEXT_MAX ? `${line.slice(0, SERVICE_TEXT_MAX)}…` : line;
}

/** The first error message in a body: in one of the usual fields, in an object, or the first of a list. */
export function reasonIn(value: unknown, levels: number): string | null {
  if (typeof value === 'string') return cleanText(value) || null;
  if (typeof value !== 'object' || value === null || levels === 0) return null;
  if (Array.isArray(value)) return reasonIn(value[0], levels - 1);
  const named = new Map(Object.entries(value));
  for (const name of ['error', 'message', 'detail', 'msg', 'title', 'errors']) {
    const reason = reasonIn(named.get(name), levels - 1);
    if (reason !== null) return reason;
  }
  return null;
}

interface StatusFacts {
  endpoint: string;
  status: number;
  /** The service's own message, cleaned, or null if it has nothing usable. */
  message: string | null;
  /** The request field that the service refused, or null if it named none. */
  field: string | null;
  retryAfterMs: number | null;
  /** The title of the response if it is a web page, or null if it is not one. */
  page: string | null;
  hasCredential: boolean;
}

export function statusError({
  endpoint,
  status,
  message: serviceMessage,
  field,
  retryAfterMs,
  page,
  hasCredential,
}: StatusFacts): ParapetError {
  const quoted =
    page === null
      ? serviceMessage === null
        ? ''
        : ` The service says: “${serviceMessage}”.`
      : pageWords(page);
  const data = {
    endpoint,
    status,
    ...(serviceMessage === null ? {} : { serviceMessage }),
    ...(field === null ? {} : { field }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
  const make = (code: ParapetError['code'], message: string, retryable = false) =>
    new ParapetError(code, message + quoted, { retryable, data });
  if (status === 401)
    return make(
      'unauthorized',
      hasCredential
        ? 'The service did not accept the credential. It may be wrong or have expired: enter it again in the connection settings.'
        : 'The service requires a credential, and this connection has none. Enter one in the connection settings.',
    );
  if (status === 403)
    return make(
      'forbidden',
      page === null
        ? 'This credential is not allowed to do that. Ask an administrator of the tenant for the role it needs.'
        : 'Access was refused (HTTP 403), by the service or before the request reached it. Ask whoever runs the service whether this credential and this network are allowed.',
    );
  if (status === 404 || status === 410)
    return make(
      'not-found',
      page === null
        ? 'The service does not have what was requested. It may have been removed.'
        : 'What was requested was not found. Check the address of the connection.',
    );
  if (status === 413)
    return make(
      'bad-request',
      'The request is larger than the service, or a server in front of it, accepts (HTTP 413). Send less at a time.',
    );
  if (status === 414 || status === 431)
    return make(
      'bad-request',
      `The address of the request is longer than the service, or a server in front of it, accepts (HTTP ${status}). Ask for less at a time.`,
    );
  if (status === 409)
    return make(
      'conflict',
      'The service refused this, because it does not fit what the service has now. Somebody else may have changed it: load it again, then repeat the change.',
    );
  if (status === 429) {
    const wait =
      retryAfterMs === null ? 'Wait a moment' : `Wait ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`;
    return make('rate-limited', `The service gets too many requests. ${wait} and try again.`, true);
  }
  if (status === 511)
    return make(
      'unreachable',
      'This network requires a sign-in (HTTP 511). Open any web page in a browser, sign in there, and try again.',
      true,
    );
  if (status === 501) return make('not-implemented', `The service does not offer ${endpoint}.`);
  if (status >= 500)
    return make(
      'server-error',
      `The service failed (HTTP ${status}). The fault is not on your side: try again, and report it if it keeps failing.`,
      true,
    );
  return make('bad-request', `The service refused the request (HTTP ${status}).`);
}

/** Services answer in JSON, so a web page probably comes from a proxy or gateway. */
const pageWords = (title: string): string => {
  const cleaned = cleanText(title);
  return ` The answer is a web page${cleaned === '' ? '' : ` (“${cleaned}”)`}, so it may come from a proxy or another server on the way.`;
};

const codesOf = (error: unknown): string[] => {
  const codes: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') codes.push(cause.code);
    if (cause instanceof AggregateError) for (const inner of cause.errors) codes.push(...codesOf(inner));
    if (cause.name === 'AbortError') codes.push('ABORT_ERR');
  }
  return codes;
};

/** Errors of undici's parser always have a name, but not always a code. */
const isNoHttp = (error: unknown): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.name === 'HTTPParserError') return true;
  return false;
};

/** What to do next when no response arrived. A change may have been made, so it must not simply be sent again. */
const tryAgain = (endpoint: string, advice: string): string =>
  isEndpointName(endpoint) && endpointOf(endpoint).effect === 'write'
    ? 'It is unknown whether this was done: check before you try again.'
    : advice;

const TLS =
  /^(CERT_|CRL_|ERR_TLS_|ERR_SSL_|ERR_OSSL|ERROR_IN_CERT|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH|UNSPECIFIED)/;

/** The route to the service. */
interface Way {
  proxy: HttpProxy | null;
  /** The settings or the policy name an authority that is trusted in addition. */
  hasAuthority: boolean;
}
const DIRECT: Way = { proxy: null, hasAuthority: false };

/** A transport error, before or after the response `started` to arrive. */
export function transportError(
  error: unknown,
  endpoint: string,
  started: boolean,
  way = DIRECT,
): ParapetError {
  if (error instanceof ParapetError) return error;
  if (error instanceof TunnelError) return tunnelError(error, endpoint);
  const codes = codesOf(error);
  const has = (...list: string[]) => list.some((code) => codes.includes(code));
  const reason = codes[0] ?? 'unknown';
  const options = { cause: error, data: { endpoint, reason } };
  if (has('ABORT_ERR', 'UND_ERR_ABORTED')) return new ParapetError('cancelled', 'Cancelled.', options);
  const tls = codes.find((code) => TLS.test(code));
  // With TLS 1.3 a server refuses a missing client certificate only after the connection was made.
  if (tls !== undefined && (error instanceof NoConnection || /CERTIFICATE_REQUIRED/.test(tls)))
    return new ParapetError('tls', tlsMessage(tls, error, way), {
      cause: error,
      data: { endpoint, reason: tls },
    });
  if (tls !== undefined && !started)
    return new ParapetError(
      'unreachable',
      `The encrypted connection to the service was damaged on the way before its answer arrived. ${tryAgain(endpoint, 'Try again; if it keeps happening, something on the network interferes with it.')}`,
      { ...options, retryable: true },
    );
  if (has('EAI_AGAIN')) return unanswered(endpoint, error);
  if (has('UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'))
    return new ParapetError(
      'unreachable',
      'The service does not answer: no connection was made in time. Check the address, the network and any VPN.',
      { ...options, retryable: true },
    );
  if (has('UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT')) return tooSlow(endpoint, error, reason);
  if (has('UND_ERR_HEADERS_OVERFLOW'))
    return new ParapetError(
      'too-large',
      'The headers of the response are larger than Parapet accepts. Ask whoever runs the service to shorten them.',
      options,
    );
  if (has('UND_ERR_RES_EXCEEDED_MAX_SIZE')) return tooLarge(endpoint);
  if (has('Z_DATA_ERROR'))
    return new ParapetError(
      'truncated',
      `The response of the service arrived damaged: it could not be unpacked. ${tryAgain(endpoint, 'Try again.')}`,
      { ...options, retryable: true },
    );
  if (started || has('UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'Z_BUF_ERROR')) return truncated(endpoint, error);
  if (isNoHttp(error))
    return new ParapetError(
      'not-json',
      'What answers at this address does not follow HTTP. Check the address and its port.',
      options,
    );
  if (!(error instanceof NoConnection) && has('UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'))
    return new ParapetError(
      'unreachable',
      `The service closed the connection without an answer. It may be restarting, or accept only clients with a certificate of their own. ${tryAgain(endpoint, 'Try again, and ask its operator if it keeps happening.')}`,
      { ...options, retryable: true },
    );
  if (has('ENOTFOUND', 'EAI_NODATA', 'EAI_NONAME'))
    return new ParapetError(
      'unreachable',
      'The name of the service could not be found. Check the address, the network and any VPN.',
      { ...options, retryable: true },
    );
  return new ParapetError(
    'unreachable',
    'The service cannot be reached. Check the address, the network and any VPN.',
    { ...options, retryable: true },
  );
}

/** The refusal of a proxy, or why there was no response. Proxies are named without their credentials. */
function tunnelError({ proxy, target, status, schemes, cause }: TunnelError, endpoint: string): ParapetError {
  const { name, variable } = proxy;
  const named = variable ?? 'the proxy settings of this system';
  const codes = codesOf(cause);
  const tls = codes.find((code) => TLS.test(code));
  const data = {
    endpoint,
    proxy: name,
    reason: tls ?? codes[0] ?? 'proxy',
    ...(status === null ? {} : { status }),
  };
  const refused = (message: string) => new ParapetError('proxy', message, { cause, data });
  const silent = (message: string) =>
    new ParapetError('unreachable', message, { retryable: true, cause, data });

  if (proxy.kind === 'unsupported')
    return refused(
      variable === null
        ? `The proxy settings of this system lead to the service through ${name}. Parapet can only use HTTP proxies, so nothing was sent. Set HTTPS_PROXY to an HTTP proxy and start Parapet again.`
        : `${variable} does not name an HTTP proxy, so nothing was sent. Write it like http://proxy.example:3128 and start Parapet again.`,
    );
  if (status === 407) {
    const writing = `Set HTTPS_PROXY to ${proxy.kind}://USER:PASSWORD@${name} and start Parapet again.`;
    if (schemes.length > 0 && !schemes.includes('basic'))
      return refused(
        `The proxy ${name} accepts only a sign-in that Parapet does not have (${cleanText(schemes.join(', '))}), so nothing was sent. Ask your network team for a proxy with a user name and password (Basic), or for one that lets the service through without them.`,
      );
    return refused(
      proxy.authorization === null
        ? `The proxy ${name} requires a user name and password, so nothing was sent. ${writing}`
        : `The proxy ${name} did not accept the user name and password in ${named}, so nothing was sent. ${writing}`,
    );
  }
  if (status !== null && status >= 500)
    return silent(
      `The proxy ${name} could not reach ${target} (HTTP ${status}). Check the address of the service; if it is right, ask your network team whether the proxy lets it through.`,
    );
  if (status === 401 || status === 403)
    return refused(
      `The proxy ${name} does not allow connections to ${target} (HTTP ${status}), so nothing was sent. Ask your network team to allow them.`,
    );
  if (status !== null)
    return refused(
      `The proxy ${name} opened no connection to ${target} (HTTP ${status}), so nothing was sent. Check ${named}; if the proxy is the right one, ask your network team to allow the connection.`,
    );
  if (tls !== undefined)
    return new ParapetError(
      'tls',
      `No safe connection to the proxy ${name} could be made (${tls}), so nothing was sent. Check ${named}: the proxy must be one that is reached by https, with a valid certificate of an authority that this machine trusts.${/EXPIRED|NOT_YET_VALID/.test(tls) ? ' Check the clock of this machine, too.' : ''}`,
      { cause, data },
    );
  if (codes.some((code) => code.startsWith('HPE_')))
    return refused(`What answers at ${name} is not an HTTP proxy, so nothing was sent. Check ${named}.`);
  if (codes.some((code) => /^(ENOTFOUND|EAI_)/.test(code)))
    return silent(
      `The name of the proxy ${name} could not be found, so nothing was sent. Check ${named}, the network and any VPN.`,
    );
  return silent(
    `The proxy ${name} cannot be reached, so nothing was sent. Check ${named}, the network and any VPN.`,
  );
}

function tlsMessage(code: string, error: unknown, { proxy, hasAuthority }: Way): string {
  if (code === 'CERT_HAS_EXPIRED')
    return "The service's certificate has expired, so nothing was sent. Its operator has to renew it. If it should be valid, check the clock of this machine.";
  if (code === 'CERT_NOT_YET_VALID')
    return "The service's certificate is not valid yet, so nothing was sent. Check the clock of this machine; if it is right, the operator of the service has to correct the certificate.";
  if (code === 'CERT_NO_ALTNAME')
    return "The service's certificate names no host as a subject alternative name, so nothing was sent; a common name (CN) does not count. Its operator has to renew it with the name of the service.";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return "The service's certificate is for another name, so nothing was sent. Check the address.";
  if (/SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_/.test(code)) {
    if (proxy !== null)
      return `The certificate that came through the proxy ${proxy.name} is not from an authority that this machine trusts, so nothing was sent. If the proxy inspects encrypted traffic, have your company's authority installed on this machine and start Parapet again, or add it in the connection settings.`;
    const untrusted = hasAuthority
      ? "The service's certificate is neither from an authority that this machine trusts nor from the one in the connection settings or the policy, so nothing was sent. What belongs there is the certificate of the root authority, not that of the service or of an authority between them."
      : "The service's certificate is not from an authority that this machine trusts, so nothing was sent. If it is your own authority, add its certificate in the connection settings.";
    return code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
      ? `${untrusted} If the authority is right, the service does not send the intermediate certificate: its operator has to add it, even if browsers find it by themselves.`
      : untrusted;
  }
  if (/CERTIFICATE_REQUIRED/.test(code))
    return 'The service accepts only clients with a certificate of their own, which Parapet cannot present. Ask its operator for a way in with a credential alone.';
  if (/HANDSHAKE_FAILURE|BAD_CERTIFICATE/.test(code))
    return 'The service refused the encrypted connection, so nothing was sent. It may accept only clients with a certificate of their own, which Parapet cannot present, or only outdated encryption. Ask its operator.';
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(code))
    return 'The service offers only versions of TLS before 1.2, which are not safe, so nothing was sent. Its operator has to allow TLS 1.2 or 1.3.';
  if (/NO_APPLICATION_PROTOCOL/.test(code))
    return 'The service accepts only HTTP/2, and Parapet speaks HTTP/1.1, so nothing was sent. Its operator has to allow HTTP/1.1.';
  if (/WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH/.test(code))
    return 'What answers at this address does not use encryption (TLS), so nothing was sent. Check the address and its port; if they are right, something on the way may be intercepting the connection.';
  if (!/^(ERR_|EPROTO)/.test(code))
    return `The service's certificate was not accepted (${reasonOf(code, error)}), so nothing was sent. Its operator has to renew it.`;
  return `No safe connection to the service could be made (${code}), so nothing was sent. Something on the way may be intercepting it.`;
}

/** OpenSSL's message about a certificate, which can be more specific than the code. */
function reasonOf(code: string, error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === code && !(cause instanceof NoConnection))
      return cleanText(cause.message);
  return code;
}

export const tooLarge = (endpoint: string, limit?: number) =>
  new ParapetError(
    'too-large',
    'The response of the service is larger than Parapet accepts. Narrow the query and try again.',
    { data: { endpoint, ...(limit === undefined ? {} : { limit }) } },
  );

export const tooSlow = (endpoint: string, cause: unknown, reason = 'deadline') =>
  new ParapetError(
    'timeout',
    `The service took too long to answer. ${tryAgain(endpoint, 'Try again, or narrow the query.')}`,
    { retryable: true, cause, data: { endpoint, reason } },
  );

/** No name server answered, or none could: whether the name exists is unknown. */
export const unanswered = (endpoint: string, cause: unknown) =>
  new ParapetError(
    'unreachable',
    'The name of the service could not be looked up: no name server (DNS) gave an answer. Check the network and any VPN, and try again.',
    { retryable: true, cause, data: { endpoint, reason: 'EAI_AGAIN' } },
  );

export const truncated = (endpoint: string, cause?: unknown) =>
  new ParapetError(
    'truncated',
    `The response of the service broke off before its end. ${tryAgain(endpoint, 'Try again.')}`,
    { retryable: true, cause, data: { endpoint } },
  );

export const notJson = (endpoint: string, html: boolean) =>
  new ParapetError(
    'not-json',
    html
      ? 'The response did not come from the service: it is a web page, perhaps a sign-in page or a proxy. Check the address and whether this network requires a sign-in.'
      : 'The response of the service is not JSON. Check that the address is that of the service.',
    { data: { endpoint, html } },
  );

export const noText = (endpoint: string) =>
  new ParapetError(
    'not-json',
    'The response of the service is empty. Try again; if it keeps happening, tell whoever runs the service.',
    { data: { endpoint, html: false } },
  );

/** Parapet requests only gzip. */
export const foreignCompression = (endpoint: string, encoding: string) =>
  new ParapetError(
    'not-json',
    `The response is compressed as “${cleanText(encoding)}”, which Parapet did not ask for and cannot read. A server in front of the service is set up wrongly: tell whoever runs it.`,
    { data: { endpoint, html: false } },
  );

export const noContent = (endpoint: string) =>
  new ParapetError('not-found', 'The service answered without content: it has nothing for this request.', {
    data: { endpoint, status: 204 },
  });

/** The request was accepted, but the response lacks the requested content. */
export const notReady = (endpoint: string) =>
  new ParapetError(
    'wrong-shape',
    'The service answered without the file. It may still be making it: try again later. Nothing was saved.',
    { retryable: true, data: { endpoint } },
  );

export const tooDeep = (endpoint: string) =>
  new ParapetError(
    'wrong-shape',
    `The response of the service to ${endpoint} is nested more than ${MOST_LEVELS} levels deep, which no response should be. Nothing of it was read. If it keeps happening, tell whoever runs the service.`,
    { data: { endpoint, field: '(the whole answer)' } },
  );

export const tooManyFields = (endpoint: string) =>
  new ParapetError(
    'wrong-shape',
    `The response of the service to ${endpoint} has more fields in one entry than any response should have. Nothing of it was read. If it keeps happening, tell whoever runs the service.`,
    { data: { endpoint, field: '(the whole answer)' } },
  );

export const wrongShape = (endpoint: string, field: string, problem: string) =>
  new ParapetError(
    'wrong-shape',
    `The response of the service to ${endpoint} has an unexpected value at “${cleanText(field)}”. ${cleanText(problem)}. The service may be of another version.`,
    { data: { endpoint, field } },
  );

/** The service answered with something of another id than the one requested. */
export const otherThanAsked = (endpoint: string, expected: string, answered: string) =>
  new ParapetError(
    'wrong-shape',
    `The service was asked for “${cleanText(expected)}” and answered with “${cleanText(answered)}”, which is not shown in its place. Try again, and report it to whoever runs the service if it stays so.`,
    { retryable: true, data: { endpoint, answered } },
  );

/** A read whose response has a success status and an error message. */
export const failureReported = (endpoint: string, reason: string | null) =>
  new ParapetError(
    'server-error',
    `The service answered, and says that this could not be read.${reason === null ? '' : ` It says: “${reason}”.`}`,
    { retryable: true, data: { endpoint, ...(reason === null ? {} : { serviceMessage: reason }) } },
  );

export const savedWithoutId = (endpoint: string) =>
  new ParapetError(
    'wrong-shape',
    'The service accepted the query without saying under which id it is saved. Look for it in the library before you save it again.',
    { data: { endpoint, field: 'id' } },
  );

export const redirected = (endpoint: string, status: number, to: string | null) =>
  new ParapetError(
    'redirected',
    to === null
      ? 'The service keeps redirecting without an answer. Check the address.'
      : `The service redirected Parapet elsewhere (${cleanText(to)}). The redirect was not followed, so that the credential stays here. If that is the right place, change the address of the connection.`,
    { data: { endpoint, status, ...(to === null ? {} : { to: cleanText(to) }) } },
  );
