/** `service.read` and `service.send`: the cached answer at once, then the service's. */
import { deflateSync } from 'node:zlib';
import type { z } from 'zod';
import { type EndpointName, endpointOf, isEndpointName, type Request } from '#shared/api/catalogue.ts';
import type { Endpoint, ErrorFallback } from '#shared/api/endpoint.ts';
import { type BridgeError, cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import type { Connection, EventOf } from '#shared/bridge/operations.ts';
import { readShape } from '#shared/model/schema-check.ts';
import type { Upstream } from '../kernel/context.ts';
import type { Generations, Mark } from '../kernel/generations.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { answerKey, type ResponseCache, type StoredAnswer } from './store.ts';

type Snapshot = EventOf<'service.read'>;

interface Asked {
  connectionId: string;
  endpoint: string;
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

export interface Deps {
  responseCache: ResponseCache;
  upstream: Upstream;
  generations: Generations;
  /** Retries removing data that a change of the connection left behind. */
  removeLeftovers(connectionId: string): Promise<void>;
  connection(id: string): Connection;
  now(): number;
  /** Checks whether an unresponsive service is back. Does nothing when offline by choice. */
  probe(connectionId: string): Promise<void>;
  /** Reports that an answer could not be cached; it is still shown. */
  warn(message: string, reason: string): void;
}

interface Landed {
  data: unknown;
  fetchedAt: number;
  /** Why it could not be cached. */
  notStored: BridgeError | null;
}

/** A request in flight, shared by everyone who asks the same. */
interface InFlightRequest {
  endpoint: EndpointName;
  connectionId: string;
  promise: Promise<Landed>;
  controller: AbortController;
  waiting: number;
  /** A change was made after the request was sent. */
  stale: boolean;
}

/** What is shown when a call fails and nothing is cached (specification section 8). */
function fallbackFor(kind: ErrorFallback): unknown {
  switch (kind) {
    case 'empty-list':
      return { queries: [] };
    case 'empty-rows':
      return { data: deflateSync('[]').toString('base64') };
    case 'plain-profile':
      return {};
    case 'success-false':
      return { success: false };
  }
}

/** Validates a request against the catalogue. Rejects invalid-input naming the field. */
function checked(
  call: Asked,
  effect: Endpoint['effect'],
): { endpoint: EndpointName; request: Request<EndpointName> } {
  const { endpoint } = call;
  const refuse = (message: string, field: string) => {
    throw new ParapetError('invalid-input', message, { data: { endpoint, field } });
  };
  if (!isEndpointName(endpoint)) return refuse('The service has no such call.', 'endpoint');
  const declared = endpointOf(endpoint);
  if (declared.effect !== effect)
    return refuse(`${endpoint} is not a ${effect === 'read' ? 'read' : 'change'}.`, 'endpoint');
  if (declared.answer !== 'json' || declared.bodyKind === 'multipart')
    return refuse(`${endpoint} is sent as a file.`, 'endpoint');
  const part = (schema: z.ZodType, value: unknown, name: string) => {
    const checked = readShape(schema, value ?? {});
    if (checked.ok) return checked.value;
    const field = [name, ...checked.path].join('.');
    return refuse(`${endpoint}: ${field}: ${checked.message}.`, field);
  };
  const request = {
    params: part(declared.params, call.params, 'params'),
    query: part(declared.query, call.query, 'query'),
    ...(declared.bodyKind === 'none' ? {} : { body: part(declared.body, call.body, 'body') }),
  };
  return { endpoint, request: request as Request<EndpointName> };
}

export class ReadThrough {
  readonly #deps: Deps;
  readonly #inFlight = new Map<string, InFlightRequest>();
  readonly handlers: HandlersIn<'service'>;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.handlers = {
      'service.read': async (input, context) => {
        await this.#read(input, context);
        return {};
      },
      // A change does not depend on the window in which it was confirmed: closing the window cancels nothing.
      'service.send': async (input) => {
        const { endpoint, request } = checked(input, 'write');
        this.#deps.connection(input.connectionId);
        const { connectionId, about } = input;
        // The journal entry includes the subject and the service that it belongs to; only the declared fields are sent.
        const { service } = this.#deps.generations.mark(connectionId);
        const noted = { ...request, ...(about === undefined ? {} : { about }), service };
        let journalId: number | null = null;
        const data = await this.#deps.upstream.send(connectionId, endpoint, noted, {
          recorded: (recorded) => {
            journalId = recorded;
          },
        });
        return { data, journalId };
      },
    };
  }

  /**
   * The final result of one read; `notStored` is why it could not be cached. Rejects with a ParapetError when there
   * is none.
   */
  async once(
    request: Asked & { endpoint: EndpointName },
    signal: AbortSignal,
  ): Promise<Snapshot & { notStored: BridgeError | null }> {
    const snapshots: Snapshot[] = [];
    const emit = async (snapshot: Snapshot) => void snapshots.push(snapshot);
    const notStored = await this.#read(request, { emit, signal });
    const last = snapshots.at(-1);
    if (last === undefined) throw notCachedError();
    return { ...last, notStored };
  }

  /** The cache key of the answer. */
  keyOf(call: Asked): string {
    const { endpoint, request } = checked(call, 'read');
    return answerKey(endpoint, request);
  }

  /** Marks requests in flight whose answers a change has just made stale. */
  markStale(connectionId: string, tags: readonly string[]): void {
    for (const [key, inFlightRequest] of this.#inFlight) {
      const touched = endpointOf(inFlightRequest.endpoint).provides.some((tag) => tags.includes(tag));
      if (inFlightRequest.connectionId !== connectionId || !touched) continue;
      inFlightRequest.stale = true;
      // Later readers send a new request instead of joining one from before the change.
      this.#inFlight.delete(key);
    }
  }

  #take(
    requestKey: string,
    mark: Mark,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    keep: string | null,
  ) {
    const { connectionId } = mark;
    const running = this.#inFlight.get(requestKey);
    if (running !== undefined) return running;
    const completion = Promise.withResolvers<Landed>();
    const started: InFlightRequest = {
      endpoint,
      connectionId,
      controller: new AbortController(),
      waiting: 0,
      stale: false,
      promise: completion.promise,
    };
    const fetchAndStore = async () => {
      try {
        const { signal } = started.controller;
        const data = await this.#deps.upstream.send(connectionId, endpoint, request, { signal });
        const fetchedAt = this.#deps.now();
        let notStored: BridgeError | null = null;
        if (keep !== null)
          await this.#deps.responseCache
            .store({
              connectionId,
              key: keep,
              endpoint,
              data,
              fetchedAt,
              isStale: () => started.stale,
              mayKeep: () => this.#deps.generations.mayKeep(mark),
            })
            .catch((error: unknown) => {
              notStored = toBridgeError(error);
              this.#deps.warn('an answer was not cached', notStored.code);
            });
        return { data, fetchedAt, notStored };
      } finally {
        if (this.#inFlight.get(requestKey) === started) this.#inFlight.delete(requestKey);
      }
    };
    started.promise.catch(() => {});
    this.#inFlight.set(requestKey, started);
    fetchAndStore().then(completion.resolve, completion.reject);
    return started;
  }

  /** Waits for a request in flight; when the last waiter leaves, it is cancelled. */
  async #join(requestKey: string, inFlightRequest: InFlightRequest, signal: AbortSignal) {
    inFlightRequest.waiting += 1;
    const exit = Promise.withResolvers<never>();
    exit.promise.catch(() => {});
    const leave = () => exit.reject(cancelled());
    signal.addEventListener('abort', leave, { once: true });
    try {
      if (signal.aborted) throw cancelled();
      return await Promise.race([inFlightRequest.promise, exit.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      inFlightRequest.waiting -= 1;
      if (inFlightRequest.waiting === 0 && signal.aborted) {
        if (this.#inFlight.get(requestKey) === inFlightRequest) this.#inFlight.delete(requestKey);
        inFlightRequest.controller.abort();
      }
    }
  }

  /** Emits the answers; returns why the last one could not be cached. */
  async #read(
    input: Parameters<HandlersIn<'service'>['service.read']>[0],
    { emit, signal }: Pick<Parameters<HandlersIn<'service'>['service.read']>[1], 'emit' | 'signal'>,
  ): Promise<BridgeError | null> {
    const { endpoint, request } = checked(input, 'read');
    const { connectionId } = input;
    this.#deps.connection(connectionId);
    await this.#deps.removeLeftovers(connectionId);
    const mark = this.#deps.generations.mark(connectionId);
    const declared = endpointOf(endpoint);
    const key = answerKey(endpoint, request);
    const cached =
      declared.cache.mode === 'fresh'
        ? await this.#deps.responseCache.find(connectionId, key, endpoint)
        : null;
    const offline = () => this.#deps.upstream.isOffline(connectionId);
    const snapshot = (
      stored: Pick<StoredAnswer, 'data' | 'fetchedAt'>,
      source: Freshness['source'],
      extra: Partial<Pick<Snapshot, 'revalidating' | 'error'>> = {},
    ): Snapshot => ({
      data: stored.data,
      freshness: { fetchedAt: stored.fetchedAt, source, offline: offline() },
      revalidating: false,
      error: null,
      ...extra,
    });

    const isRefresh = input.refresh === true;
    if (isRefresh && offline()) await this.#deps.probe(connectionId);
    // The cached answer must be of the connection's current service.
    this.#deps.generations.check(mark);
    if (cached !== null) {
      const age = this.#deps.now() - cached.fetchedAt;
      const young =
        declared.cache.mode === 'fresh' && !cached.stale && age >= 0 && age < declared.cache.ttlMs;
      if (offline() || (young && !isRefresh)) {
        await emit(snapshot(cached, 'cache'));
        return null;
      }
      await emit(snapshot(cached, 'cache', { revalidating: true }));
    }
    try {
      const requestKey = `${connectionId}\n${mark.service} ${mark.cleared}\n${key}`;
      const keep = declared.cache.mode === 'fresh' ? key : null;
      const landed = await this.#join(
        requestKey,
        this.#take(requestKey, mark, endpoint, request, keep),
        signal,
      );
      this.#deps.generations.check(mark);
      await emit(snapshot(landed, 'network'));
      return landed.notStored;
    } catch (error) {
      const failure = toBridgeError(error);
      if (signal.aborted || failure.code === 'cancelled') throw error;
      this.#deps.generations.check(mark);
      if (cached !== null) await emit(snapshot(cached, 'cache', { error: failure }));
      else if (declared.onError !== null)
        await emit({
          data: fallbackFor(declared.onError),
          freshness: { fetchedAt: null, source: 'network', offline: offline() },
          revalidating: false,
          error: notCached(failure),
        });
      else throw failure.code === 'offline' ? notCachedError() : error;
      return null;
    }
  }
}

const notCachedError = () =>
  new ParapetError(
    'not-cached',
    'You are offline, and this is not saved on this machine. Go online to load it.',
    {
      retryable: true,
    },
  );
const notCached = (failure: ReturnType<typeof toBridgeError>) =>
  failure.code === 'offline' ? toBridgeError(notCachedError()) : failure;
