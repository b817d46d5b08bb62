/** Sockets to one server: which authorities are trusted, and through which proxy they go. */
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Agent, buildConnector } from 'undici';
import type { HttpProxy, Ports, Routes } from '../kernel/ports.ts';
import { isLoopback } from './address.ts';
import { type Names, names as systemNames } from './names.ts';
import { checkAlternativeNames } from './server-identity.ts';
import { openTunnel, TunnelError } from './tunnel.ts';

const DIRECT: Routes = [null];
/** How long a proxy is not used after it refused the sign-in. */
const REFUSED_MS = 60_000;

/** The routes to an address. Loopback addresses never use a proxy. */
export async function routesTo({ routes }: Pick<Ports, 'routes'>, address: string): Promise<Routes> {
  const url = URL.parse(address);
  if (routes === undefined || url === null || isLoopback(url.hostname)) return DIRECT;
  const route = await routes(url);
  return route.length === 0 ? DIRECT : route;
}

/** Certificate authorities of one kind; empty if this build of Node cannot list them. */
function listed(kind: 'default' | 'system'): string[] {
  try {
    return getCACertificates(kind);
  } catch {
    return [];
  }
}

const contexts = new Map<string | null, SecureContext>();

/** The authorities that a server's certificate is checked against; cached, as reading hundreds of them is slow. */
function trusting(authorityPem: string | null): SecureContext {
  const existingContext = contexts.get(authorityPem);
  if (existingContext !== undefined) return existingContext;
  // Node's own list, which includes NODE_EXTRA_CA_CERTS, and the operating system's.
  const trusted = new Set([...listed('default'), ...listed('system')]);
  if (authorityPem !== null) trusted.add(authorityPem);
  const context = createSecureContext(trusted.size === 0 ? {} : { ca: [...trusted] });
  contexts.set(authorityPem, context);
  return context;
}

/** No connection was made, so nothing was sent. Keeps the code, as undici decides by it whether to retry. */
export class NoConnection extends Error {
  readonly code: unknown;

  constructor(cause: Error) {
    super('no connection', { cause });
    this.code = 'code' in cause ? cause.code : undefined;
  }
}

/** The connection was given up while its name was still being looked up. The code is that of a resolver without an answer. */
const unnamed = (cause: Error): Error =>
  Object.assign(new Error('the name was not looked up in time', { cause }), { code: 'EAI_AGAIN' });

interface AgentOptions {
  /** The server's origin. */
  origin: URL;
  /** PEM of an authority trusted in addition to the machine's own. */
  authorityPem: string | null;
  routes: Routes;
  connectMs: number;
  headersMs: number;
  bodyMs: number;
  names?: Names;
}

export interface OpenAgent {
  agent: Agent;
  /** The proxy of the newest connection, or null if none, or there is no connection yet. */
  proxy(): HttpProxy | null;
}

export async function openAgent(options: AgentOptions): Promise<OpenAgent> {
  const { Agent, buildConnector } = await import('undici');
  const { origin, routes, connectMs, names = systemNames } = options;
  const context = origin.protocol === 'https:' ? trusting(options.authorityPem) : undefined;
  const connectTo = buildConnector({
    timeout: connectMs,
    lookup: names.lookup,
    rejectUnauthorized: true,
    checkServerIdentity: checkAlternativeNames,
    ...(context === undefined ? {} : { secureContext: context }),
  });
  const target = `${origin.hostname}:${origin.port === '' ? (origin.protocol === 'https:' ? 443 : 80) : origin.port}`;
  let used: HttpProxy | null = null;
  let refused: { error: TunnelError; until: number } | null = null;

  /** The first route that works, with a tunnel if it is a proxy. */
  const leave = async () => {
    if (refused !== null && performance.now() < refused.until) throw refused.error;
    let first: unknown;
    for (const proxy of routes) {
      if (proxy === null) return { proxy, socket: undefined };
      try {
        return { proxy, socket: await openTunnel(proxy, target, { context, names, timeoutMs: connectMs }) };
      } catch (error) {
        first ??= error;
        if (!(error instanceof TunnelError) || error.status === null) continue;
        if (error.status === 407) refused = { error, until: performance.now() + REFUSED_MS };
        throw error;
      }
    }
    throw first;
  };
  let isProven = routes.every((route) => (route?.authorization ?? null) === null);
  let proving: Promise<void> | null = null;
  /**
   * Until a proxy has accepted the password, only one connection tries it and the others wait: screens send several
   * requests at once, and a few wrong passwords may lock an account.
   */
  const enter = async (): ReturnType<typeof leave> => {
    if (!isProven && proving !== null) await proving;
    const connection = leave();
    if (isProven) return connection;
    proving ??= connection
      .then(
        () => {
          isProven = true;
        },
        () => {},
      )
      .finally(() => {
        proving = null;
      });
    return connection;
  };
  const connect = (target: buildConnector.Options, callback: buildConnector.Callback) =>
    connectTo(target, (...[error, socket]) => {
      if (error === null) return callback(null, socket);
      const isUnnamed =
        'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT' && names.isPending(target.hostname);
      callback(new NoConnection(isUnnamed ? unnamed(error) : error), null);
    });
  const through = (target: buildConnector.Options, callback: buildConnector.Callback) => {
    enter().then(
      ({ proxy, socket }) => {
        used = proxy;
        connect({ ...target, ...(socket === undefined ? {} : { httpSocket: socket }) }, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
  return {
    agent: new Agent({
      headersTimeout: options.headersMs,
      bodyTimeout: options.bodyMs,
      connect: routes.every((route) => route === null) ? connect : through,
    }),
    proxy: () => used,
  };
}
