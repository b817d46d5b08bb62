/** `service.read` and `service.send`: the cached answer at once, then the service's. */
import { deflateSync } from 'node:zlib';
import type { z } from 'zod';
import { type EndpointName, endpointOf, isEndpointName, type Request } from '#shared/api/catalogue.ts';
import type { Endpoint, ErrorFallback } from '#shared/api/endpoint.ts';
import { cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
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
  /** Reports that an answer could not be cached; it is shown all the same. */
  warn(message: string, reason: string): void;
}

/** A request in flight, shared by everyone who asks the same. */
interface InFlightRequest {
  endpoint: EndpointName;
  connectionId: string;
  promise: Promise<{ data: unknown; fetchedAt: number }>;
  controller: AbortController;
  waiting: number;
  /** A change was made after the request was sent. */
  stale: boolean;
}

export interface ReadThrough {
  handlers: HandlersIn<'service'>;
  /** The final result of one read. Rejects with a ParapetError when there is none. */
  once(asked: Asked & { endpoint: EndpointName }, signal: AbortSignal): Promise<Snapshot>;
  /** The cache key of the answer. */
  keyOf(asked: Asked): string;
  /** Marks requests in flight whose answers a change has just made stale. */
  markStale(connectionId: string, tags: readonly string[]): void;
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
  asked: Asked,
  effect: Endpoint['effect'],
): { endpoint: EndpointName; request: Request<EndpointName> } {
  const { endpoint } = asked;
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
    params: part(declared.params, asked.params, 'params'),
    query: part(declared.query, asked.query, 'query'),
    ...(declared.bodyKind === 'none' ? {} : { body: part(declared.body, asked.body, 'body') }),
  };
  return { endpoint, request: request as Request<EndpointName> };
}

export function createReadThrough(deps: Deps): ReadThrough {
  const inFlight = new Map<string, InFlightRequest>();

  const take = (
    requestKey: string,
    mark: Mark,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    keep: string | null,
  ) => {
    const { connectionId } = mark;
    const known = inFlight.get(requestKey);
    if (known !== undefined) return known;
    const completion = Promise.withResolvers<{ data: unknown; fetchedAt: number }>();
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
        const data = await deps.upstream.send(connectionId, endpoint, request, { signal });
        const fetchedAt = deps.now();
        if (keep !== null && deps.generations.mayKeep(mark))
          await deps.responseCache
            .store({ connectionId, key: keep, endpoint, data, fetchedAt, stale: started.stale })
            .catch((error: unknown) => deps.warn('an answer was not cached', toBridgeError(error).code));
        return { data, fetchedAt };
      } finally {
        if (inFlight.get(requestKey) === started) inFlight.delete(requestKey);
      }
    };
    started.promise.catch(() => {});
    inFlight.set(requestKey, started);
    fetchAndStore().then(completion.resolve, completion.reject);
    return started;
  };

  /** Waits for a request in flight; when the last waiter leaves, it is cancelled. */
  const join = async (requestKey: string, inFlightRequest: InFlightRequest, signal: AbortSignal) => {
    inFlightRequest.waiting += 1;
    const left = Promise.withResolvers<never>();
    left.promise.catch(() => {});
    const leave = () => left.reject(cancelled());
    signal.addEventListener('abort', leave, { once: true });
    try {
      if (signal.aborted) throw cancelled();
      return await Promise.race([inFlightRequest.promise, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      inFlightRequest.waiting -= 1;
      if (inFlightRequest.waiting === 0 && signal.aborted) {
        if (inFlight.get(requestKey) === inFlightRequest) inFlight.delete(requestKey);
        inFlightRequest.controller.abort();
      }
    }
  };

  const read: ReadThrough['handlers']['service.read'] = async (input, { emit, signal }) => {
    const { endpoint, request } = checked(input, 'read');
    const { connectionId } = input;
    deps.connection(connectionId);
    await deps.removeLeftovers(connectionId);
    const mark = deps.generations.mark(connectionId);
    const declared = endpointOf(endpoint);
    const key = answerKey(endpoint, request);
    const cached =
      declared.cache.mode === 'fresh' ? await deps.responseCache.find(connectionId, key, endpoint) : null;
    const offline = () => deps.upstream.isOffline(connectionId);
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

    const wanted = input.refresh === true;
    if (wanted && offline()) await deps.probe(connectionId);
    // The cached answer must be of the connection's current service.
    deps.generations.check(mark);
    if (cached !== null) {
      const age = deps.now() - cached.fetchedAt;
      const young =
        declared.cache.mode === 'fresh' && !cached.stale && age >= 0 && age < declared.cache.ttlMs;
      if (offline() || (young && !wanted)) {
        await emit(snapshot(cached, 'cache'));
        return {};
      }
      await emit(snapshot(cached, 'cache', { revalidating: true }));
    }
    try {
      const requestKey = `${connectionId}\n${mark.service} ${mark.cleared}\n${key}`;
      const keep = declared.cache.mode === 'fresh' ? key : null;
      const landed = await join(requestKey, take(requestKey, mark, endpoint, request, keep), signal);
      deps.generations.check(mark);
      await emit(snapshot(landed, 'network'));
    } catch (error) {
      const failure = toBridgeError(error);
      if (signal.aborted || failure.code === 'cancelled') throw error;
      deps.generations.check(mark);
      if (cached !== null) await emit(snapshot(cached, 'cache', { error: failure }));
      else if (declared.onError !== null)
        await emit({
          data: fallbackFor(declared.onError),
          freshness: { fetchedAt: null, source: 'network', offline: offline() },
          revalidating: false,
          error: notCached(failure),
        });
      else throw failure.code === 'offline' ? notCachedError() : error;
    }
    return {};
  };

  return {
    handlers: {
      'service.read': read,
      // A change does not depend on the window in which it was confirmed: closing the window cancels nothing.
      async 'service.send'(input) {
        const { endpoint, request } = checked(input, 'write');
        deps.connection(input.connectionId);
        const { connectionId, about } = input;
        // The journal entry includes the subject; only the declared fields are sent.
        const noted = about === undefined ? request : { ...request, about };
        return { data: await deps.upstream.send(connectionId, endpoint, noted) };
      },
    },
    async once(asked, signal) {
      let last: Snapshot | null = null;
      const emit = async (snapshot: Snapshot) => {
        last = snapshot;
      };
      await read(asked, { emit, signal });
      if (last === null) throw notCachedError();
      return last;
    },
    keyOf(asked) {
      const { endpoint, request } = checked(asked, 'read');
      return answerKey(endpoint, request);
    },
    markStale(connectionId, tags) {
      for (const [key, inFlightRequest] of inFlight) {
        const touched = endpointOf(inFlightRequest.endpoint).provides.some((tag) => tags.includes(tag));
        if (inFlightRequest.connectionId !== connectionId || !touched) continue;
        inFlightRequest.stale = true;
        // Later readers send a new request instead of joining one from before the change.
        inFlight.delete(key);
      }
    },
  };
}

const notCachedError = () =>
  new ParapetError('not-cached', 'You are offline and this is not on this machine. Go online to load it.', {
    retryable: true,
  });
const notCached = (failure: ReturnType<typeof toBridgeError>) =>
  failure.code === 'offline' ? toBridgeError(notCachedError()) : failure;
