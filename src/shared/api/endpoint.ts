/**
 * A call of the service as data. Proxy, cache keys, bridge types, embedded routes, tests and docs/api.md derive from
 * the declarations in catalogue/.
 */
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a response is about, and what a change affects: cached responses with an invalidated tag become stale. */
export type Tag =
  | 'queries'
  | 'query-config'
  | 'results'
  | 'email'
  | 'file'
  | 'scan'
  | 'apps'
  | 'statistics'
  | 'findings'
  | 'exceptions'
  | 'policies'
  | 'logins';

/** What the console shows when the call fails (specification section 8). */
export type ErrorFallback = 'empty-list' | 'empty-rows' | 'plain-profile' | 'success-false';

export interface Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  method: Method;
  /** Below /api/v1, as the specification writes it; `:name` segments come from params. */
  path: string;
  /** read: may be repeated and cached. write: changes something on the service. */
  effect: 'read' | 'write';
  params: P;
  query: Q;
  /** Encoding of the request body. multipart: one form file and the body's fields. */
  bodyKind: 'none' | 'json' | 'multipart';
  body: B;
  /** Encoding of the response. blob: bytes with a content type, no schema. */
  answer: 'json' | 'blob';
  response: R;
  cache: { mode: 'none' } | { mode: 'fresh'; ttlMs: number };
  provides: readonly Tag[];
  invalidates: readonly Tag[];
  paging: { cursor: 'search_after' } | { page: number } | null;
  onError: ErrorFallback | null;
  /** idempotent: may be repeated when the response was lost. */
  retry: 'idempotent' | 'never';
  /** Section and line of the specification, in words. */
  summary: string;
  /** The field that names what was asked for by its id; another thing in its place is refused. */
  namedBy?: 'entity_id' | 'id';
  /** The path is opaque: never cached, never logged. */
  secretPath?: true;
}
