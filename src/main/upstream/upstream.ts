/** The core's Upstream: one client per connection, offline mode, and journaling and publishing changes. */
import { isDeepStrictEqual } from 'node:util';
import { type AnswerOf, type EndpointName, endpointOf, type Request } from '#shared/api/catalogue.ts';
import { fromBridgeError, NOT_ACCEPTED, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Upstream } from '../kernel/context.ts';
import type { Generations, Mark } from '../kernel/generations.ts';
import { Client, DEFAULT_LIMITS, type Limits, type Target } from './client.ts';
import { unanswered } from './errors.ts';
import { listQueries } from './query-listing.ts';
import { UnnamedApps } from './unnamed-app.ts';

export interface UpstreamDeps {
  /** Entry of the thread that parses large responses; without it they are parsed on the caller's thread. */
  parsing?: URL;
  /** Where a connection's service is; starts an embedded one. */
  target(connectionId: string): Promise<Target>;
  isOffline(connectionId: string): boolean;
  /** The service is not Parapet's own. */
  isForeign?(connectionId: string): boolean;
  /** The analyst chose to be offline. */
  isOfflineByChoice(): boolean;
  succeeded(connectionId: string, latencyMs: number): void;
  failed(connectionId: string, error: ParapetError): void;
  generations: Generations;
  /** Records a change before it is sent; if that rejects, nothing is sent. */
  recordIntent(connectionId: string, endpoint: EndpointName, request: object): Promise<Intent>;
  /** A change reached the service, or may have: cached answers it affects are stale. Never rejects. */
  changed(connectionId: string, endpoint: EndpointName, request: object): Promise<void>;
  limits?: Partial<Limits>;
}

export interface Intent {
  /** Its journal entry, or null if it is part of an action, which has one entry for all its requests. */
  journalId: number | null;
  /** Called with the outcome; never rejects. */
  settle: RecordOutcome;
}

/**
 * No error means HTTP success; the answer may still say that it was not done. Without `requestSent`, nothing can
 * have changed.
 */
type RecordOutcome = (error: ParapetError | null, requestSent: boolean, answer?: unknown) => Promise<void>;

type Recorded = (journalId: number) => void;

const PROBE_MS = 8_000;
const PROBE: EndpointName = 'apps.list';
export class UpstreamService implements Upstream {
  readonly #deps: UpstreamDeps;
  readonly #limits: Limits;
  readonly #clients = new Map<string, { client: Client; target: Target }>();
  readonly #unnamed = new UnnamedApps();
  /** Changes in flight, by connection. */
  readonly #sending = new Map<string, number>();

  constructor(deps: UpstreamDeps) {
    this.#deps = deps;
    this.#limits = { ...DEFAULT_LIMITS, ...deps.limits };
  }

  send<N extends EndpointName>(
    connectionId: string,
    endpoint: N,
    request: Request<N>,
    { recorded, ...options }: NonNullable<Parameters<Upstream['send']>[3]> = {},
  ): Promise<AnswerOf<N>> {
    // The client validated the answer against the endpoint's own schema.
    return this.#call(
      connectionId,
      endpoint,
      request,
      (client) =>
        this.#deps.isForeign?.(connectionId) === true
          ? this.#askForeign(connectionId, client, endpoint, request as Request<EndpointName>, options)
          : client.json(endpoint, request as Request<EndpointName>, options),
      { recorded },
    ) as Promise<never>;
  }

  /** A service built from the specification may need several calls for one request of Parapet. */
  #askForeign(
    connectionId: string,
    client: Client,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    options?: { signal?: AbortSignal; retry?: boolean },
  ): Promise<unknown> {
    const ask = (name: EndpointName, request: Request<EndpointName>) => client.json(name, request, options);
    if (endpoint === 'query.list' && Object.keys(request.query ?? {}).length === 0)
      return listQueries((query) => ask('query.list', { query }) as Promise<AnswerOf<'query.list'>>);
    if (!this.#unnamed.concerns(endpoint, request)) return ask(endpoint, request);
    return this.#unnamed.send(connectionId, ask, endpoint, request);
  }

  blob(
    connectionId: string,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    { insist, ...options }: Parameters<Upstream['blob']>[3] = {},
  ): Promise<Uint8Array> {
    return this.#call(connectionId, endpoint, request, (client) => client.blob(endpoint, request, options), {
      insist,
    });
  }

  upload<N extends EndpointName>(
    connectionId: string,
    endpoint: N,
    file: { name: string; bytes: Uint8Array; contents?: object },
    options?: { signal?: AbortSignal },
  ): Promise<AnswerOf<N>> {
    return this.#call(connectionId, endpoint, { file: file.name, ...file.contents }, (client) =>
      client.upload(endpoint, file, options),
    ) as Promise<never>;
  }

  /** Whether a change is in flight. */
  isSending(connectionId: string): boolean {
    return (this.#sending.get(connectionId) ?? 0) > 0;
  }

  isOffline(connectionId: string): boolean {
    return this.#deps.isOffline(connectionId);
  }

  /** Display name of the proxy of the connection's last response, or null if there is none. */
  proxyOf(connectionId: string): string | null {
    return this.#clients.get(connectionId)?.client.proxy ?? null;
  }

  /** Sends a probe whatever the offline state. Returns milliseconds; an error status counts as an answer. */
  async ask(connectionId: string): Promise<number> {
    const started = performance.now();
    try {
      return await timed(await this.#clientOf(connectionId));
    } catch (error) {
      const silent =
        !(error instanceof ParapetError) || ['unreachable', 'timeout', 'tls', 'proxy'].includes(error.code);
      if (silent) throw error;
      return Math.round(performance.now() - started);
    }
  }

  /** The same for settings that are not saved; rejects with what is wrong. */
  async askTarget(target: Target): Promise<{ latencyMs: number; proxy: string | null }> {
    const client = this.#clientFor(target);
    try {
      const latencyMs = await timed(client);
      return { latencyMs, proxy: client.proxy };
    } catch (error) {
      // A service that does not offer the call has answered, and accepted the credential.
      if (error instanceof ParapetError && error.code === 'not-implemented')
        return { latencyMs: 0, proxy: client.proxy };
      throw error;
    } finally {
      await client.close();
    }
  }

  /** Drops the client of a connection whose address or credential changed. */
  async drop(connectionId: string): Promise<void> {
    this.#unnamed.forget(connectionId);
    const client = this.#clients.get(connectionId);
    this.#clients.delete(connectionId);
    await client?.client.close();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ client }) => client.close()));
    this.#clients.clear();
  }

  /** Every catalogue call goes through here: those declared as changes are journaled first. */
  #call<T>(
    connectionId: string,
    endpoint: EndpointName,
    request: object,
    work: (client: Client) => Promise<T>,
    { insist = false, recorded }: { insist?: boolean | undefined; recorded?: Recorded | undefined } = {},
  ): Promise<T> {
    return endpointOf(endpoint).effect === 'write'
      ? this.#change(connectionId, endpoint, request, work, recorded)
      : this.#read(connectionId, work, insist);
  }

  /** An answer of a service that the connection no longer uses is dropped. */
  async #read<T>(connectionId: string, work: (client: Client) => Promise<T>, insist: boolean): Promise<T> {
    const mark = this.#deps.generations.mark(connectionId);
    const client = await this.#clientAt(mark, insist);
    try {
      return await this.#reportingHealth(mark, () => work(client));
    } finally {
      this.#deps.generations.check(mark);
    }
  }

  /**
   * Journaled before anything is awaited and settled afterwards; then affected caches are stale, even when it is
   * unknown whether the change arrived.
   */
  async #change<T>(
    connectionId: string,
    endpoint: EndpointName,
    request: object,
    work: (client: Client) => Promise<T>,
    recorded?: Recorded,
  ): Promise<T> {
    const mark = this.#deps.generations.mark(connectionId);
    this.#sending.set(connectionId, (this.#sending.get(connectionId) ?? 0) + 1);
    try {
      if (this.isOffline(connectionId)) throw offline();
      const { journalId, settle } = await this.#deps.recordIntent(connectionId, endpoint, request);
      if (journalId !== null) recorded?.(journalId);
      let failure: unknown = null;
      let requestSent = false;
      let answer: T | undefined;
      try {
        const client = await this.#clientAt(mark);
        requestSent = true;
        answer = await this.#reportingHealth(mark, () => work(client));
        return answer;
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        const reported = failure === null || failure instanceof ParapetError ? failure : internal(failure);
        await settle(reported, requestSent, answer);
        // What the service no longer has is gone from its lists as well.
        if (
          requestSent &&
          (reported === null || reported.code === 'not-found' || !NOT_ACCEPTED.has(reported.code))
        )
          await this.#deps.changed(connectionId, endpoint, request);
      }
    } finally {
      this.#sending.set(connectionId, (this.#sending.get(connectionId) ?? 1) - 1);
    }
  }

  /** A client of the service that the connection was at the mark. */
  async #clientAt(mark: Mark, insist = false): Promise<Client> {
    if (insist ? this.#deps.isOfflineByChoice() : this.isOffline(mark.connectionId)) throw offline();
    const client = await this.#clientOf(mark.connectionId);
    this.#deps.generations.check(mark);
    return client;
  }

  async #clientOf(connectionId: string): Promise<Client> {
    const target = await this.#deps.target(connectionId);
    const existingClient = this.#clients.get(connectionId);
    if (existingClient !== undefined && sameTarget(existingClient.target, target))
      return existingClient.client;
    if (existingClient !== undefined) void existingClient.client.retire();
    const client = this.#clientFor(target);
    this.#clients.set(connectionId, { client, target });
    return client;
  }

  #clientFor(target: Target): Client {
    return new Client(target, this.#limits, this.#deps.parsing ?? null);
  }

  /** Reports the service's behaviour to the connection health, unless the connection has moved on. */
  async #reportingHealth<T>(mark: Mark, work: () => Promise<T>): Promise<T> {
    const { generations, succeeded, failed } = this.#deps;
    const started = performance.now();
    try {
      const value = await work();
      if (generations.isSame(mark)) succeeded(mark.connectionId, Math.round(performance.now() - started));
      return value;
    } catch (error) {
      const tells = error instanceof ParapetError && error.code !== 'cancelled';
      if (tells && generations.isSame(mark)) failed(mark.connectionId, error);
      throw error;
    }
  }
}

async function timed(client: Client): Promise<number> {
  const started = performance.now();
  try {
    await client.json(PROBE, {}, { retry: false, signal: AbortSignal.timeout(PROBE_MS) });
  } catch (error) {
    if (!(error instanceof ParapetError) || error.code !== 'cancelled') throw error;
    if (client.isNamePending) throw unanswered(PROBE, error);
    throw new ParapetError(
      'unreachable',
      'The service did not answer in time. Check the address, the network and any VPN.',
      { retryable: true },
    );
  }
  return Math.round(performance.now() - started);
}

const internal = (error: unknown) => fromBridgeError(toBridgeError(error));

const sameTarget = (a: Target, b: Target) =>
  a.base === b.base &&
  a.credential === b.credential &&
  a.authorityPem === b.authorityPem &&
  isDeepStrictEqual(a.routes, b.routes);

export const offline = () =>
  new ParapetError('offline', 'You are offline, so the service was not asked. Go online and try again.', {
    retryable: true,
  });
