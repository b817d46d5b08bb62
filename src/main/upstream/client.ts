/** Catalogue calls to one service over HTTP: authentication, TLS, limits, redirects, retries. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher, FormData } from 'undici';
import { type EndpointName, endpointOf, type Request } from '#shared/api/catalogue.ts';
import { pathOf, searchOf } from '#shared/api/path.ts';
import { emptyAnswer } from '#shared/api/read-answer.ts';
import { afterLost, cancelled, mayBeDone, ParapetError } from '#shared/bridge/errors.ts';
import { readMailDate } from '#shared/mail/dates.ts';
import { writeSent } from '#shared/model/exact-numbers.ts';
import type { Routes } from '../kernel/ports.ts';
import { PARSED_BESIDE, parseAnswer } from '../parsing/client.ts';
import { isLoopback } from './address.ts';
import { type OpenAgent, openAgent } from './agent.ts';
import { type AnswerHead, asUtf8, checkShape, pageTitle, parseJson, readBytes } from './body.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import {
  cleanText,
  noContent,
  notReady,
  reasonIn,
  redirected,
  statusError,
  tooSlow,
  transportError,
} from './errors.ts';
import { type Names, names as systemNames } from './names.ts';
import { QueryDialect } from './query-dialect.ts';

export interface Target {
  /** Origin and path prefix before `/api/v1`; see serviceBase. */
  base: string;
  /** Bearer token, or null if none is sent. */
  credential: string | null;
  /** PEM of an authority trusted in addition to the machine's own. */
  authorityPem: string | null;
  /** Left out: directly. */
  routes?: Routes;
}

export interface Limits {
  connectMs: number;
  headersMs: number;
  bodyIdleMs: number;
  /** Deadline of a call including redirects; a transfer at `slowest` or faster may take longer. */
  callMs: number;
  /** Bytes per second, sent and received, below which a call is given up after `callMs`. */
  slowest: number;
  answerBytes: number;
  retries: number;
  retryBaseMs: number;
  retryCapMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  connectMs: 10_000,
  headersMs: 30_000,
  bodyIdleMs: 30_000,
  callMs: 60_000,
  slowest: 16 * 1024,
  answerBytes: 64 * 1024 * 1024,
  retries: 3,
  retryBaseMs: 250,
  retryCapMs: 30_000,
};

interface CallOptions {
  signal?: AbortSignal;
  retry?: boolean;
  maxBytes?: number;
}

const REDIRECTS = 5;
const ERROR_BODY_BYTES = 64 * 1024;
const RETRIED_STATUS = new Set([429, 502, 503, 504]);

interface Sent {
  bytes: Buffer;
  head: AnswerHead;
  status: number;
}

interface Outgoing {
  endpoint: EndpointName;
  method: Dispatcher.HttpMethod;
  path: string;
  body: string | FormData | null;
  /** Of the body. */
  bytes: number;
}

/** One agent per connection, and so separate sockets and trust. */
export class Client {
  readonly #target: Target;
  readonly #limits: Limits;
  readonly #parsing: URL | null;
  readonly #names: Names;
  readonly #base: URL;
  readonly #prefix: string;
  readonly #dialect = new QueryDialect();
  /** Loaded at the first call: without a connection its 30 MB are not needed. */
  #opened: Promise<OpenAgent> | null = null;
  #proxy: string | null = null;

  /** `parsing` is the entry of the thread for large responses. */
  constructor(
    target: Target,
    limits: Limits = DEFAULT_LIMITS,
    parsing: URL | null = null,
    names: Names = systemNames,
  ) {
    this.#names = names;
    this.#target = target;
    this.#limits = limits;
    this.#parsing = parsing;
    this.#base = new URL(this.#target.base);
    this.#prefix = this.#base.pathname.replace(/\/+$/, '');
  }

  async json(
    endpoint: EndpointName,
    request: Request<EndpointName>,
    options?: CallOptions,
  ): Promise<unknown> {
    return this.#parsed(
      endpoint,
      request,
      await this.#send(this.#outgoing(endpoint, request), options),
      options?.signal,
    );
  }

  async blob(
    endpoint: EndpointName,
    request: Request<EndpointName>,
    options?: CallOptions,
  ): Promise<Uint8Array> {
    const sent = await this.#send(this.#outgoing(endpoint, request), options);
    if (endpointOf(endpoint).answer === 'blob' && sent.status === 202) throw notReady(endpoint);
    return new Uint8Array(sent.bytes.buffer, sent.bytes.byteOffset, sent.bytes.byteLength);
  }

  async upload(
    endpoint: EndpointName,
    file: { name: string; bytes: Uint8Array },
    options?: CallOptions,
  ): Promise<unknown> {
    const { FormData } = await import('undici');
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(file.bytes)]), file.name);
    return this.#parsed(
      endpoint,
      {},
      await this.#send(
        { ...this.#outgoing(endpoint, {}), body: form, bytes: file.bytes.byteLength },
        options,
      ),
      options?.signal,
    );
  }

  /** Lets calls in flight finish, then closes the sockets. */
  async retire(): Promise<void> {
    await (await this.#opened)?.agent.close();
  }

  /** Ends calls in flight. */
  async close(): Promise<void> {
    const { agent } = (await this.#opened) ?? {};
    await agent?.destroy();
  }

  /** Display name of the proxy of the last response, or null if there is none. */
  get proxy(): string | null {
    return this.#proxy;
  }

  /** The name of the service is being looked up. */
  get isNamePending(): boolean {
    return this.#names.isPending(this.#base.hostname);
  }

  #open(): Promise<OpenAgent> {
    return openAgent({
      origin: this.#base,
      authorityPem: this.#target.authorityPem,
      routes: this.#target.routes ?? [null],
      connectMs: this.#limits.connectMs,
      headersMs: this.#limits.headersMs,
      bodyMs: this.#limits.bodyIdleMs,
      names: this.#names,
    });
  }

  #headersFor(outgoing: Outgoing): Record<string, string> {
    return {
      accept: endpointOf(outgoing.endpoint).answer === 'json' ? 'application/json' : '*/*',
      // On loopback, compressing would only cost time.
      ...(isLoopback(this.#base.hostname) ? {} : { 'accept-encoding': 'gzip' }),
      ...(typeof outgoing.body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...(this.#target.credential === null ? {} : { authorization: `Bearer ${this.#target.credential}` }),
    };
  }

  /** One request and the redirects that stay on its origin. */
  async #once(outgoing: Outgoing, maxBytes: number, signal: AbortSignal | undefined): Promise<Sent> {
    const deadline = createDeadline(this.#limits, outgoing.bytes);
    try {
      return await this.#within(deadline, outgoing, maxBytes, signal);
    } finally {
      deadline.end();
    }
  }

  async #within(
    deadline: Deadline,
    outgoing: Outgoing,
    maxBytes: number,
    signal: AbortSignal | undefined,
  ): Promise<Sent> {
    this.#opened ??= this.#open();
    const { agent, proxy } = await this.#opened;
    let path = outgoing.path;
    for (let hop = 0; hop <= REDIRECTS; hop += 1) {
      let started = false;
      try {
        const ends = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
        const answer = await unlessAborted(
          agent.request({
            origin: this.#base.origin,
            path,
            method: outgoing.method,
            headers: this.#headersFor(outgoing),
            body: outgoing.body,
            signal: ends,
          }),
          ends,
        );
        started = true;
        this.#proxy = proxy()?.name ?? null;
        const header = (name: string) => [answer.headers[name] ?? []].flat()[0] ?? null;
        if (answer.statusCode >= 300 && answer.statusCode < 400 && answer.statusCode !== 304) {
          answer.body.on('error', () => {}).destroy();
          path = followed(outgoing, answer.statusCode, header('location'), this.#base.origin, path);
          continue;
        }
        const length = header('content-length');
        const head: AnswerHead = {
          contentType: header('content-type') ?? '',
          contentEncoding: (header('content-encoding') ?? '').trim().toLowerCase(),
          contentLength: length === null ? null : Number(length),
        };
        if (answer.statusCode < 200 || answer.statusCode >= 300) {
          const bytes = await readBytes(
            answer.body,
            { ...head, contentLength: null },
            outgoing.endpoint,
            ERROR_BODY_BYTES,
            deadline.carried,
          ).catch(() => Buffer.alloc(0));
          throw statusError({
            endpoint: outgoing.endpoint,
            status: answer.statusCode,
            ...refusalOf(asUtf8(bytes, head.contentType)),
            page: pageTitle(head.contentType, bytes),
            retryAfterMs: retryAfter(header('retry-after'), header('date')),
            hasCredential: this.#target.credential !== null,
          });
        }
        const bytes = await readBytes(answer.body, head, outgoing.endpoint, maxBytes, deadline.carried);
        return {
          // Files are not converted.
          bytes: endpointOf(outgoing.endpoint).answer === 'json' ? asUtf8(bytes, head.contentType) : bytes,
          head,
          status: answer.statusCode,
        };
      } catch (error) {
        if (signal?.aborted) throw cancelled();
        if (deadline.signal.aborted) throw tooSlow(outgoing.endpoint, error);
        throw transportError(error, outgoing.endpoint, started, {
          proxy: proxy(),
          hasAuthority: this.#target.authorityPem !== null,
        });
      }
    }
    throw redirected(outgoing.endpoint, 310, null);
  }

  /** Repeats only idempotent requests, and only after transient failures. */
  async #send(outgoing: Outgoing, options: CallOptions = {}): Promise<Sent> {
    const declared = endpointOf(outgoing.endpoint);
    const repeats = declared.retry === 'idempotent' && options.retry !== false ? this.#limits.retries : 0;
    const maxBytes = options.maxBytes ?? this.#limits.answerBytes;
    let isLost = false;
    for (let attempt = 0; ; attempt += 1) {
      if (options.signal?.aborted) throw cancelled();
      try {
        return await this.#once(outgoing, maxBytes, options.signal);
      } catch (error) {
        if (!(error instanceof ParapetError)) throw error;
        const wait = pause(error, attempt, this.#limits);
        if (attempt >= repeats || wait === null) throw isLost && !mayBeDone(error) ? afterLost(error) : error;
        isLost ||= declared.effect === 'write' && mayBeDone(error);
        await sleep(wait, undefined, options.signal === undefined ? {} : { signal: options.signal }).catch(
          () => {
            throw cancelled();
          },
        );
      }
    }
  }

  #outgoing(endpoint: EndpointName, request: Request<EndpointName>): Outgoing {
    const declared = endpointOf(endpoint);
    const body =
      declared.bodyKind === 'json' ? writeSent(this.#dialect.bodyOf(endpoint, request.body ?? {})) : null;
    return {
      endpoint,
      method: declared.method,
      path: this.#prefix + filledPath(endpoint, request),
      body,
      bytes: body === null ? 0 : Buffer.byteLength(body),
    };
  }

  async #parsed(
    endpoint: EndpointName,
    request: Request<EndpointName>,
    { bytes, head, status }: Sent,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (this.#parsing !== null && bytes.length > PARSED_BESIDE)
      return parseAnswer(
        this.#parsing,
        { bytes, contentType: head.contentType, endpoint, asked: request },
        signal,
      );
    const declared = endpointOf(endpoint);
    // A change may be confirmed by its status alone; a read may have an empty body only with status 204.
    const isEmpty = declared.effect === 'write' ? isBlank(bytes) : status === 204;
    if (!isEmpty) {
      const answer = parseJson(bytes, head.contentType, endpoint);
      this.#dialect.learn(endpoint, answer);
      return checkShape(declared, endpoint, answer, request);
    }
    const value = emptyAnswer(endpoint, declared, request);
    if (value === undefined) throw noContent(endpoint);
    return checkShape(declared, endpoint, value, request);
  }
}

/** On abort undici waits until the connection was made or has failed, up to `connectMs`; this rejects at once. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return promise;
}

function filledPath(endpoint: EndpointName, request: Request<EndpointName>): string {
  const path = pathOf(endpoint, request.params ?? {});
  // A signed link is used unchanged, so it must not contain dot segments or its own query.
  if (endpointOf(endpoint).secretPath && (/[?#\\\s]/.test(path) || climbs(path)))
    throw new ParapetError('invalid-input', 'That link is not one of this service.', { data: { endpoint } });
  return path + searchOf(request.query ?? {});
}

/** Whether any server or gateway could find a dot segment, a control character or invalid encoding in the path. */
function climbs(path: string): boolean {
  let text = path;
  for (;;) {
    // Some servers ignore what follows a semicolon, and some take a backslash for a slash.
    const segments = text.split(/[/\\]/).map((segment) => segment.split(';')[0]);
    if (/\p{Cc}/u.test(text) || segments.some((segment) => segment === '.' || segment === '..')) return true;
    let plain: string;
    try {
      plain = decodeURIComponent(text);
    } catch {
      return true;
    }
    if (plain === text) return false;
    text = plain;
  }
}

/** The target of a redirect that may be followed: same origin, same method. */
function followed(
  outgoing: Outgoing,
  status: number,
  location: string | null,
  origin: string,
  from: string,
): string {
  const to = location === null ? null : URL.parse(location, origin + from);
  if (to === null) throw redirected(outgoing.endpoint, status, location ?? 'nowhere');
  const keepsMethod = outgoing.method === 'GET' || status === 307 || status === 308;
  if (to.origin !== origin || !keepsMethod) throw redirected(outgoing.endpoint, status, to.origin);
  return to.pathname + to.search;
}

const isBlank = (bytes: Buffer): boolean => bytes.length < 16 && bytes.toString('latin1').trim() === '';

/** How long to wait before another attempt, or null if the failure is not transient. */
function pause(error: ParapetError, attempt: number, limits: Limits): number | null {
  const status = Number(error.data?.['status'] ?? 0);
  const passing = error.code === 'unreachable' || error.code === 'truncated' || RETRIED_STATUS.has(status);
  if (!passing) return null;
  const delay = error.data?.['retryAfterMs'];
  if (typeof delay === 'number') return delay <= limits.retryCapMs ? delay : null;
  const backoff = Math.min(limits.retryBaseMs * 2 ** attempt, limits.retryCapMs);
  // Jitter, so that many consoles do not retry at the same moment.
  return backoff * (0.5 + Math.random() / 2);
}

/**
 * Retry-After in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3), which is relative to the response's own
 * Date, since the two clocks may differ. Null if unknown.
 */
export function retryAfter(value: string | null, date: string | null): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/[a-z]/i.test(text)) return null;
  // Date.parse reads the obsolete form without a zone, which is GMT, in the zone of this machine.
  const [until, now] = [text, date ?? ''].map((value) => readMailDate(value)?.time);
  return until === undefined || now === undefined ? null : Math.max(0, until - now);
}

/**
 * The service's message and the field that it names: `error`, `message`, `detail` or `title` (RFC 9457), as a text, in
 * an object or as the first of a list. null when the body has none.
 */
function refusalOf(bytes: Buffer): { message: string | null; field: string | null } {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value !== 'object' || value === null) return { message: null, field: null };
    const field = 'field' in value && typeof value.field === 'string' ? cleanText(value.field) : '';
    return { message: reasonIn(value, 3), field: field || null };
  } catch {
    return { message: null, field: null };
  }
}
