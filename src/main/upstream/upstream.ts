/** The core's Upstream: a client per connection, offline kept, changes made known. */
import { type EndpointName, endpointOf, type Request } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Upstream } from '../core/context.ts';
import {
  type CallOptions,
  type Client,
  createClient,
  DEFAULT_LIMITS,
  type Limits,
  type Target,
} from './client.ts';

export interface UpstreamDeps {
  /** Where a connection's service is; starts an embedded one. */
  target(connectionId: string): Promise<Target>;
  isOffline(connectionId: string): boolean;
  /** The analyst wants no network. */
  isOfflineByChoice(): boolean;
  succeeded(connectionId: string, latencyMs: number): void;
  failed(connectionId: string, error: ParapetError): void;
  /** A change reached the service, or may have; awaited before its caller hears of it. */
  changed(
    connectionId: string,
    endpoint: EndpointName,
    request: object,
    error: ParapetError | null,
  ): Promise<void>;
  limits?: Partial<Limits>;
}

export interface UpstreamService extends Upstream {
  /** A request whatever the offline state says: probes. Answers milliseconds; an error status is an answer too. */
  ask(connectionId: string): Promise<number>;
  /** The same for settings that are not saved; rejects with what is wrong. */
  askTarget(target: Target): Promise<number>;
  /** Forgets the client of a connection whose address or credential changed. */
  drop(connectionId: string): Promise<void>;
  stop(): Promise<void>;
}

const PROBE_MS = 8_000;
const PROBE: EndpointName = 'apps.list';
/** Codes after which a service has not taken the change. */
export const NOT_TAKEN = new Set<ParapetError['code']>([
  'offline',
  'invalid-input',
  'no-connection',
  'tls',
  'unauthorized',
  'forbidden',
  'bad-request',
  'not-found',
  'not-implemented',
  'rate-limited',
  'redirected',
]);

export function createUpstream(deps: UpstreamDeps): UpstreamService {
  const limits: Limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const clients = new Map<string, { client: Client; target: Target }>();

  const clientOf = async (connectionId: string): Promise<Client> => {
    const target = await deps.target(connectionId);
    const known = clients.get(connectionId);
    if (known !== undefined && sameTarget(known.target, target)) return known.client;
    if (known !== undefined) void known.client.retire();
    const client = createClient(target, limits);
    clients.set(connectionId, { client, target });
    return client;
  };

  const observed = async <T>(
    connectionId: string,
    work: (client: Client) => Promise<T>,
    insist = false,
  ): Promise<T> => {
    if (insist ? deps.isOfflineByChoice() : deps.isOffline(connectionId)) throw offline();
    const client = await clientOf(connectionId);
    const started = performance.now();
    try {
      const value = await work(client);
      deps.succeeded(connectionId, Math.round(performance.now() - started));
      return value;
    } catch (error) {
      if (error instanceof ParapetError && error.code !== 'cancelled') deps.failed(connectionId, error);
      throw error;
    }
  };

  /** After a write: readers of what it touches ask again, also when nobody knows whether it arrived. */
  const announced = async <T>(
    connectionId: string,
    endpoint: EndpointName,
    request: object,
    work: () => Promise<T>,
  ): Promise<T> => {
    if (endpointOf(endpoint).effect === 'read') return work();
    try {
      const value = await work();
      await deps.changed(connectionId, endpoint, request, null);
      return value;
    } catch (error) {
      if (error instanceof ParapetError && !NOT_TAKEN.has(error.code))
        await deps.changed(connectionId, endpoint, request, error);
      throw error;
    }
  };

  const timed = async (client: Client): Promise<number> => {
    const started = performance.now();
    try {
      await client.json(PROBE, {}, { retry: false, signal: AbortSignal.timeout(PROBE_MS) });
    } catch (error) {
      if (!(error instanceof ParapetError) || error.code !== 'cancelled') throw error;
      throw new ParapetError('unreachable', 'The service did not answer in time.', { retryable: true });
    }
    return Math.round(performance.now() - started);
  };

  const json = (
    connectionId: string,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    options?: CallOptions,
  ) =>
    announced(connectionId, endpoint, request, () =>
      observed(connectionId, (client) => client.json(endpoint, request, options)),
    );

  return {
    send: (connectionId, endpoint, request, options) =>
      // The client checked the answer with the endpoint's own schema.
      json(connectionId, endpoint, request as Request<EndpointName>, options) as Promise<never>,
    blob: (connectionId, endpoint, request, { insist, ...options } = {}) =>
      observed(connectionId, (client) => client.blob(endpoint, request, options), insist),
    upload: (connectionId, endpoint, file, options) =>
      announced(connectionId, endpoint, { file: file.name }, () =>
        observed(connectionId, (client) => client.upload(endpoint, file, options)),
      ) as Promise<never>,
    isOffline: deps.isOffline,
    async ask(connectionId) {
      const started = performance.now();
      try {
        return await timed(await clientOf(connectionId));
      } catch (error) {
        const silent =
          !(error instanceof ParapetError) || ['unreachable', 'timeout', 'tls'].includes(error.code);
        if (silent) throw error;
        return Math.round(performance.now() - started);
      }
    },
    async askTarget(target) {
      const client = createClient(target, limits);
      try {
        return await timed(client);
      } catch (error) {
        // A service that does not offer the call has answered, and accepted the credential.
        if (error instanceof ParapetError && error.code === 'not-implemented') return 0;
        throw error;
      } finally {
        await client.close();
      }
    },
    async drop(connectionId) {
      const known = clients.get(connectionId);
      clients.delete(connectionId);
      await known?.client.close();
    },
    async stop() {
      await Promise.all([...clients.values()].map(({ client }) => client.close()));
      clients.clear();
    },
  };
}

const sameTarget = (a: Target, b: Target) =>
  a.base === b.base && a.credential === b.credential && a.authorityPem === b.authorityPem;

export const offline = () =>
  new ParapetError('offline', 'You are offline, so the service was not asked. Go online and try again.', {
    retryable: true,
  });
