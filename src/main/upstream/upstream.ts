/** The core's Upstream: one client per connection, offline mode, and journaling and publishing changes. */
import { type EndpointName, endpointOf, type Request } from '#shared/api/catalogue.ts';
import { fromBridgeError, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Upstream } from '../kernel/context.ts';
import type { Generations, Mark } from '../kernel/generations.ts';
import { type Client, createClient, DEFAULT_LIMITS, type Limits, type Target } from './client.ts';

export interface UpstreamDeps {
  /** Entry of the thread that parses large responses; without it they are parsed on the caller's thread. */
  parsing?: URL;
  /** Where a connection's service is; starts an embedded one. */
  target(connectionId: string): Promise<Target>;
  isOffline(connectionId: string): boolean;
  /** The analyst chose to be offline. */
  isOfflineByChoice(): boolean;
  succeeded(connectionId: string, latencyMs: number): void;
  failed(connectionId: string, error: ParapetError): void;
  generations: Generations;
  /**
   * Records a change before it is sent; if that rejects, nothing is sent. The returned function is called with the
   * outcome and never rejects.
   */
  recordIntent(connectionId: string, endpoint: EndpointName, request: object): Promise<RecordOutcome>;
  /** A change reached the service, or may have: cached answers it affects are stale. Never rejects. */
  changed(connectionId: string, endpoint: EndpointName, request: object): Promise<void>;
  limits?: Partial<Limits>;
}

/**
 * null: the service accepted the change. `left`: the request was sent; an earlier failure is certain to have changed
 * nothing.
 */
export type RecordOutcome = (error: ParapetError | null, left: boolean) => Promise<void>;

export interface UpstreamService extends Upstream {
  /** Whether a change is in flight. */
  isSending(connectionId: string): boolean;
  /** Sends a probe whatever the offline state. Returns milliseconds; an error status counts as an answer. */
  ask(connectionId: string): Promise<number>;
  /** The same for settings that are not saved; rejects with what is wrong. */
  askTarget(target: Target): Promise<number>;
  /** Drops the client of a connection whose address or credential changed. */
  drop(connectionId: string): Promise<void>;
  stop(): Promise<void>;
}

const PROBE_MS = 8_000;
const PROBE: EndpointName = 'apps.list';
/** Errors after which a service has certainly not accepted the change. */
export const NOT_ACCEPTED = new Set<ParapetError['code']>([
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
  /** Changes in flight, by connection. */
  const sending = new Map<string, number>();

  const clientOf = async (connectionId: string): Promise<Client> => {
    const target = await deps.target(connectionId);
    const known = clients.get(connectionId);
    if (known !== undefined && sameTarget(known.target, target)) return known.client;
    if (known !== undefined) void known.client.retire();
    const client = createClient(target, limits, deps.parsing ?? null);
    clients.set(connectionId, { client, target });
    return client;
  };

  /** A client of the service that the connection was at the mark. */
  const clientAt = async (mark: Mark, insist = false): Promise<Client> => {
    if (insist ? deps.isOfflineByChoice() : deps.isOffline(mark.connectionId)) throw offline();
    const client = await clientOf(mark.connectionId);
    deps.generations.check(mark);
    return client;
  };

  /** Reports the service's behaviour to the connection health, unless the connection has moved on. */
  const reportingHealth = async <T>(mark: Mark, work: () => Promise<T>): Promise<T> => {
    const { connectionId } = mark;
    const started = performance.now();
    try {
      const value = await work();
      if (deps.generations.isSame(mark))
        deps.succeeded(connectionId, Math.round(performance.now() - started));
      return value;
    } catch (error) {
      const tells = error instanceof ParapetError && error.code !== 'cancelled';
      if (tells && deps.generations.isSame(mark)) deps.failed(connectionId, error);
      throw error;
    }
  };

  /** An answer of a service that the connection no longer uses is dropped. */
  const read = async <T>(
    connectionId: string,
    work: (client: Client) => Promise<T>,
    insist: boolean,
  ): Promise<T> => {
    const mark = deps.generations.mark(connectionId);
    const client = await clientAt(mark, insist);
    try {
      return await reportingHealth(mark, () => work(client));
    } finally {
      deps.generations.check(mark);
    }
  };

  /**
   * Journaled before anything is awaited and settled afterwards; then affected caches are stale, even when it is
   * unknown whether the change arrived.
   */
  const change = async <T>(
    connectionId: string,
    endpoint: EndpointName,
    request: object,
    work: (client: Client) => Promise<T>,
  ): Promise<T> => {
    const mark = deps.generations.mark(connectionId);
    sending.set(connectionId, (sending.get(connectionId) ?? 0) + 1);
    try {
      if (deps.isOffline(connectionId)) throw offline();
      const settle = await deps.recordIntent(connectionId, endpoint, request);
      let failure: unknown = null;
      let left = false;
      try {
        const client = await clientAt(mark);
        left = true;
        return await reportingHealth(mark, () => work(client));
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        const reported = failure === null || failure instanceof ParapetError ? failure : internal(failure);
        await settle(reported, left);
        if (left && (reported === null || !NOT_ACCEPTED.has(reported.code)))
          await deps.changed(connectionId, endpoint, request);
      }
    } finally {
      sending.set(connectionId, (sending.get(connectionId) ?? 1) - 1);
    }
  };

  /** Every catalogue call goes through here: those declared as changes are journaled first. */
  const call = <T>(
    connectionId: string,
    endpoint: EndpointName,
    request: object,
    work: (client: Client) => Promise<T>,
    insist = false,
  ): Promise<T> =>
    endpointOf(endpoint).effect === 'write'
      ? change(connectionId, endpoint, request, work)
      : read(connectionId, work, insist);

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

  return {
    // The client validated the answer against the endpoint's own schema.
    send: (connectionId, endpoint, request, options) =>
      call(connectionId, endpoint, request, (client) =>
        client.json(endpoint, request as Request<EndpointName>, options),
      ) as Promise<never>,
    blob: (connectionId, endpoint, request, { insist, ...options } = {}) =>
      call(connectionId, endpoint, request, (client) => client.blob(endpoint, request, options), insist),
    upload: (connectionId, endpoint, file, options) =>
      call(connectionId, endpoint, { file: file.name }, (client) =>
        client.upload(endpoint, file, options),
      ) as Promise<never>,
    isSending: (connectionId) => (sending.get(connectionId) ?? 0) > 0,
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
      const client = createClient(target, limits, deps.parsing ?? null);
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

const internal = (error: unknown) => fromBridgeError(toBridgeError(error));

const sameTarget = (a: Target, b: Target) =>
  a.base === b.base && a.credential === b.credential && a.authorityPem === b.authorityPem;

export const offline = () =>
  new ParapetError('offline', 'You are offline, so the service was not asked. Go online and try again.', {
    retryable: true,
  });
