/** The embedded service: /api/v1 over HTTP, its routes derived from the catalogue. */
import { gzipSync } from 'node:zlib';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { flagsOf } from '#shared/model/flags.ts';
import {
  admissionBy,
  type Call,
  FILE_HEADERS,
  JSON_HEADERS,
  type Reply,
  readCall,
  refusal,
  responseOf,
  unauthorised,
} from './http/body.ts';
import { type Handler, isFileAnswer, type ServiceContext } from './http/context.ts';
import { ServiceError } from './http/errors.ts';
import { readInput } from './http/input.ts';
import { admit } from './http/permissions.ts';
import { match } from './http/routes.ts';
import type { RoleName } from './roles.ts';
import { handlers } from './routes/index.ts';
import type { ServiceApp } from './server.ts';
import { DAMAGED_DEMO, DAMAGED_EVIDENCE } from './store/damage.ts';
import type { Store } from './store/store.ts';

export interface ServiceOptions {
  /** The bearer token that every call must present. */
  token: string;
  /** Milliseconds since the epoch. */
  now?: () => number;
  caller?: string | null;
  /** The caller's role (roles.ts); default: everything is allowed. */
  role?: RoleName;
  /** Feature flags over the defaults, read at every call. */
  flags?: () => Readonly<Record<string, boolean>>;
  /** Receives failures that answer 500, but never contents. */
  onError?: (name: EndpointName, error: unknown) => void;
  /** Applies what has become due, before each call; a reader throws NotHere instead. */
  due?: (store: Store, now: number) => Promise<void>;
}

/** This connection is read-only, and the call must write. */
export class NotHere extends Error {}

export interface Service extends ServiceApp {
  /** Answers a call whose token was already checked. A reader may throw NotHere. */
  answer(call: Call): Promise<Reply>;
}

const GZIP_FROM = 1024;

function failureWords(store: Store, error: unknown): string {
  if (!store.noteDamage(error)) return 'The service failed';
  return store.source.tenant === null ? DAMAGED_EVIDENCE : DAMAGED_DEMO;
}

/** Errors are JSON: {error, field?}; 401, 404, 405, 400, 410, 413, 501 (the call's name in `call`). */
export function createServiceApp(store: Store, options: ServiceOptions): Service {
  const isAdmitted = admissionBy(options.token);
  const due = options.due ?? ((_, now: number) => store.actions.applyDue(now));
  const context: ServiceContext = {
    store,
    now: options.now ?? Date.now,
    caller: options.caller ?? null,
    role: options.role ?? 'admin',
    get flags() {
      return flagsOf(options.flags?.() ?? {});
    },
  };
  const answer = async (call: Call): Promise<Reply> => {
    const url = new URL(call.url);
    const route = match(call.method, url.pathname);
    if (route.kind === 'none') return json(call, { error: 'No such call' }, 404);
    if (route.kind === 'malformed') return json(call, { error: 'The path is malformed', field: 'path' }, 400);
    if (route.kind === 'method')
      return json(call, { error: 'The call takes another method' }, 405, { allow: route.allow.join(', ') });
    const handler = handlers[route.name] as Handler<EndpointName> | undefined;
    if (!handler)
      return json(call, { error: `This service does not offer ${route.name}`, call: route.name }, 501);
    try {
      admit(route.name, context);
      const input = await readInput(route.name, call, url, route.params);
      await due(store, context.now());
      const value = await handler(input as Parameters<typeof handler>[0], context);
      return isFileAnswer(value) ? fileResponse(value.file) : json(call, value, 200);
    } catch (error) {
      if (error instanceof NotHere) throw error;
      if (error instanceof ServiceError) return json(call, error.toJSON(), error.status);
      options.onError?.(route.name, error);
      return json(call, { error: failureWords(store, error), call: route.name }, 500);
    }
  };
  const fetch = async (request: Request): Promise<Response> => {
    if (!isAdmitted(request.headers.get('authorization'))) return unauthorised();
    try {
      return responseOf(await answer(await readCall(request)));
    } catch (error) {
      if (error instanceof ServiceError) return refusal(error.status, error.toJSON());
      throw error;
    }
  };
  return { fetch, answer };
}

function json(
  call: Pick<Call, 'acceptEncoding'>,
  value: unknown,
  status: number,
  headers: Record<string, string> = {},
): Reply {
  const text = Buffer.from(JSON.stringify(value));
  const head = { ...JSON_HEADERS, ...headers };
  const zipped = text.length >= GZIP_FROM && /\bgzip\b/.test(call.acceptEncoding);
  if (!zipped) return { status, headers: head, body: text };
  return { status, headers: { ...head, 'content-encoding': 'gzip' }, body: gzipSync(text, { level: 1 }) };
}

function fileResponse(file: { name: string; type: string; bytes: Uint8Array | string }): Reply {
  const safe = file.name.replace(/[^\w.-]+/g, '_');
  return {
    status: 200,
    headers: {
      ...FILE_HEADERS,
      'content-type': file.type,
      'content-disposition': `attachment; filename="${safe}"`,
    },
    body: Buffer.from(file.bytes as Uint8Array),
  };
}
