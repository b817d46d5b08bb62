/** `service.read` and `service.send`: what the cache has at once, then what the service says. */
import { deflateSync } from 'node:zlib';
import type { z } from 'zod';
import { type EndpointName, endpointOf, isEndpointName, type Request } from '#shared/api/catalogue.ts';
import type { Endpoint, ErrorFallback } from '#shared/api/endpoint.ts';
import { cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import type { Connection, EventOf } from '#shared/bridge/operations.ts';
import type { Upstream } from '../kernel/context.ts';
import type { Generations, Mark } from '../kernel/generations.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { type Answers, answerKey, type StoredAnswer } from './store.ts';

type Snapshot = EventOf<'service.read'>;

interface Asked {
  connectionId: string;
  endpoint: string;
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

export interface Deps {
  answers: Answers;
  upstream: Upstream;
  generations: Generations;
  /** What a change of the connection left is removed, where that could not be done at once. */
  settle(connectionId: string): Promise<void>;
  connection(id: string): Connection;
  now(): number;
  /** Asks a service that did not answer whether it does now. Offline by choice: does nothing. */
  probe(connectionId: string): Promise<void>;
  /** Tells of a failure to keep an answer; what was read is shown all the same. */
  warn(message: string, reason: string): void;
}

/** One request under way, shared by everyone who asks the same. */
interface Flight {
  endpoint: EndpointName;
  connectionId: string;
  promise: Promise<{ data: unknown; fetchedAt: number }>;
  controller: AbortController;
  waiting: number;
  /** A change came after this was asked. */
  outdated: boolean;
}

export interface Reading {
  handlers: HandlersIn<'service'>;
  /** The last word on one read. Rejects with a ParapetError when there is none. */
  once(asked: Asked & { endpoint: EndpointName }, signal: AbortSignal): Promise<Snapshot>;
  /** What the cache knows the answer by. */
  keyOf(asked: Asked): string;
  /** Requests under way whose answers a change just made old. */
  outdate(connectionId: string, tags: readonly string[]): void;
}

/** What the console shows when a call fails and nothing is cached (specification section 8). */
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

/** The request as the catalogue declares it. Rejects invalid-input naming the field. */
function checked(
  asked: Asked,
  effect: Endpoint['effect'],
): { endpoint: EndpointName; request: Request<EndpointName> } {
  const { endpoint } = asked;
  const refuse = (message: string, field: string) => {
    throw new ParapetError('invalid-input', message, { data: { endpoint, field } });
  };
  if (!isEndpointName(endpoint)) return refuse('There is no such call of the service.', 'endpoint');
  const declared = endpointOf(endpoint);
  if (declared.effect !== effect)
    return refuse(`${endpoint} is not a ${effect === 'read' ? 'read' : 'change'}.`, 'endpoint');
  if (declared.answer !== 'json' || declared.bodyKind === 'multipart')
    return refuse(`${endpoint} travels as a file.`, 'endpoint');
  const part = (schema: z.ZodType, value: unknown, name: string) => {
    const parsed = schema.safeParse(value ?? {});
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    return refuse(
      `${endpoint}: ${issue?.message ?? 'not as declared'}`,
      [name, ...(issue?.path ?? [])].join('.'),
    );
  };
  const request = {
    params: part(declared.params, asked.params, 'params'),
    query: part(declared.query, asked.query, 'query'),
    ...(declared.bodyKind === 'none' ? {} : { body: part(declared.body, asked.body, 'body') }),
  };
  return { endpoint, request: request as Request<EndpointName> };
}

export function createReading(deps: Deps): Reading {
  const flights = new Map<string, Flight>();

  const take = (
    flightKey: string,
    mark: Mark,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    keep: string | null,
  ) => {
    const { connectionId } = mark;
    const known = flights.get(flightKey);
    if (known !== undefined) return known;
    const landing = Promise.withResolvers<{ data: unknown; fetchedAt: number }>();
    const flight: Flight = {
      endpoint,
      connectionId,
      controller: new AbortController(),
      waiting: 0,
      outdated: false,
      promise: landing.promise,
    };
    const fly = async () => {
      try {
        const { signal } = flight.controller;
        const data = await deps.upstream.send(connectionId, endpoint, request, { signal });
        const fetchedAt = deps.now();
        if (keep !== null && deps.generations.mayKeep(mark))
          await deps.answers
            .store({ connectionId, key: keep, endpoint, data, fetchedAt, stale: flight.outdated })
            .catch((error: unknown) => deps.warn('an answer was not kept', toBridgeError(error).code));
        return { data, fetchedAt };
      } finally {
        if (flights.get(flightKey) === flight) flights.delete(flightKey);
      }
    };
    flight.promise.catch(() => {});
    flights.set(flightKey, flight);
    fly().then(landing.resolve, landing.reject);
    return flight;
  };

  /** Waits for a flight; the last one to leave before it lands cancels it. */
  const board = async (flightKey: string, flight: Flight, signal: AbortSignal) => {
    flight.waiting += 1;
    const left = Promise.withResolvers<never>();
    left.promise.catch(() => {});
    const leave = () => left.reject(cancelled());
    signal.addEventListener('abort', leave, { once: true });
    try {
      if (signal.aborted) throw cancelled();
      return await Promise.race([flight.promise, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      flight.waiting -= 1;
      if (flight.waiting === 0 && signal.aborted) {
        if (flights.get(flightKey) === flight) flights.delete(flightKey);
        flight.controller.abort();
      }
    }
  };

  const read: Reading['handlers']['service.read'] = async (input, { emit, signal }) => {
    const { endpoint, request } = checked(input, 'read');
    const { connectionId } = input;
    deps.connection(connectionId);
    await deps.settle(connectionId);
    const mark = deps.generations.mark(connectionId);
    const declared = endpointOf(endpoint);
    const key = answerKey(endpoint, request);
    const cached =
      declared.cache.mode === 'fresh' ? await deps.answers.find(connectionId, key, endpoint) : null;
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
    // What the cache had is of the service that the connection was.
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
      const flightKey = `${connectionId}\n${mark.service} ${mark.cleared}\n${key}`;
      const keep = declared.cache.mode === 'fresh' ? key : null;
      const landed = await board(flightKey, take(flightKey, mark, endpoint, request, keep), signal);
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
      // A change does not depend on the window that it was confirmed in: a window that goes calls nothing back.
      async 'service.send'(input) {
        const { endpoint, request } = checked(input, 'write');
        deps.connection(input.connectionId);
        const { connectionId, about } = input;
        // The journal notes the request with its subject; only what the catalogue declares of it is sent.
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
    outdate(connectionId, tags) {
      for (const [key, flight] of flights) {
        const touched = endpointOf(flight.endpoint).provides.some((tag) => tags.includes(tag));
        if (flight.connectionId !== connectionId || !touched) continue;
        flight.outdated = true;
        // The next reader asks anew instead of waiting for an answer from before the change.
        flights.delete(key);
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
