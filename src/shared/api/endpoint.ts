/**
 * What a call of the service is, as data. Proxy, cache keys, bridge types, embedded routes, tests and
 * docs/api.md derive from the declarations in catalogue/.
 */
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What an answer is about, and what a change touches: cached answers of an invalidated tag turn stale. */
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
  /** How the request body travels. multipart: one form file and the body's fields. */
  bodyKind: 'none' | 'json' | 'multipart';
  body: B;
  /** How the answer travels. blob: bytes with a content type, no schema. */
  answer: 'json' | 'blob';
  response: R;
  cache: { mode: 'none' } | { mode: 'fresh'; ttlMs: number };
  provides: readonly Tag[];
  invalidates: readonly Tag[];
  paging: { cursor: 'search_after' } | { page: number } | null;
  onError: ErrorFallback | null;
  /** idempotent: a lost answer may be asked for again. */
  retry: 'idempotent' | 'never';
  /** Section and line of the specification, in words. */
  summary: string;
  /** The path is opaque: never cached, never logged. */
  secretPath?: true;
}
