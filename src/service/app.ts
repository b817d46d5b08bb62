/** The embedded service: /api/v1 over HTTP, its routes derived from the catalogue. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { flagsOf } from '#shared/model/flags.ts';
import { type Handler, isFileAnswer, type ServiceContext } from './http/context.ts';
import { ServiceError } from './http/errors.ts';
import { readInput } from './http/input.ts';
import { admit } from './http/permissions.ts';
import { match } from './http/routes.ts';
import type { RoleName } from './roles.ts';
import { handlers } from './routes/index.ts';
import type { ServiceApp } from './server.ts';
import { applyDue } from './store/due.ts';
import type { Store } from './store/store.ts';

export interface ServiceOptions {
  /** The bearer token that every call must present. */
  token: string;
  /** Milliseconds since the epoch. */
  now?: () => number;
  caller?: string | null;
  /** The caller's role (roles.ts); default: everything is allowed. */
  role?: RoleName;
  /** Feature flags over the defaults, asked for at every call. */
  flags?: () => Readonly<Record<string, boolean>>;
  /** Told of failures that answer 500; never of contents. */
  onError?: (name: EndpointName, error: unknown) => void;
}

const GZIP_FROM = 1024;
const digest = (text: string) => createHash('sha256').update(text).digest();

/** Errors are JSON: {error, field?}; 401, 404, 405, 400, 410, 413, 501 (the call's name in `call`). */
export function createServiceApp(store: Store, options: ServiceOptions): ServiceApp {
  const expected = digest(`Bearer ${options.token}`);
  const context: ServiceContext = {
    store,
    now: options.now ?? Date.now,
    caller: options.caller ?? null,
    role: options.role ?? 'admin',
    get flags() {
      return flagsOf(options.flags?.() ?? {});
    },
  };
  const fetch = async (request: Request): Promise<Response> => {
    // Digests have equal lengths, so that the comparison reveals nothing about the token.
    if (!timingSafeEqual(digest(request.headers.get('authorization') ?? ''), expected))
      return json(request, { error: 'The token is missing or wrong' }, 401, { 'www-authenticate': 'Bearer' });
    const url = new URL(request.url);
    const found = match(request.method, url.pathname);
    if (found.kind === 'none') return json(request, { error: 'No such call' }, 404);
    if (found.kind === 'malformed')
      return json(request, { error: 'The path is malformed', field: 'path' }, 400);
    if (found.kind === 'method')
      return json(request, { error: 'The call takes another method' }, 405, {
        allow: found.allow.join(', '),
      });
    const handler = handlers[found.name] as Handler<EndpointName> | undefined;
    if (!handler)
      return json(request, { error: `This service does not offer ${found.name}`, call: found.name }, 501);
    try {
      admit(found.name, context);
      const input = await readInput(found.name, request, url, found.params);
      applyDue(store, context.now());
      const value = await handler(input as Parameters<typeof handler>[0], context);
      return isFileAnswer(value) ? fileResponse(value.file) : json(request, value, 200);
    } catch (error) {
      if (error instanceof ServiceError) return json(request, error.toJSON(), error.status);
      options.onError?.(found.name, error);
      return json(request, { error: 'The service failed', call: found.name }, 500);
    }
  };
  return { fetch };
}

const COMMON = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

function json(
  request: Request,
  value: unknown,
  status: number,
  headers: Record<string, string> = {},
): Response {
  const text = JSON.stringify(value);
  const head = {
    ...COMMON,
    'content-type': 'application/json; charset=utf-8',
    vary: 'accept-encoding',
    ...headers,
  };
  const zipped = text.length >= GZIP_FROM && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  if (!zipped) return new Response(text, { status, headers: head });
  const bytes = gzipSync(text, { level: 1 });
  return new Response(bytes, { status, headers: { ...head, 'content-encoding': 'gzip' } });
}

function fileResponse(file: { name: string; type: string; bytes: Uint8Array | string }): Response {
  const safe = file.name.replace(/[^\w.-]+/g, '_');
  return new Response(file.bytes as string, {
    status: 200,
    headers: {
      ...COMMON,
      'content-type': file.type,
      'content-disposition': `attachment; filename="${safe}"`,
    },
  });
}
