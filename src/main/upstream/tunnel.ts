/** A connection to a server through an HTTP proxy, by CONNECT (RFC 9110, 9.3.6). */
import { request } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, type SecureContext } from 'node:tls';
import type { HttpProxy } from '../kernel/ports.ts';
import type { Names } from './names.ts';
import { checkAlternativeNames } from './server-identity.ts';

/** The tunnel failed, so nothing was sent to the service. */
export class TunnelError extends Error {
  readonly proxy: HttpProxy;
  /** Host and port of the service. */
  readonly target: string;
  /** Status of the proxy's response, or null if there was none. */
  readonly status: number | null;
  /** Authentication schemes that the proxy offers, in lower case. */
  readonly schemes: readonly string[];

  constructor(
    proxy: HttpProxy,
    target: string,
    status: number | null,
    schemes: readonly string[] = [],
    cause?: unknown,
  ) {
    super('no tunnel through the proxy', { cause });
    this.proxy = proxy;
    this.target = target;
    this.status = status;
    this.schemes = schemes;
  }
}

const schemesOf = (header: string | string[] | undefined): string[] =>
  [header ?? []].flat().flatMap((value) =>
    value
      .split(',')
      .map((part) => /^\s*([\w-]+)(?:\s|$)/.exec(part)?.[1]?.toLowerCase() ?? '')
      .filter(Boolean),
  );

/** A socket to `target` (host:port), before its TLS handshake. Rejects TunnelError. */
export function openTunnel(
  proxy: HttpProxy,
  target: string,
  { context, names, timeoutMs }: { context: SecureContext | undefined; names: Names; timeoutMs: number },
): Promise<Socket> {
  const { host, port, authorization } = proxy;
  if (proxy.kind === 'unsupported') return Promise.reject(new TunnelError(proxy, target, null));
  const open = (): Socket =>
    proxy.kind === 'http'
      ? connectPlain({ host, port, lookup: names.lookup })
      : connectSecurely({
          ...{ host, port, lookup: names.lookup, ALPNProtocols: ['http/1.1'] },
          checkServerIdentity: checkAlternativeNames,
          ...(context === undefined ? {} : { secureContext: context }),
          ...(isIP(host) === 0 ? { servername: host } : {}),
        });
  return new Promise((resolve, reject) => {
    const connect = request({
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) },
      createConnection: open,
    });
    const failed = (error: Error) => {
      clearTimeout(timer);
      reject(new TunnelError(proxy, target, null, [], error));
    };
    connect.on('error', failed);
    const late = () =>
      Object.assign(new Error('no answer in time'), {
        code: names.isPending(host) ? 'EAI_AGAIN' : 'ETIMEDOUT',
      });
    const timer = setTimeout(() => connect.on('error', () => {}).destroy(late()), timeoutMs);
    // Node treats every answer to CONNECT as the start of a tunnel, whatever its status.
    connect.on('connect', ({ statusCode = 0, headers }, socket: Socket, head) => {
      clearTimeout(timer);
      if (statusCode < 200 || statusCode > 299) {
        socket.on('error', () => {}).destroy();
        reject(new TunnelError(proxy, target, statusCode, schemesOf(headers['proxy-authenticate'])));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    connect.end();
  });
}
