import { z } from 'zod';
import { CACHE_TTL_MS } from '../../model/constants.ts';
import type { Endpoint, ErrorFallback, Method, Tag } from '../endpoint.ts';

export const nothing = z.object({});
type Nothing = typeof nothing;

const fresh = { mode: 'fresh', ttlMs: CACHE_TTL_MS } as const;

/** A call that only reads: cached for five minutes (specification section 9), and repeated after a failure. */
const reading = {
  effect: 'read',
  cache: fresh,
  invalidates: [],
  paging: null,
  onError: null,
  retry: 'idempotent',
} as const;

const schemasOf = <P, Q>({ params, query }: { params?: P; query?: Q }) => ({
  params: (params ?? nothing) as P,
  query: (query ?? nothing) as Q,
});

interface Options<P, Q, R> {
  method: Method;
  path: string;
  params?: P;
  query?: Q;
  response: R;
  summary: string;
  onError?: ErrorFallback;
  paging?: Endpoint['paging'];
}

/** A GET that only reads. */
export function read<R extends z.ZodType, P extends z.ZodType = Nothing, Q extends z.ZodType = Nothing>(
  options: Omit<Options<P, Q, R>, 'method'> & {
    provides: readonly Tag[];
    cache?: Endpoint['cache'];
    answer?: 'json' | 'blob';
    namedBy?: Endpoint['namedBy'];
    secretPath?: true;
  },
) {
  const { answer = 'json', ...rest } = options;
  return {
    ...reading,
    method: 'GET',
    bodyKind: 'none',
    body: nothing,
    ...rest,
    answer,
    ...schemasOf(options),
  } as const satisfies Endpoint<P, Q, Nothing, R>;
}

/** A POST that only reads: its body is part of the cache key, and it may be repeated. */
export function ask<
  B extends z.ZodType,
  R extends z.ZodType,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
>(
  options: Omit<Options<P, Q, R>, 'method'> & {
    body: B;
    provides: readonly Tag[];
    answer?: 'json' | 'blob';
    cache?: Endpoint['cache'];
  },
) {
  const { answer = 'json', ...rest } = options;
  return {
    ...reading,
    method: 'POST',
    bodyKind: 'json',
    ...rest,
    answer,
    ...schemasOf(options),
  } as const satisfies Endpoint<P, Q, B, R>;
}

/** A call that changes something: never cached, never sent twice by the console itself. */
export function write<
  B extends z.ZodType,
  R extends z.ZodType,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
>(
  options: Options<P, Q, R> & {
    body: B;
    invalidates: readonly Tag[];
    bodyKind?: 'none' | 'json' | 'multipart';
    answer?: 'json' | 'blob';
    retry?: 'idempotent' | 'never';
  },
) {
  const { answer = 'json', bodyKind = 'json', retry = 'never', ...rest } = options;
  return {
    effect: 'write',
    cache: { mode: 'none' },
    provides: [],
    paging: null,
    onError: null,
    ...rest,
    retry,
    answer,
    bodyKind,
    ...schemasOf(options),
  } as const satisfies Endpoint<P, Q, B, R>;
}

/** The response of a change that returns no entity. */
export const done = z.looseObject({ success: z.boolean() });
export const entityQuery = z.object({ entity_id: z.string() });
export const saasParams = z.object({ saas: z.string() });
export const rowsOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({ rows: z.array(item), total_rows: z.number().int().nonnegative().nullish() });
