/** A call and its answer as plain data that can cross threads, and reading a request's body up to a limit. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from './errors.ts';

export interface Call {
  method: string;
  /** Absolute URL. */
  url: string;
  /** The header as received; '' when there is none. */
  authorization: string;
  contentType: string;
  acceptEncoding: string;
  body: Uint8Array;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

/** Whether the header `authorization` presents the token. */
export type Admission = (authorization: string | null) => boolean;

const digest = (text: string) => createHash('sha256').update(text).digest();

// Digests have equal lengths, so that the comparison reveals nothing about the token.
export function admissionBy(token: string): Admission {
  const expected = digest(`Bearer ${token}`);
  return (authorization) => timingSafeEqual(digest(authorization ?? ''), expected);
}

export const MAX_JSON_BYTES = 8 * 1024 * 1024;
export const MAX_FORM_BYTES = 32 * 1024 * 1024;

const tooLarge = (limit: number) => new ServiceError(413, `The body is larger than ${limit} bytes`, 'body');

/** The bytes of a body that is already in memory. Throws a 413. */
export function capped(body: Uint8Array, limit: number): Uint8Array {
  if (body.byteLength > limit) throw tooLarge(limit);
  return body;
}

async function readBody(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_FORM_BYTES) throw tooLarge(MAX_FORM_BYTES);
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (request.body)
    for await (const chunk of request.body) {
      size += chunk.byteLength;
      if (size > MAX_FORM_BYTES) throw tooLarge(MAX_FORM_BYTES);
      chunks.push(chunk);
    }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Throws a 413. */
export async function readCall(request: Request): Promise<Call> {
  return {
    method: request.method,
    url: request.url,
    authorization: request.headers.get('authorization') ?? '',
    contentType: request.headers.get('content-type') ?? '',
    acceptEncoding: request.headers.get('accept-encoding') ?? '',
    body: await readBody(request),
  };
}

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
export const JSON_HEADERS = {
  ...COMMON,
  'content-type': 'application/json; charset=utf-8',
  vary: 'accept-encoding',
};
export const FILE_HEADERS = COMMON;

/** A refusal that needs no database thread. */
export const refusal = (status: number, value: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { ...JSON_HEADERS, ...headers } });

export const unauthorised = (): Response =>
  refusal(401, { error: 'The token is missing or wrong' }, { 'www-authenticate': 'Bearer' });

export const responseOf = ({ status, headers, body }: Reply): Response =>
  new Response(body, { status, headers });
